//! Kauri, a game-rules service over HTTP. See `docs/ARCHITECTURE.md` for the shape of it.

pub mod chores;
pub mod config;
pub mod context;
pub mod credential;
pub mod problem;
pub mod store;
pub mod telemetry;
pub mod timestamp;
