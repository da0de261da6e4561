//! Games as a list in memory, and what a filter is by definition.

use crate::beside::Beside;
use crate::chance::SplitMix64;
use kauri::credential::hash;
use kauri::store::{Change, Clock, GameFilter, GameRow, Held, SeatRow, Store};
use kauri::timestamp::Timestamp;
use kauri_rules::Seat;
use serde_json::json;
use std::fmt::Write;
use uuid::Uuid;

pub(super) const PORTAL: Uuid = Uuid::nil();
const START: i64 = 1_796_029_200_000_000;

/// A game, as far as lists look at it.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) id: Uuid,
    pub(super) rules: &'static str,
    pub(super) status: &'static str,
    pub(super) seats: Vec<(Seat, Option<&'static str>)>,
    pub(super) tags: Vec<&'static str>,
    pub(super) external_ref: Option<String>,
    pub(super) created_at: Timestamp,
    pub(super) finished_at: Option<Timestamp>,
    pub(super) winner: Option<Seat>,
    pub(super) resigned: Option<Seat>,
}

const PLAYERS: [&str; 5] = ["ann", "ben", "ann's \"other\" self", "日本", "ann"];
const TAGS: [&str; 4] = ["ladder", "é", "a,b", "\"quoted\""];

impl Listed {
    /// A game that chance decides.
    pub(super) fn any(chance: &mut SplitMix64, number: u128, equal: bool) -> Self {
        let rules = *chance.pick(&["kauri", "ashta-kashte"]);
        let seats: &[Seat] = if rules == "kauri" {
            &[Seat::South, Seat::North]
        } else {
            chance.pick::<&[Seat]>(&[&[Seat::South, Seat::West, Seat::East][..], &Seat::ALL])
        };
        let seats: Vec<_> =
            seats.iter().map(|seat| (*seat, (chance.below(5) > 0).then(|| *chance.pick(&PLAYERS)))).collect();
        let mut tags: Vec<&str> = TAGS.into_iter().filter(|_| chance.below(4) == 0).collect();
        if chance.below(9) == 0 {
            // A label may be there twice.
            tags.extend(tags.first().copied());
        }
        let status = *chance.pick(&["active", "finished", "finished", "finished", "aborted"]);
        let mut time = |spread: usize| if equal { 0 } else { i64::try_from(chance.below(spread)).unwrap() };
        let created_at = Timestamp(START + time(200));
        let finished_at = (status != "active").then(|| Timestamp(created_at.0 + time(200)));
        let finished = status == "finished";
        let winner = (finished && chance.below(6) > 0).then(|| chance.pick(&seats).0);
        let resigned = (finished && (winner.is_none() || chance.below(3) == 0))
            .then(|| chance.pick(&seats).0)
            .filter(|seat| Some(*seat) != winner);
        Self {
            id: Uuid::from_u128(chance.next().into()),
            rules,
            status,
            seats,
            tags,
            external_ref: (chance.below(3) == 0).then(|| format!("match {number}")),
            created_at,
            finished_at,
            winner,
            resigned,
        }
    }

    fn outcome(&self, seat: Seat) -> &'static str {
        match self.status {
            "active" => "open",
            _ if self.winner == Some(seat) => "won",
            _ if self.winner.is_some() || self.resigned == Some(seat) => "lost",
            _ => "void",
        }
    }

    fn result(&self) -> Option<String> {
        let mut result = json!({"reason": "a word"});
        for (name, seat) in [("winner", self.winner), ("seat", self.resigned)] {
            if let Some(seat) = seat {
                result[name] = json!(seat);
            }
        }
        (self.status != "active").then(|| result.to_string())
    }

    /// Whether a filter takes it.
    pub(super) fn fits(&self, filter: &GameFilter) -> bool {
        let word = |filter: &Option<String>, own: &str| filter.as_deref().is_none_or(|word| word == own);
        let time = |from: Option<Timestamp>, before: Option<Timestamp>, own: Option<Timestamp>| {
            from.is_none_or(|from| own.is_some_and(|own| own >= from))
                && before.is_none_or(|before| own.is_some_and(|own| own < before))
        };
        let of_the_player = matches!(filter.result, Some("won" | "lost"));
        let sits = |player: &String| {
            self.seats.iter().any(|(seat, name)| {
                *name == Some(player)
                    && filter.seat.is_none_or(|asked| asked == *seat)
                    && (!of_the_player || filter.result == Some(self.outcome(*seat)))
                    && filter.opponent.as_ref().is_none_or(|opponent| {
                        self.seats.iter().any(|(other, name)| other != seat && *name == Some(opponent))
                    })
            })
        };
        let came_out = || match filter.result {
            Some("void") => self.status != "active" && self.winner.is_none(),
            Some(seat) => self.winner.is_some_and(|winner| winner.as_str() == seat),
            None => true,
        };
        filter.player.as_ref().is_none_or(sits)
            && (of_the_player || came_out())
            && word(&filter.rules, self.rules)
            && word(&filter.status, self.status)
            && filter.tag.as_deref().is_none_or(|tag| self.tags.contains(&tag))
            && (filter.external_ref.is_none() || filter.external_ref == self.external_ref)
            && time(filter.created_from, filter.created_before, Some(self.created_at))
            && time(filter.finished_from, filter.finished_before, self.finished_at)
            && (filter.clock == Clock::Created || self.finished_at.is_some())
    }

    /// Where it stands in a list by this time.
    pub(super) fn place(&self, clock: Clock) -> (Timestamp, Uuid) {
        match clock {
            Clock::Created => (self.created_at, self.id),
            Clock::Finished => (self.finished_at.unwrap(), self.id),
        }
    }

    fn row(&self) -> GameRow {
        GameRow {
            id: self.id,
            portal_id: PORTAL,
            rules: self.rules.to_owned(),
            throws: "server".to_owned(),
            status: "active".to_owned(),
            version: 0,
            start_state: "{}".to_owned(),
            state: "{}".to_owned(),
            result: None,
            seats: "[]".to_owned(),
            tags: json!(self.tags).to_string(),
            external_ref: self.external_ref.clone(),
            created_at: self.created_at,
            updated_at: self.created_at,
            finished_at: None,
        }
    }

    /// Has the store write it, as a game that begins and ends.
    pub(super) async fn write(&self, store: &Store) {
        let seats: Vec<SeatRow> = self
            .seats
            .iter()
            .map(|(seat, player)| SeatRow {
                seat: *seat,
                player: player.map(str::to_owned),
                token_hash: hash(b""),
            })
            .collect();
        // Some are over as soon as they begin.
        let at_once = self.id.as_u128().is_multiple_of(3);
        let ended = GameRow {
            status: self.status.to_owned(),
            result: self.result(),
            finished_at: self.finished_at,
            ..self.row()
        };
        let row = if at_once { ended } else { self.row() };
        assert!(store.create(&row, &seats, &[], None, Held::default()).await.unwrap());
        let Some(at) = self.finished_at.filter(|_| !at_once) else { return };
        let end = Change {
            game_id: self.id,
            portal_id: PORTAL,
            version: 0,
            step: None,
            state: "{}".to_owned(),
            status: self.status,
            result: self.result(),
            at,
            keep: None,
        };
        assert!(store.change(&end, Held::default()).await.unwrap());
    }
}

/// Writes games as they were written before they could be found by all that they are found by now.
pub(super) async fn write_before(games: &[Listed], beside: &mut Beside) {
    let text = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let or_null = |value: Option<String>| value.unwrap_or("NULL".to_owned());
    let portal = beside.id(PORTAL);
    let none = beside.bytes("");
    for games in games.chunks(200) {
        let (mut rows, mut seats, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for game in games {
            let (row, id) = (game.row(), beside.id(game.id));
            rows.push(format!(
                "({id}, {portal}, {}, 'server', {}, 0, '{{}}', '{{}}', {}, '[]', {}, {}, {}, 0, {})",
                text(game.rules),
                text(game.status),
                or_null(game.result().as_deref().map(text)),
                text(&row.tags),
                or_null(game.external_ref.as_deref().map(text)),
                game.created_at.0,
                or_null(game.finished_at.map(|at| at.0.to_string())),
            ));
            for (seat, player) in &game.seats {
                let player = or_null(player.map(text));
                seats.push(format!(
                    "({id}, {}, {portal}, {player}, {none}, {})",
                    text(seat.as_str()),
                    game.created_at.0
                ));
            }
            if let Some(name) = &game.external_ref {
                names.push(format!("({portal}, {}, {none}, {id})", text(name)));
            }
        }
        let mut sql = String::new();
        for (table, columns, rows) in [
            (
                "games",
                "id, portal_id, rules, throws, status, version, start_state, state, result, seats, tags,
              external_ref, created_at, updated_at, finished_at",
                rows,
            ),
            ("game_seats", "game_id, seat, portal_id, player, token_hash, created_at", seats),
            ("external_refs", "portal_id, external_ref, body_hash, game_id", names),
        ] {
            write!(sql, "INSERT INTO {table} ({columns}) VALUES {};", rows.join(",")).unwrap();
        }
        beside.run(sql).await;
    }
}
