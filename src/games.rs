//! Stored games: the use cases. Load, decode, decide, write. No SQL and no HTTP beyond the names of
//! failures.

mod access;
mod answer;
mod call;
mod create;
mod cursor;
mod end;
mod export;
mod file;
mod filter;
mod follow;
mod import;
mod list;
pub mod notation;
mod play;
mod player;
mod read;
mod record;
pub mod sample;
mod wait;
mod wire;

pub(crate) use access::{Caller, claim};
pub use answer::Answer;
pub use call::{Call, Condition, IdempotencyKey};
pub(crate) use call::{ROUNDS, crowded};
pub use create::create;
pub use end::{abort, resign};
pub use export::Export;
pub(crate) use file::{decode, encode, raw};
pub use filter::{ExportGames, ListGames, ListPlayersGames};
pub(crate) use filter::{bounded, one_of};
pub(crate) use follow::event;
pub use follow::{FeedFollower, Found, GameFollower};
pub use import::{ImportFailure, ImportReport, Imported, Importer, is_end};
pub use list::list;
pub use play::play;
pub use player::{named, stats};
pub use read::{game, log, position_at, step, wait};
pub use record::{GameRecord, RecordMove, RecordSeat, record};
pub use wire::{
    AbortGame, EventPage, Game, GameEvent, GamePage, GameSeat, LogPage, NewGame, NewMove, NewSeat,
    PlayerStats, PlayerTally, PositionAt, ResignGame, SeatToken, Step, StepTaken,
};
