//! The service as its callers meet it, in process and on both databases.

mod app;
mod boot;
mod credentials;
mod errors;
mod games;
mod idempotency;
mod order;
mod portal;
mod proof;
mod spec;
mod stateless;
mod store;
