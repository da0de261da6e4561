//! The service as its callers meet it, in process and on both databases.
#![expect(clippy::unwrap_used, reason = "what a test can't go on without is a failure of the test")]

mod absent;
mod admin;
mod app;
mod beside;
mod binary;
mod boot;
mod chance;
mod credentials;
mod errors;
mod events;
mod games;
mod idempotency;
mod limits;
mod listing;
mod order;
mod portal;
mod proof;
mod readme;
mod records;
mod secrets;
mod spec;
mod stateless;
mod store;
mod transfer;
mod webhooks;
