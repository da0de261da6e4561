//! The service as its callers meet it, in process and on both databases.

mod app;
mod boot;
mod errors;
mod spec;
mod stateless;
