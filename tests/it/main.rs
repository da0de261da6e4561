//! The service as its callers meet it, in process and on both databases.
#![expect(clippy::unwrap_used, reason = "a test that can't go on says so by panicking")]

mod app;
mod boot;
mod errors;
mod spec;
mod stateless;
