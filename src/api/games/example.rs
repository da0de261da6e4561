//! The games shown in the spec: made by the use cases' own types, so that they can't drift.

use crate::games::{
    Game, GamePage, GameRecord, ImportReport, LogPage, PlayerStats, PlayerTally, PositionAt, Step, StepTaken,
    sample,
};
use serde_json::{Value, json};

pub(super) fn game() -> Game {
    sample::game()
}

/// With the tokens that only the creating answer has.
pub(super) fn created() -> Value {
    let mut game = json!(sample::game());
    game["seat_tokens"] = json!(sample::tokens());
    game
}

pub(crate) fn games() -> GamePage {
    GamePage { items: vec![game()], next: None }
}

pub(super) fn resigned() -> Game {
    sample::ended(
        "finished",
        &json!({"winner": "north", "reason": "resignation", "seat": "south", "places": ["north", "south"]}),
    )
}

pub(super) fn aborted() -> Game {
    sample::ended("aborted", &json!({"reason": "abandoned"}))
}

pub(super) fn step() -> Step {
    sample::taken().step
}

pub(super) fn taken() -> StepTaken {
    sample::taken()
}

pub(super) fn log() -> LogPage {
    LogPage { items: vec![step()], next: None }
}

pub(super) fn position() -> PositionAt {
    PositionAt { ply: 1, position: sample::taken().position }
}

pub(crate) fn stats() -> PlayerStats {
    let (played, won, lost, void) = (41, 23, 18, 1);
    let tally = PlayerTally { rules: "kauri".to_owned(), seat: "south".to_owned(), played, won, lost, void };
    PlayerStats {
        player: "p-17".to_owned(),
        open: 2,
        your_turn: 1,
        played,
        won,
        lost,
        void,
        tallies: vec![tally],
    }
}

pub(super) fn record() -> GameRecord {
    sample::record()
}

/// As it comes: one record a line, and the end.
pub(super) fn export() -> String {
    let record = GameRecord { cursor: Some("0006…".to_owned()), ..record() };
    format!("{}\n{{\"end\":true,\"count\":1}}\n", json!(record))
}

pub(super) fn imported() -> ImportReport {
    ImportReport { imported: 1, ..ImportReport::default() }
}
