//! The rules from outside.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ashta_kashte;
mod boards;
mod catalogue;
mod games;
mod gate;
mod kauri;
mod laws;
mod perft;
mod plain_ashta_kashte;
mod plain_kauri;
mod playthroughs;
#[cfg(feature = "openapi")]
mod schema;
mod strange;
