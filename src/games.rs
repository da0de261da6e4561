//! Stored games: the use cases. Load, decode, decide, write. No SQL and no HTTP beyond the names of
//! failures.

mod access;
mod answer;
mod call;
mod create;
mod cursor;
mod end;
mod file;
mod filter;
mod list;
mod play;
mod player;
mod read;
pub mod sample;
mod wire;

pub use answer::Answer;
pub use call::{Call, Condition, IdempotencyKey};
pub use create::create;
pub use end::{abort, resign};
pub use filter::{ListGames, ListPlayersGames};
pub use list::list;
pub use play::play;
pub use player::{named, stats};
pub use read::{game, log, position_at, step};
pub use wire::{
    AbortGame, Game, GamePage, GameSeat, LogPage, NewGame, NewMove, NewSeat, PlayerStats, PlayerTally,
    PositionAt, ResignGame, SeatToken, Step, StepTaken,
};
