//! A game for the spec to show: real rows through the real code, at a fixed time and with a fixed id.

use super::file::{encode, shown, stored};
use super::record::{GameRecord, recorded};
use super::wire::{Game, GameEvent, SeatToken, Step, StepTaken};
use crate::credential::Secret;
use crate::problem::Problem;
use crate::store::{GameRow, Position, STEP, StepRow};
use crate::timestamp::Timestamp;
use kauri_rules::{Options, Played, RulesId, Seat, View};
use serde_json::Value;
use uuid::Uuid;

const ID: Uuid = Uuid::from_u128(0x0193_7a5e_0000_7000_8000_0000_0000_0001);
const AT: Timestamp = Timestamp(1_796_029_200_000_000);
/// What is said should the sample not come about; a test of the spec would show it.
const BROKEN: &str = "the sample game follows the rules";

/// A game of Kauri at its start.
#[must_use]
pub fn game() -> Game {
    made(row().and_then(shown))
}

/// The same game, ended without a step.
#[must_use]
pub fn ended(status: &str, result: &Value) -> Game {
    made(row().and_then(|row| {
        shown(GameRow {
            status: status.to_owned(),
            result: Some(result.to_string()),
            finished_at: Some(AT),
            ..row
        })
    }))
}

/// The same game's first step.
#[must_use]
pub fn taken() -> StepTaken {
    made(step())
}

/// The same game's tokens; their secrets are nobody's.
#[must_use]
pub fn tokens() -> Vec<SeatToken> {
    [Seat::South, Seat::North].map(|seat| super::answer::token(ID, seat, Secret::new([0; 32]))).to_vec()
}

/// The same game's own stream: as it was, and its first step.
#[must_use]
pub fn events() -> [GameEvent; 2] {
    let event =
        |r#type, number| made(row().map(|row| GameEvent::of(&row, r#type, number, number.to_string())));
    let StepTaken { step, position, .. } = taken();
    [
        GameEvent { game: Some(Box::new(game())), ..event("game.snapshot", 1) },
        GameEvent { version: 1, step: Some(step), position: Some(position), ..event(STEP, 2) },
    ]
}

/// The same step as the whole portal is told of it.
#[must_use]
pub fn feed() -> [GameEvent; 1] {
    let [_, step] = events();
    [GameEvent { id: Position { tx: 771, seq: 42 }.to_string(), position: None, ..step }]
}

/// The same game's record, after that step.
#[must_use]
pub fn record() -> GameRecord {
    made(step_row().and_then(|step| {
        let row = GameRow { version: 1, ..row()? };
        recorded(&row, vec![step])
    }))
}

fn made<T>(sample: Result<T, Problem>) -> T {
    sample.expect(BROKEN)
}

fn row() -> Result<GameRow, Problem> {
    let view = RulesId::Kauri.rules().initial(None, &Options::default());
    let state = encode(&view.map_err(|error| Problem::internal(&error))?.state)?;
    Ok(GameRow {
        id: ID,
        portal_id: Uuid::nil(),
        rules: RulesId::Kauri.as_str().to_owned(),
        throws: "server".to_owned(),
        status: "active".to_owned(),
        version: 0,
        start_state: state.clone(),
        state,
        result: None,
        seats: r#"[{"seat":"south","player":"p-17","name":"Ann"},{"seat":"north"}]"#.to_owned(),
        tags: r#"["ladder"]"#.to_owned(),
        external_ref: None,
        created_at: AT,
        updated_at: AT,
        finished_at: None,
    })
}

fn first() -> Result<(Played, View), Problem> {
    let state = super::file::decode(&row()?.state)?;
    RulesId::Kauri.rules().apply(&state, "a").map_err(|error| Problem::internal(&error))
}

fn step_row() -> Result<StepRow, Problem> {
    let (played, _) = first()?;
    Ok(StepRow {
        ply: 1,
        seat: played.seat.as_str().to_owned(),
        r#move: played.r#move.to_owned(),
        events: encode(&played.events)?,
        at: AT,
    })
}

fn step() -> Result<StepTaken, Problem> {
    let (row, (_, view)) = (row()?, first()?);
    let step = Step::from_row(step_row()?);
    Ok(StepTaken {
        step: step.map_err(|error| Problem::internal(&error))?,
        version: 1,
        status: row.status,
        position: stored(&row.throws, view).into(),
    })
}
