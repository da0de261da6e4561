//! What is posted and answered about stored games.

use crate::api::extract::{listed, present};
use crate::api::schema::{GameResult, Position};
use crate::credential::{Hash, hash};
use crate::problem::Problem;
use crate::store::{GameRow, StepRow};
use crate::timestamp::Timestamp;
use kauri_rules::{Event, Options, Seat, State, present_whole};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;
use uuid::Uuid;

/// A game to be created.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    /// The rules: `kauri` or `ashta-kashte`.
    #[schema(example = "kauri")]
    pub rules: String,
    /// Choices of the rules; not together with `state`, which carries its own.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    pub options: Option<Options>,
    /// Who sits where; in Ashta-kashte the first listed seat starts. Without it, or empty, the rules' usual seats,
    /// nobody named.
    #[serde(default, deserialize_with = "listed")]
    #[schema(nullable = false, max_items = 4)]
    pub seats: Option<Vec<NewSeat>>,
    /// Who throws the shells: `server` (default), or `supplied` by the caller as `throw:N`.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, example = "server")]
    pub throws: Option<String>,
    /// A position to begin from instead of the start.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    pub state: Option<State>,
    /// The portal's own name for the game, unique in the portal: whoever says the same twice, in whatever spelling of
    /// JSON, gets the same game.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    pub external_ref: Option<String>,
    /// The portal's labels, at most 16.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<Tag>, inline, nullable = false, max_items = 16)]
    pub tags: Option<Vec<String>>,
}

/// A label.
// Only its schema is wanted: the members of a list have no limits otherwise.
#[derive(ToSchema)]
#[schema(min_length = 1, max_length = 64)]
struct Tag(#[expect(dead_code, reason = "only its schema is wanted")] String);

/// A seat of a game to be created.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSeat {
    /// The seat.
    pub seat: Seat,
    /// The portal's own id for the person, opaque to the service.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    pub player: Option<String>,
    /// A name to show.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    pub name: Option<String>,
}

/// A stored game.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Game {
    /// The game's id.
    #[schema(value_type = String, example = "01937a5e-0000-7000-8000-000000000001")]
    pub id: Uuid,
    /// The rules: `kauri` or `ashta-kashte`.
    #[schema(example = "kauri")]
    pub rules: String,
    /// `active`, `finished` or `aborted`.
    #[schema(example = "active")]
    pub status: String,
    /// Steps so far; `ETag` is `"v{version}"`, with a suffix once the game was ended by other than a step.
    #[schema(minimum = 0, example = 12)]
    pub version: i64,
    /// Who throws the shells: `server` or `supplied`. Without meaning where the rules have no throws.
    #[schema(example = "server")]
    pub throws: String,
    /// Who sits where, in turn order.
    #[schema(value_type = Vec<GameSeat>, min_items = 2, max_items = 4)]
    pub seats: Box<RawValue>,
    /// The position now.
    pub position: Position,
    /// The portal's own name for the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub external_ref: Option<String>,
    /// The portal's labels.
    #[schema(value_type = Vec<String>, max_items = 16)]
    pub tags: Box<RawValue>,
    /// When it was created.
    #[schema(value_type = String, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub updated_at: Timestamp,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, nullable = false, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub finished_at: Option<Timestamp>,
    /// The seats' tokens; only in the answer that creates the game, never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_items = 4)]
    pub seat_tokens: Option<Vec<SeatToken>>,
}

/// A seat of a game.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameSeat {
    /// The seat.
    pub seat: Seat,
    /// The portal's own id for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub player: Option<String>,
    /// A name to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub name: Option<String>,
}

/// What its holder acts for one seat with.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SeatToken {
    /// The seat.
    pub seat: Seat,
    /// The token: send it as `Authorization: Bearer`. Stored only as a hash.
    #[schema(example = "kauri_st_…")]
    pub token: String,
}

/// A move or a throw to be made.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMove {
    /// The step: see `GET /rules/{rules}` for how it is written. `throw` has the service throw.
    #[schema(example = "a", max_length = 16)]
    pub r#move: String,
    /// The seat it is made for; by default the token's seat, or the seat to move.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    pub seat: Option<Seat>,
    /// The version it was decided on. A repeat on the same version is answered as the first time.
    #[serde(default, deserialize_with = "present_whole")]
    #[schema(nullable = false, minimum = 0)]
    pub expected_version: Option<i64>,
}

/// A seat that gives up.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResignGame {
    /// The seat that gives up. A portal must name it; a seat token's own is the default.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    pub seat: Option<Seat>,
    /// The version it was decided on.
    #[serde(default, deserialize_with = "present_whole")]
    #[schema(nullable = false, minimum = 0)]
    pub expected_version: Option<i64>,
}

/// A game to be called off.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AbortGame {
    /// The version it was decided on.
    #[serde(default, deserialize_with = "present_whole")]
    #[schema(nullable = false, minimum = 0)]
    pub expected_version: Option<i64>,
}

/// One entry of a game's log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Step {
    /// Its number, from 1.
    #[schema(minimum = 1, example = 13)]
    pub ply: i64,
    /// Who made it, or for whom the shells fell.
    #[schema(value_type = Seat)]
    pub seat: String,
    /// The step.
    #[schema(example = "a")]
    pub r#move: String,
    /// What happened, in order.
    #[schema(value_type = Vec<Event>, max_items = 200)]
    pub events: Box<RawValue>,
    /// When.
    #[schema(value_type = String, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub at: Timestamp,
}

/// A step that was made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StepTaken {
    /// The step.
    pub step: Step,
    /// The game's version after it.
    #[schema(minimum = 0, example = 13)]
    pub version: i64,
    /// The game's status after it.
    #[schema(example = "active")]
    pub status: String,
    /// The position after it.
    pub position: Position,
}

/// Something that happened to a game.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GameEvent {
    /// Where it stands in its stream; opaque. Pass it as `after`, or as `Last-Event-ID`, to go on from here.
    #[schema(example = "14")]
    pub id: String,
    /// What happened: `game.created`, `game.imported`, `game.step`, `game.ended`; or `game.snapshot`, the game as it is.
    #[schema(example = "game.step")]
    pub r#type: String,
    /// The game's id.
    #[schema(value_type = String, example = "01937a5e-0000-7000-8000-000000000001")]
    pub game_id: Uuid,
    /// The how manieth event of the game it is, from 1; a snapshot has that of the latest.
    #[schema(minimum = 1, example = 14)]
    pub number: i64,
    /// When it happened.
    #[schema(value_type = String, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub at: Timestamp,
    /// The game's rules: `kauri` or `ashta-kashte`.
    #[schema(example = "kauri")]
    pub rules: String,
    /// The portal's own name for the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub external_ref: Option<String>,
    /// The game's version after it.
    #[schema(minimum = 0, example = 13)]
    pub version: i64,
    /// `game.created` and `game.imported`: who sits where, in turn order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<GameSeat>, nullable = false, required = false, min_items = 2, max_items = 4)]
    pub seats: Option<Box<RawValue>>,
    /// `game.step`: the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub step: Option<Step>,
    /// `game.step` and `game.ended` in a game's own stream: the position after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub position: Option<Position>,
    /// `game.ended`: `finished` or `aborted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "finished")]
    pub status: Option<String>,
    /// `game.ended`: how.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<GameResult>,
    /// `game.snapshot`: the game as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub game: Option<Box<Game>>,
}

/// What happened after an event.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventPage {
    /// The events, in order.
    #[schema(max_items = 100)]
    pub items: Vec<GameEvent>,
    /// What to pass as `after` to go on from here.
    #[schema(example = "14")]
    pub next: String,
    /// Whether nothing more will happen.
    pub ended: bool,
}

impl GameEvent {
    /// What every event of a game says.
    pub(super) fn of(game: &GameRow, r#type: &str, number: i64, id: String) -> Self {
        Self {
            id,
            r#type: r#type.to_owned(),
            game_id: game.id,
            number,
            at: game.updated_at,
            rules: game.rules.clone(),
            external_ref: game.external_ref.clone(),
            version: game.version,
            seats: None,
            step: None,
            position: None,
            status: None,
            result: None,
            game: None,
        }
    }
}

/// A page of a game's log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LogPage {
    /// The steps, by ply.
    #[schema(max_items = 500)]
    pub items: Vec<Step>,
    /// What to pass as `after` for the page that follows; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0)]
    pub next: Option<i64>,
}

/// A position of the past.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PositionAt {
    /// After which ply; 0 is the start.
    #[schema(minimum = 0)]
    pub ply: i64,
    /// The position then.
    pub position: Position,
}

/// A page of games.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GamePage {
    /// The games, in the order asked for.
    #[schema(max_items = 100)]
    pub items: Vec<Game>,
    /// What to pass as `cursor` for the page that follows; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<String>,
}

/// What is counted about a player: one count for each seat of each game, so that who plays against themselves has won
/// and lost.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlayerStats {
    /// The portal's own id for the person.
    #[schema(example = "p-17")]
    pub player: String,
    /// Games that go on.
    #[schema(minimum = 0, example = 2)]
    pub open: i64,
    /// Those of them in which the player is to move.
    #[schema(minimum = 0, example = 1)]
    pub your_turn: i64,
    /// Won and lost together.
    #[schema(minimum = 0, example = 41)]
    pub played: i64,
    /// Won.
    #[schema(minimum = 0, example = 23)]
    pub won: i64,
    /// Lost: somebody else won, or the player resigned.
    #[schema(minimum = 0, example = 18)]
    pub lost: i64,
    /// Ended in another way: called off, or for all without a winner.
    #[schema(minimum = 0, example = 1)]
    pub void: i64,
    /// The same for each rules and seat in which a game has ended.
    #[schema(max_items = 64)]
    pub tallies: Vec<PlayerTally>,
}

/// How a player did on one seat.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlayerTally {
    /// The rules: `kauri` or `ashta-kashte`.
    #[schema(example = "kauri")]
    pub rules: String,
    /// The seat.
    #[schema(value_type = Seat)]
    pub seat: String,
    /// Won and lost together.
    #[schema(minimum = 0, example = 41)]
    pub played: i64,
    /// Won.
    #[schema(minimum = 0, example = 23)]
    pub won: i64,
    /// Lost: somebody else won, or the player resigned.
    #[schema(minimum = 0, example = 18)]
    pub lost: i64,
    /// Ended in another way: called off, or for all without a winner.
    #[schema(minimum = 0, example = 1)]
    pub void: i64,
}

impl NewGame {
    /// The SHA-256 of what is asked for, however it was spelt.
    pub(super) fn meaning(&self) -> Result<Hash, Problem> {
        serde_json::to_vec(self).map(|json| hash(&json)).map_err(|error| Problem::internal(&error))
    }
}

impl Step {
    pub(super) fn from_row(row: StepRow) -> Result<Self, serde_json::Error> {
        let events = RawValue::from_string(row.events)?;
        Ok(Self { ply: row.ply, seat: row.seat, r#move: row.r#move, events, at: row.at })
    }
}

/// A game's tag. What ends a game without a step must change it too, so that a cached game is not
/// taken for current.
pub(super) fn etag_of(game: &GameRow) -> String {
    let ended = game.result.as_deref().and_then(|json| serde_json::from_str::<GameResult>(json).ok());
    match ended.filter(|ended| [RESIGNATION, ABANDONED].contains(&&*ended.reason)) {
        None => format!("\"v{}\"", game.version),
        Some(ended) => format!("\"v{}-{}\"", game.version, ended.reason),
    }
}

/// The reason of a game that ended because a seat gave up.
pub(super) const RESIGNATION: &str = "resignation";
/// The reason of a game that was called off.
pub(super) const ABANDONED: &str = "abandoned";
