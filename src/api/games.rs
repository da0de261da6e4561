//! Stored games over HTTP. Each handler reads the request, calls a use case and puts its answer on the wire.

mod example;
mod read;
mod respond;
mod write;

pub(crate) use read::{get_game, get_position, get_step, list_games, list_moves};
pub(crate) use write::{abort_game, create_game, post_move, resign_game};

use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

/// Which game.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct GamePath {
    /// The game's id.
    #[param(value_type = String, example = "01937a5e-0000-7000-8000-000000000001")]
    id: Uuid,
}

/// Which ply of which game.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PlyPath {
    /// The game's id.
    #[param(value_type = String, example = "01937a5e-0000-7000-8000-000000000001")]
    id: Uuid,
    /// How many steps from the start.
    #[param(minimum = 0, example = 1)]
    ply: u32,
}
