//! Proofs that a move counts exactly once, with the real binary, on SQLite and on Postgres: under parallel
//! posts, lost replies, killed servers and databases that come and go.
//!
//! `KAURI_PROOF_SEEDS` says how many histories are tried, `KAURI_PROOF_FIRST_SEED` which comes first, and
//! `KAURI_PROOF_STOPS=messages` has a server stopped before each single message to Postgres instead of
//! around each round trip only.
#![expect(clippy::print_stderr, reason = "the figures of a proof are part of it")]

mod client;
mod database;
mod history;
mod lost;
mod once;
mod outage;
mod process;
mod proxy;
mod scale;
mod stopping;
mod stops;
mod streams;
mod throws;
mod trips;
mod webhooks;
mod wire;

use std::time::Duration;

/// Longest time anything that is waited for may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Turns `async fn NAME(database: Database)` into a test on each database.
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(crate::proof::database::Database::sqlite()).await;
            })+
        }
        mod on_postgres {
            $(#[tokio::test]
            async fn $name() {
                super::$name(crate::proof::database::Database::postgres().await).await;
            })+
        }
    };
}
use on_both;

/// Waits for something that must happen, but not forever.
async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    let Ok(value) = tokio::time::timeout(PATIENCE, future).await else {
        panic!("waited {} s in vain: {what}", PATIENCE.as_secs())
    };
    value
}

/// A number from the environment, or the default.
fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} must be a number")),
        Err(_) => default,
    }
}
