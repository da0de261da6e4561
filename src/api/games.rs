//! Stored games over HTTP. Each handler reads the request, calls a use case and puts its answer on the wire.

pub(super) mod example;
mod read;
mod record;
pub(super) mod respond;
mod write;

pub(crate) use read::{get_game, get_position, get_step, list_games, list_moves};
pub(crate) use record::{export_games, get_record, import_games};
pub(super) use respond::REPLAYED;
pub(crate) use write::{abort_game, create_game, post_move, resign_game};

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use utoipa::IntoParams;
use uuid::Uuid;

/// Which game.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct GamePath {
    /// The game's id, as the service spells it.
    #[serde(deserialize_with = "id")]
    #[param(value_type = String, format = "game-id", example = "01937a5e-0000-7000-8000-000000000001")]
    pub(super) id: Uuid,
}

/// Which ply of which game.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PlyPath {
    /// The game's id, as the service spells it.
    #[serde(deserialize_with = "id")]
    #[param(value_type = String, format = "game-id", example = "01937a5e-0000-7000-8000-000000000001")]
    id: Uuid,
    /// How many steps from the start.
    #[param(minimum = 0, example = 1)]
    ply: i64,
}

/// Ids are opaque: one that is spelt in another way than the service does is none of its own.
pub(super) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
    let text = String::deserialize(deserializer)?;
    let id = Uuid::try_parse(&text).ok().filter(|id| id.hyphenated().to_string() == text);
    id.ok_or_else(|| D::Error::custom("an id of a game is needed"))
}
