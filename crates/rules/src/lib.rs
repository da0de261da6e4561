//! The rules.

pub mod ashta_kashte;
pub mod catalogue;
pub mod kauri;
mod perft;
mod position;
mod reason;
mod registry;
mod seat;
mod wire;

pub use ashta_kashte::AshtaKashte;
pub use kauri::Kauri;
pub use perft::perft;
pub use position::{IllegalMove, Outcome, Places, Position, Turn};
pub use reason::{InvalidOptions, InvalidState, Reason};
pub use registry::{BadMove, DynRules, Played, Refusal, RulesId, UnknownRules};
pub use seat::{Seat, UnknownSeat};
pub use wire::{Chance, Event, Options, Phase, State, View};
