//! A whole game in one document: what it began from and every step, enough to have it again elsewhere.

use super::access::Caller;
use super::file::{File, decode};
use super::wire::GameSeat;
use crate::api::extract::present;
use crate::api::schema::GameResult;
use crate::context::Context;
use crate::credential::Credential;
use crate::problem::Problem;
use crate::store::{GameRow, Held, StepRow};
use crate::timestamp::Timestamp;
use kauri_rules::{Seat, State};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Steps that are read at a time.
const BATCH: i64 = 500;

/// A whole game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GameRecord {
    /// The game's id.
    #[schema(value_type = String, format = "game-id", example = "01937a5e-0000-7000-8000-000000000001")]
    pub id: Uuid,
    /// The rules: `kauri` or `ashta-kashte`.
    #[schema(example = "kauri")]
    pub rules: String,
    /// Who throws the shells: `server` or `supplied`.
    #[schema(example = "server")]
    pub throws: String,
    /// `active`, `finished` or `aborted`.
    #[schema(example = "finished")]
    pub status: String,
    /// Who sits where, in turn order; every seat of the start.
    #[schema(min_items = 2, max_items = 4)]
    pub seats: Vec<RecordSeat>,
    /// The portal's labels.
    #[serde(default)]
    #[schema(required = false, max_items = 16)]
    pub tags: Vec<String>,
    /// The portal's own name for the game.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    pub external_ref: Option<String>,
    /// The state it began from, which carries the options of the rules.
    pub start: State,
    /// Every step, by ply.
    #[schema(max_items = 100_000)]
    pub moves: Vec<RecordMove>,
    /// How it ended; there exactly when it has.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<GameResult>,
    /// When it was created.
    #[schema(value_type = String, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub created_at: Timestamp,
    /// When it ended; there exactly when it has.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, nullable = false, format = DateTime, example = "2026-11-30T09:30:00.000000Z")]
    pub finished_at: Option<Timestamp>,
    /// In an export, what to pass as `cursor` to go on after this game; without meaning elsewhere.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cursor: Option<String>,
}

/// A seat of a whole game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordSeat {
    /// The seat.
    pub seat: Seat,
    /// The portal's own id for the person.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    pub player: Option<String>,
    /// A name to show.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    pub name: Option<String>,
}

/// A step of a whole game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordMove {
    /// Who made it, or for whom the shells fell.
    pub seat: Seat,
    /// The step; a throw with the number that fell.
    #[schema(example = "a", max_length = 16)]
    pub r#move: String,
    /// When.
    #[schema(value_type = String, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub at: Timestamp,
    /// The four shells where the service threw them, true for mouth up.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Vec<bool>, min_items = 4, max_items = 4)]
    pub shells: Option<[bool; 4]>,
}

/// A game's record.
pub async fn record(context: &Context, credential: &Credential, id: Uuid) -> Result<GameRecord, Problem> {
    let mut file = File::open(context, credential, id, None, None).await?;
    let steps = steps(context, &file.game, &mut file.held).await?;
    recorded(&file.game, steps)
}

/// The log of a game, as long as it was when the game was read.
pub(super) async fn steps(
    context: &Context,
    game: &GameRow,
    held: &mut Held,
) -> Result<Vec<StepRow>, Problem> {
    let mut steps: Vec<StepRow> = Vec::new();
    loop {
        let after = steps.last().map_or(0, |step| step.ply);
        let limit = BATCH.min(game.version - after);
        if limit <= 0 {
            return Ok(steps);
        }
        let batch = context.store.steps(game.id, after, limit, held).await?;
        if batch.is_empty() {
            return Err(Problem::internal(&"a log that is shorter than its game"));
        }
        steps.extend(batch);
    }
}

/// Rows as a record.
pub(super) fn recorded(game: &GameRow, steps: Vec<StepRow>) -> Result<GameRecord, Problem> {
    let seats: Vec<GameSeat> = decode(&game.seats)?;
    Ok(GameRecord {
        id: game.id,
        rules: game.rules.clone(),
        throws: game.throws.clone(),
        status: game.status.clone(),
        seats: seats
            .into_iter()
            .map(|GameSeat { seat, player, name }| RecordSeat { seat, player, name })
            .collect(),
        tags: decode(&game.tags)?,
        external_ref: game.external_ref.clone(),
        start: decode(&game.start_state)?,
        moves: steps.into_iter().map(played).collect::<Result<_, _>>()?,
        result: game.result.as_deref().map(decode).transpose()?,
        created_at: game.created_at,
        finished_at: game.finished_at,
        cursor: None,
    })
}

fn played(row: StepRow) -> Result<RecordMove, Problem> {
    /// Of an event, what can't be found again by replay.
    #[derive(Deserialize)]
    struct Fallen {
        shells: Option<[bool; 4]>,
    }
    let events: Vec<Fallen> = decode(&row.events)?;
    Ok(RecordMove {
        seat: row.seat.parse().map_err(|error| Problem::internal(&error))?,
        r#move: row.r#move,
        at: row.at,
        shells: events.into_iter().find_map(|event| event.shells),
    })
}

impl Caller {
    /// For what an operator does, whom nobody need let in.
    pub(super) fn operator(portal: Uuid) -> Self {
        Self { portal, role: super::access::Role::Portal { may_play: true }, strict: false }
    }
}
