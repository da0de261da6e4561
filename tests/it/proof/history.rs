//! Recorded concurrent histories, checked for linearizability.
//!
//! Several clients play the same games at once, with and without keys, twice at a time, from stale views,
//! hanging up on replies, while servers are killed and started anew. Everything sent and everything answered
//! is recorded; then the log must explain every answer.

mod check;
mod figures;
mod fleet;
mod play;
mod record;
mod table;

use super::database::Database;
use super::setting;
use crate::chance::SplitMix64;
use figures::Figures;
use fleet::Fleet;
use table::Table;

/// How many histories of each kind a run tries when nothing else is said.
const SEEDS: u64 = 2;

#[tokio::test]
async fn on_sqlite() {
    histories(Database::sqlite(), 1).await;
}

#[tokio::test]
async fn on_postgres_from_two_servers() {
    histories(Database::postgres().await, 2).await;
}

async fn histories(database: Database, servers: usize) {
    let first = setting("KAURI_PROOF_FIRST_SEED", 1);
    let count = setting("KAURI_PROOF_SEEDS", SEEDS);
    let (mut figures, mut kills) = (Figures::default(), 0);
    let mut fleet = Fleet::start(&database, servers).await;
    for seed in first..first + count {
        let _named = Named(seed);
        let mut chance = SplitMix64::new(seed);
        let table = Table::lay(fleet.door(), &mut chance).await;
        let killing = fleet.kill_now_and_then(chance.fork(), &table.record().begun());
        table.play(&mut chance).await;
        let times;
        (times, fleet) = killing.stop().await;
        kills += times;
        figures.add(&table.check().await);
    }
    eprintln!(
        "{count} histories from seed {first}, {servers} servers, {kills} kills: {figures}, nothing lost"
    );
}

/// Tells the seed when a history fails.
struct Named(u64);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("this was seed {}: KAURI_PROOF_FIRST_SEED={} KAURI_PROOF_SEEDS=1", self.0, self.0);
        }
    }
}
