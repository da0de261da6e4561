//! Stored games: the use cases. Load, decode, decide, write. No SQL and no HTTP beyond the names of
//! failures.

mod access;
mod answer;
mod call;
mod create;
mod cursor;
mod end;
mod file;
mod follow;
mod play;
mod read;
pub mod sample;
mod wait;
mod wire;

pub use answer::Answer;
pub use call::{Call, Condition, IdempotencyKey};
pub use create::create;
pub use end::{abort, resign};
pub use follow::{FeedFollower, Found, GameFollower};
pub use play::play;
pub use read::{game, list, log, position_at, step, wait};
pub use wire::{
    AbortGame, EventPage, Game, GameEvent, GamePage, GameSeat, ListGames, LogPage, NewGame, NewMove, NewSeat,
    PositionAt, ResignGame, SeatToken, Step, StepTaken,
};
