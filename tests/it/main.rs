//! The service as its callers meet it, in process and on both databases.

mod admin;
mod app;
mod binary;
mod boot;
mod errors;
mod readme;
mod spec;
mod stateless;
