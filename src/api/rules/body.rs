//! What is posted to the rules.

use super::MAX_REPLAY;
use crate::api::extract::{listed, present};
use crate::problem::{Code, Problem};
use kauri_rules::{DynRules, Options, Seat, State};
use serde::Deserialize;
use utoipa::ToSchema;

/// How a game is to start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartRequest {
    /// Who plays; the first listed starts where the rules let it. The usual seats when absent or empty.
    #[serde(default, deserialize_with = "listed")]
    #[schema(nullable = false, max_items = 4)]
    pub(super) seats: Option<Vec<Seat>>,
    /// What is chosen; the usual options when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    pub(super) options: Option<Options>,
}

/// A state to be looked at.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateRequest {
    /// The state.
    pub(super) state: State,
}

/// A move to be tried on a state.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepRequest {
    /// The state before it.
    pub(super) state: State,
    /// The move, or a throw such as `throw:3`. `GET /rules/{rules}` tells how they are written.
    #[schema(example = "a")]
    pub(super) r#move: String,
}

/// Moves to be made one after another, from `state` or from a start with `seats` and `options`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayRequest {
    /// The state before the first move; not together with `seats` or `options`.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    state: Option<State>,
    /// Who plays; the usual seats when absent or empty.
    #[serde(default, deserialize_with = "listed")]
    #[schema(nullable = false, max_items = 4)]
    seats: Option<Vec<Seat>>,
    /// What is chosen; the usual options when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    options: Option<Options>,
    /// The moves and throws, at most 10,000.
    #[schema(max_items = 10_000, example = json!(["a", "A"]))]
    moves: Vec<String>,
}

impl ReplayRequest {
    /// The state to start from, and the moves.
    pub(super) fn start(self, rules: &dyn DynRules) -> Result<(State, Vec<String>), Problem> {
        if self.moves.len() > MAX_REPLAY {
            let message = format!("At most {MAX_REPLAY} moves are taken at once.");
            return Err(Problem::new(Code::InvalidBody).error("/moves", "too_many", message));
        }
        let state = match (self.state, self.seats, self.options) {
            (Some(state), None, None) => state,
            (None, seats, options) => {
                let view = rules.initial(seats.as_deref(), &options.unwrap_or_default());
                view.map_err(|invalid| Problem::invalid_options(&invalid))?.state
            }
            (Some(_), ..) => {
                let message = "A replay starts from a state, or from seats and options.";
                return Err(Problem::new(Code::InvalidOptions).error("/state", "not_with_state", message));
            }
        };
        Ok((state, self.moves))
    }
}
