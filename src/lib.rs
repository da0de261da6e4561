//! Kauri, a game-rules service over HTTP. See `docs/ARCHITECTURE.md` for the shape of it.

mod accept;
pub mod admin;
pub mod api;
pub mod app;
pub mod chores;
pub mod command;
pub mod config;
pub mod connection;
pub mod context;
pub mod credential;
pub mod events;
pub mod games;
mod json;
pub mod limits;
pub mod openapi;
pub mod problem;
pub mod routes;
pub mod server;
pub mod stopping;
pub mod store;
pub mod telemetry;
pub mod timestamp;
pub mod transfer;
pub mod webhooks;
