//! Which games are asked for.

use super::create::{LONGEST_NAME, LONGEST_TAG};
use crate::problem::{Code, Problem};
use crate::store::{Clock, GameFilter};
use crate::timestamp::Timestamp;
use kauri_rules::{RulesId, Seat};
use serde::Deserialize;
use utoipa::IntoParams;

/// Games on a page when nothing is said.
const PAGE: i64 = 20;
/// Most games on a page.
const PAGE_MOST: i64 = 100;

/// The same list in other words.
macro_rules! same {
    ($list:ident, $player:expr, $limit:expr) => {
        ListGames {
            player: $player,
            seat: $list.seat,
            opponent: $list.opponent,
            result: $list.result,
            rules: $list.rules,
            status: $list.status,
            tag: $list.tag,
            external_ref: $list.external_ref,
            created_after: $list.created_after,
            created_before: $list.created_before,
            finished_after: $list.finished_after,
            finished_before: $list.finished_before,
            order: $list.order,
            limit: $limit,
            cursor: $list.cursor,
        }
    };
}

/// The parameters of a list of games, after those that a path may have said already, and with those of a page.
macro_rules! listing {
    ($(#[$about:meta])* $name:ident { $($first:tt)* } { $($last:tt)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, Deserialize, IntoParams)]
        #[serde(deny_unknown_fields)]
        #[into_params(parameter_in = Query)]
        pub struct $name {
            $($first)*
            /// Only games where the player sits here; needs a player.
            #[param(nullable = false)]
            pub seat: Option<Seat>,
            /// Only games where this one sits on another seat; needs a player.
            #[param(nullable = false, max_length = 200)]
            pub opponent: Option<String>,
            /// Only games that came out so: `won` or `lost` by the player, the seat that won, or `void` for games
            /// that ended without a winner. Who did not win has lost if somebody else won, or if it was they who
            /// resigned. `won` and `lost` need a player.
            #[param(nullable = false, example = "south")]
            pub result: Option<String>,
            /// Only games of these rules.
            #[param(nullable = false, example = "kauri")]
            pub rules: Option<String>,
            /// Only games with this status: `active`, `finished` or `aborted`.
            #[param(nullable = false, example = "active")]
            pub status: Option<String>,
            /// Only games with this label.
            #[param(nullable = false, max_length = 64)]
            pub tag: Option<String>,
            /// Only the game of this name.
            #[param(nullable = false, max_length = 200)]
            pub external_ref: Option<String>,
            /// Only games created at this time or later.
            #[param(value_type = Option<String>, nullable = false, format = DateTime)]
            pub created_after: Option<String>,
            /// Only games created before this time.
            #[param(value_type = Option<String>, nullable = false, format = DateTime)]
            pub created_before: Option<String>,
            /// Only games that ended at this time or later.
            #[param(value_type = Option<String>, nullable = false, format = DateTime)]
            pub finished_after: Option<String>,
            /// Only games that ended before this time.
            #[param(value_type = Option<String>, nullable = false, format = DateTime)]
            pub finished_before: Option<String>,
            /// By the time of creation, `newest` first or `oldest`; or, of games that ended, by that time,
            /// `last_finished` first or `first_finished`. By default `newest`, and `last_finished` where only times of
            /// the end are asked for.
            #[param(nullable = false, example = "newest")]
            pub order: Option<String>,
            $($last)*
        }
    };
}

listing! {
    /// Which games, and which page of them.
    ListGames {
        /// Only games where this player sits.
        #[param(nullable = false, max_length = 200)]
        pub player: Option<String>,
    } {
        /// At most so many; 20 by default.
        #[param(nullable = false, minimum = 1, maximum = 100)]
        pub limit: Option<i64>,
        /// The `next` of the page before, with the same filters and order.
        #[param(nullable = false)]
        pub cursor: Option<String>,
    }
}

listing! {
    /// Which of a player's games, and which page of them.
    ListPlayersGames {} {
        /// At most so many; 20 by default.
        #[param(nullable = false, minimum = 1, maximum = 100)]
        pub limit: Option<i64>,
        /// The `next` of the page before, with the same filters and order.
        #[param(nullable = false)]
        pub cursor: Option<String>,
    }
}

listing! {
    /// Which games are to be exported, and from where on.
    ExportGames {
        /// Only games where this player sits.
        #[param(nullable = false, max_length = 200)]
        pub player: Option<String>,
    } {
        /// The `cursor` of a line that was received, with the same filters and order: what follows it is sent.
        #[param(nullable = false)]
        pub cursor: Option<String>,
    }
}

impl From<ListPlayersGames> for ListGames {
    fn from(list: ListPlayersGames) -> Self {
        same!(list, None, list.limit)
    }
}

impl From<ExportGames> for ListGames {
    fn from(list: ExportGames) -> Self {
        same!(list, list.player, None)
    }
}

impl ListPlayersGames {
    /// The same, of this player.
    #[must_use]
    pub fn of(self, player: String) -> ListGames {
        ListGames { player: Some(player), ..self.into() }
    }
}

impl ListGames {
    /// What the store is asked for, less the cursor.
    pub(super) fn read(&self) -> Result<GameFilter, Problem> {
        one_of("rules", self.rules.as_deref(), &RulesId::ALL.map(RulesId::as_str))?;
        one_of("status", self.status.as_deref(), &["active", "finished", "aborted"])?;
        short("player", self.player.as_deref(), LONGEST_NAME)?;
        short("opponent", self.opponent.as_deref(), LONGEST_NAME)?;
        short("tag", self.tag.as_deref(), LONGEST_TAG)?;
        short("external_ref", self.external_ref.as_deref(), LONGEST_NAME)?;
        let result = self.result.as_deref().map(|word| known("result", word, &RESULTS)).transpose()?;
        let of_a_player = [
            ("seat", self.seat.is_some()),
            ("opponent", self.opponent.is_some()),
            ("result", matches!(result, Some("won" | "lost"))),
        ];
        if let Some((name, _)) = of_a_player.into_iter().find(|(_, asked)| *asked && self.player.is_none()) {
            return Err(invalid(name, "needs_player", "This is asked about a player: say which."));
        }
        let limit = bounded("limit", self.limit, PAGE, 1, PAGE_MOST)?;
        let (clock, descending) = self.order()?;
        Ok(GameFilter {
            player: self.player.clone(),
            seat: self.seat,
            opponent: self.opponent.clone(),
            result,
            rules: self.rules.clone(),
            status: self.status.clone(),
            tag: self.tag.clone(),
            external_ref: self.external_ref.clone(),
            created_from: time("created_after", self.created_after.as_deref())?,
            created_before: time("created_before", self.created_before.as_deref())?,
            finished_from: time("finished_after", self.finished_after.as_deref())?,
            finished_before: time("finished_before", self.finished_before.as_deref())?,
            clock,
            descending,
            after: None,
            limit,
        })
    }

    /// By which time, and whether the last come first.
    fn order(&self) -> Result<(Clock, bool), Problem> {
        let created = self.created_after.is_some() || self.created_before.is_some();
        let finished = self.finished_after.is_some() || self.finished_before.is_some();
        let order = match &self.order {
            Some(order) => order,
            None if finished && !created => "last_finished",
            None => "newest",
        };
        Ok(match known("order", order, &ORDERS)? {
            "newest" => (Clock::Created, true),
            "oldest" => (Clock::Created, false),
            "last_finished" => (Clock::Finished, true),
            _ => (Clock::Finished, false),
        })
    }

    /// The address of the page after a cursor, with the same filters.
    #[must_use]
    pub fn address(&self, cursor: &str) -> String {
        self.below("/games?".to_owned(), self.player.as_deref(), cursor)
    }

    /// The same among the player's own games.
    #[must_use]
    pub fn players_address(&self, cursor: &str) -> String {
        let player = self.player.as_deref().unwrap_or_default();
        // In a path a plus sign is none but itself.
        let segment =
            form_urlencoded::byte_serialize(player.as_bytes()).collect::<String>().replace('+', "%20");
        self.below(format!("/players/{segment}/games?"), None, cursor)
    }

    fn below(&self, path: String, player: Option<&str>, cursor: &str) -> String {
        let query_at = path.len();
        let mut query = form_urlencoded::Serializer::for_suffix(path, query_at);
        if let Some(player) = player {
            query.append_pair("player", player);
        }
        let seat = self.seat.map(|seat| seat.as_str().to_owned());
        let limit = self.limit.map(|limit| limit.to_string());
        for (name, value) in [
            ("seat", &seat),
            ("opponent", &self.opponent),
            ("result", &self.result),
            ("rules", &self.rules),
            ("status", &self.status),
            ("tag", &self.tag),
            ("external_ref", &self.external_ref),
            ("created_after", &self.created_after),
            ("created_before", &self.created_before),
            ("finished_after", &self.finished_after),
            ("finished_before", &self.finished_before),
            ("order", &self.order),
            ("limit", &limit),
        ] {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        query.append_pair("cursor", cursor).finish()
    }
}

const RESULTS: [&str; 7] = ["won", "lost", "void", "south", "west", "north", "east"];
const ORDERS: [&str; 4] = ["newest", "oldest", "last_finished", "first_finished"];

/// A number within its bounds, or the default.
pub(crate) fn bounded(
    name: &str,
    value: Option<i64>,
    default: i64,
    least: i64,
    most: i64,
) -> Result<i64, Problem> {
    let value = value.unwrap_or(default);
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(invalid(name, "out_of_range", &format!("A whole number from {least} to {most} is taken here.")))
}

/// A parameter that does not fit.
pub(super) fn invalid(name: &str, code: &str, message: &str) -> Problem {
    Problem::new(Code::InvalidQuery).error(format!("/{name}"), code, message)
}

/// A word that is one of a few.
pub(crate) fn one_of(name: &str, value: Option<&str>, words: &[&'static str]) -> Result<(), Problem> {
    value.map_or(Ok(()), |value| known(name, value, words).map(|_| ()))
}

fn known(name: &str, value: &str, words: &[&'static str]) -> Result<&'static str, Problem> {
    let word = words.iter().find(|word| **word == value);
    word.copied().ok_or_else(|| invalid(name, "unknown_value", &format!("One of {}.", words.join(", "))))
}

fn short(name: &str, value: Option<&str>, longest: usize) -> Result<(), Problem> {
    if value.is_none_or(|value| value.chars().count() <= longest) {
        return Ok(());
    }
    Err(invalid(name, "too_long", &format!("At most {longest} characters are taken here.")))
}

fn time(name: &str, value: Option<&str>) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = value else { return Ok(None) };
    let at = Timestamp::parse(text);
    at.map(Some).ok_or_else(|| {
        let message =
            "A time in RFC 3339 is taken here, such as 2026-11-30T09:00:00Z; a plus sign is written %2B.";
        invalid(name, "malformed", message)
    })
}
