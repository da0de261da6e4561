//! What is answered about positions and steps.

use kauri_rules::{Chance, Event, IllegalMove, Outcome, Phase, Played, Seat, State, View};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use utoipa::ToSchema;

/// A state and what can be done with it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Position {
    /// The state, in its canonical form.
    pub state: State,
    /// What is expected next: `move`, `throw` (of the shells) or `over`.
    #[schema(value_type = String, example = "move")]
    pub phase: Phase,
    /// The moves that may be made, in the rules' order; empty when over.
    #[schema(value_type = Vec<String>, max_items = 64, example = json!(["a", "b", "c", "d", "e", "f"]))]
    pub legal_moves: Vec<&'static str>,
    /// How the game ended; there exactly when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<GameResult>,
    /// The ways the shells can fall, with weights; where shells are to be thrown and the caller may state how.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_items = 5)]
    pub outcomes: Option<Vec<Chance>>,
}

impl From<View> for Position {
    fn from(view: View) -> Self {
        Self {
            state: view.state,
            phase: view.phase,
            legal_moves: view.legal_moves,
            result: view.result.map(GameResult::from),
            outcomes: None,
        }
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GameResult {
    /// Who won, where somebody did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub winner: Option<Seat>,
    /// Why it ended: by the rules `majority` (K9), `tie_break` (K10) or `finished` (A16); a stored game also by
    /// `resignation`. New reasons may be added.
    #[schema(value_type = String, example = "majority")]
    pub reason: Cow<'static, str>,
    /// Who resigned, where that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub seat: Option<Seat>,
    /// Every seat from first to last, where more than the winner is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(nullable = false, required = false, min_items = 2, max_items = 4)]
    pub places: Vec<Seat>,
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        Self {
            winner: Some(outcome.winner),
            reason: Cow::Borrowed(outcome.reason),
            seat: None,
            places: outcome.places.iter().collect(),
        }
    }
}

/// A step that was made, and the position after it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Applied {
    /// The state after the step, in its canonical form.
    pub state: State,
    /// What is expected next: `move`, `throw` (of the shells) or `over`.
    #[schema(value_type = String, example = "move")]
    pub phase: Phase,
    /// The moves that may be made, in the rules' order; empty when over.
    #[schema(value_type = Vec<String>, max_items = 64)]
    pub legal_moves: Vec<&'static str>,
    /// How the game ended; there exactly when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<GameResult>,
    /// What happened in the step, in order.
    #[schema(max_items = 200)]
    pub events: Vec<Event>,
}

impl Applied {
    /// The answer to a step.
    #[must_use]
    pub fn new(view: View, events: Vec<Event>) -> Self {
        Self {
            state: view.state,
            phase: view.phase,
            legal_moves: view.legal_moves,
            result: view.result.map(GameResult::from),
            events,
        }
    }
}

/// Whether a move is legal, and if not, why.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Validation {
    /// Whether it may be made.
    pub legal: bool,
    /// The stable name of the reason against it, such as `no_cowrie`. `GET /rules/{rules}` lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "no_cowrie")]
    pub code: Option<&'static str>,
    /// The clause that forbids it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "K3")]
    pub clause: Option<&'static str>,
    /// The reason in a sentence, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message: Option<&'static str>,
}

impl Validation {
    /// The answer for a move that may be made.
    pub const LEGAL: Self = Self { legal: true, code: None, clause: None, message: None };
}

impl From<IllegalMove> for Validation {
    fn from(illegal: IllegalMove) -> Self {
        Self {
            legal: false,
            code: Some(illegal.code),
            clause: illegal.clause,
            message: Some(illegal.message),
        }
    }
}

/// Many steps, and the position after them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Replayed {
    /// The state after the last step, in its canonical form.
    pub state: State,
    /// What is expected next: `move`, `throw` (of the shells) or `over`.
    #[schema(value_type = String, example = "move")]
    pub phase: Phase,
    /// The moves that may be made, in the rules' order; empty when over.
    #[schema(value_type = Vec<String>, max_items = 64)]
    pub legal_moves: Vec<&'static str>,
    /// How the game ended; there exactly when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<GameResult>,
    /// Every step, in order.
    #[schema(max_items = 10_000)]
    pub steps: Vec<ReplayedStep>,
}

impl Replayed {
    /// The answer to a replay.
    #[must_use]
    pub fn new(view: View, steps: Vec<ReplayedStep>) -> Self {
        Self {
            state: view.state,
            phase: view.phase,
            legal_moves: view.legal_moves,
            result: view.result.map(GameResult::from),
            steps,
        }
    }
}

/// One step of a replay.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReplayedStep {
    /// The move or throw, as it was posted.
    #[schema(value_type = String, example = "a")]
    pub r#move: &'static str,
    /// Who made it, or for whom the shells fell.
    pub seat: Seat,
    /// What happened in it, in order.
    #[schema(max_items = 200)]
    pub events: Vec<Event>,
}

impl From<Played> for ReplayedStep {
    fn from(played: Played) -> Self {
        Self { r#move: played.r#move, seat: played.seat, events: played.events }
    }
}
