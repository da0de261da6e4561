//! The service as its callers meet it, in process and on both databases.

mod admin;
mod app;
mod binary;
mod boot;
mod credentials;
mod errors;
mod games;
mod idempotency;
mod order;
mod portal;
mod readme;
mod spec;
mod stateless;
mod store;
