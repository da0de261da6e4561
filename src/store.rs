//! Games, logs and keys in Postgres or SQLite. Rows in, rows out; no rules, no HTTP.
//!
//! Each statement stands once and runs on both databases; the test suite runs every one on both.

mod change;
mod connect;
mod create;
mod deliveries;
mod driver;
mod facets;
mod feed;
mod group;
mod import;
mod keys;
mod lent;
mod list;
mod log;
mod news;
mod open;
mod players;
mod row;
mod secrets;
mod webhooks;

pub use connect::Migration;
pub use deliveries::{Attempt, DeliveryRow, ToDeliver};
pub use feed::{CREATED, ENDED, EventRow, IMPORTED, NoPosition, Position, STEP, Trace};
pub use news::News;
pub use row::{
    CallerRow, Change, Claim, Clock, GameFilter, GameRow, Keep, KeptAnswer, KeyRow, Opened, OpenedPortal,
    PlayerRow, PortalRow, SeatRow, Slot, StepRow, TallyRow, Written,
};
pub use webhooks::{Made, WebhookChange, WebhookRow};

use crate::timestamp::Timestamp;
pub use driver::Held;
use driver::SqlStore;
use news::Channel;
use sqlx::{Postgres, Sqlite};
use uuid::Uuid;

/// Where games are kept; cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    database: Database,
    /// Where other processes can be on the same database at once.
    channel: Option<Channel>,
}

#[derive(Clone, Debug)]
enum Database {
    /// For production.
    Postgres(SqlStore<Postgres>),
    /// Embedded, the default.
    Sqlite(SqlStore<Sqlite>),
}

/// A database operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database can't be reached, is overloaded, full or stopping. Trying again may help.
    #[error("the database is not available: {0}")]
    Unavailable(#[source] sqlx::Error),
    /// Something is wrong with the statement or what is stored. Trying again does not help.
    #[error("the database failed: {0}")]
    Broken(#[source] sqlx::Error),
    /// The migrations could not be run.
    #[error("the database could not be migrated: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The address names no database this service can use.
    #[error("{0}")]
    Address(String),
    /// What is stored is not what this service writes.
    #[error("the database holds {0}")]
    Corrupt(&'static str),
}

type Result<T, E = StoreError> = std::result::Result<T, E>;

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error as E;
        let passing = match &error {
            E::Io(_) | E::Tls(_) | E::Protocol(_) | E::PoolTimedOut | E::PoolClosed | E::WorkerCrashed => {
                true
            }
            E::Database(database) => database.code().is_some_and(|code| is_passing(&code)),
            _ => false,
        };
        if passing { Self::Unavailable(error) } else { Self::Broken(error) }
    }
}

/// Whether a database's own code means "not now": Postgres classes 08 (connection), 40 (rolled back),
/// 53 (resources), 57 (shut down) and, as during maintenance and failover, a database closed to connections
/// or to writes; SQLite's BUSY, LOCKED, READONLY, IOERR, FULL and CANTOPEN.
fn is_passing(code: &str) -> bool {
    let class = ["08", "40", "53", "57"].iter().any(|class| code.starts_with(class));
    let postgres = code.len() == 5 && (class || ["25006", "55000", "55P03"].contains(&code));
    let sqlite = code.parse::<i32>().is_ok_and(|code| matches!(code & 0xff, 5 | 6 | 8 | 10 | 13 | 14));
    postgres || (code.len() < 5 && sqlite)
}

/// Calls the same method of whichever database it is.
macro_rules! on {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match &$self.database {
            Database::Postgres(store) => store.$method($($argument),*).await,
            Database::Sqlite(store) => store.$method($($argument),*).await,
        }
    };
}

impl Store {
    /// Whether the database answers and is migrated.
    pub async fn ready(&self) -> Result<()> {
        on!(self.ready())
    }

    /// The same store for the use of the current runtime alone, with at most so many connections of its own to Postgres:
    /// a connection belongs to the runtime in which it was opened, and whoever uses it elsewhere wakes both.
    #[must_use]
    pub fn here(&self, connections: u32) -> Self {
        match &self.database {
            Database::Postgres(store) => {
                Self { database: Database::Postgres(store.here(connections)), channel: self.channel.clone() }
            }
            // SQLite's connections have threads of their own.
            Database::Sqlite(_) => self.clone(),
        }
    }

    /// Closes every connection; later calls fail as unavailable.
    pub async fn close(&self) {
        if let Some(channel) = &self.channel {
            channel.close().await;
        }
        on!(self.close());
    }

    /// The one read of a request on a game: who calls, the game if it is of the caller's portal, the
    /// answer kept in `slot`, the step at `ply`. None when no such credential exists.
    pub async fn open(
        &self,
        claim: &Claim,
        game: Uuid,
        slot: Option<&Slot>,
        ply: Option<i64>,
        now: Timestamp,
    ) -> Result<Option<Opened>> {
        on!(self.open(claim, game, slot, ply, now))
    }

    /// The one read of a request to a portal: who calls, the answer kept in `slot`, and the game behind
    /// `external_ref`. None when no such credential exists.
    pub async fn open_portal(
        &self,
        claim: &Claim,
        slot: Option<&Slot>,
        external_ref: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<OpenedPortal>> {
        on!(self.open_portal(claim, slot, external_ref, now))
    }

    /// Writes a new game with its seats, its external reference (with the hash of the body that made
    /// it) and the answer to keep, all or nothing. False when the reference or the slot is taken.
    pub async fn create(
        &self,
        game: &GameRow,
        seats: &[SeatRow],
        body_hash: &[u8],
        keep: Option<&Keep>,
        held: Held,
    ) -> Result<bool> {
        on!(self.create(game, seats, body_hash, keep, held))
    }

    /// Writes a change, all or nothing, on the connection of the read that led to it. False when the game
    /// has moved on or ended meanwhile.
    pub async fn change(&self, change: &Change, held: Held) -> Result<bool> {
        on!(self.change(change, held))
    }

    /// Writes a game that was played elsewhere, with its log, all or nothing.
    pub async fn import(
        &self,
        game: &GameRow,
        seats: &[SeatRow],
        steps: &[StepRow],
        now: Timestamp,
    ) -> Result<Written> {
        on!(self.import(game, seats, steps, now))
    }

    /// The portal of this name.
    pub async fn portal_named(&self, name: &str) -> Result<Option<Uuid>> {
        on!(self.portal_named(name))
    }

    /// The steps after a ply, at most `limit`.
    pub async fn steps(&self, game: Uuid, after: i64, limit: i64, held: &mut Held) -> Result<Vec<StepRow>> {
        on!(self.steps(game, after, limit, held))
    }

    /// The names of the first `plies` steps.
    pub async fn moves(&self, game: Uuid, plies: i64, held: &mut Held) -> Result<Vec<String>> {
        on!(self.moves(game, plies, held))
    }

    /// How many different seats have made a step.
    pub async fn seats_moved(&self, game: Uuid, held: &mut Held) -> Result<i64> {
        on!(self.seats_moved(game, held))
    }

    /// A page of a portal's games.
    pub async fn games(&self, portal: Uuid, filter: &GameFilter, held: &mut Held) -> Result<Vec<GameRow>> {
        on!(self.games(portal, filter, held))
    }

    /// A portal's events after a position, those before which nothing can appear any more; at most `limit`.
    pub async fn feed(
        &self,
        portal: Uuid,
        after: Position,
        limit: i64,
        held: &mut Held,
    ) -> Result<Vec<EventRow>> {
        on!(self.feed(portal, after, limit, held))
    }

    /// Which games have events after a position, at most `limit`; also such as others may still appear before.
    pub async fn traces(&self, portal: Uuid, after: Position, limit: i64) -> Result<Vec<Trace>> {
        on!(self.traces(portal, after, limit))
    }

    /// Where a portal's events end, now.
    pub async fn feed_end(&self, portal: Uuid) -> Result<Position> {
        on!(self.feed_end(portal))
    }

    /// Whether other processes can be on the same database without being seen from here.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.channel.is_some()
    }

    /// Tells other processes that there are new events, and who tells.
    pub async fn tell_others(&self, who: &str) -> Result<()> {
        match &self.channel {
            Some(channel) => channel.tell(who).await,
            None => Ok(()),
        }
    }

    /// What other processes tell, where there can be any.
    pub async fn news(&self) -> Result<Option<News>> {
        match &self.channel {
            Some(channel) => channel.listen().await.map(Some),
            None => Ok(None),
        }
    }

    /// How the database finds such a page, in its own words.
    pub async fn games_plan(&self, portal: Uuid, filter: &GameFilter) -> Result<Vec<String>> {
        on!(self.plan(portal, filter))
    }

    /// What is counted about a player of a portal.
    pub async fn player(&self, portal: Uuid, player: &str, held: &mut Held) -> Result<PlayerRow> {
        on!(self.player(portal, player, held))
    }

    /// The secret of this name; `fresh` becomes it when there is none.
    pub async fn secret(&self, name: &str, fresh: &[u8], now: Timestamp) -> Result<Vec<u8>> {
        on!(self.secret(name, fresh, now))
    }

    /// Makes an endpoint of webhooks, unless the portal has `most` already, and keeps the answer, all or nothing.
    pub async fn create_webhook(
        &self,
        webhook: &WebhookRow,
        most: i64,
        keep: Option<&Keep>,
        held: Held,
    ) -> Result<Made> {
        on!(self.create_webhook(webhook, most, keep, held))
    }

    /// A portal's endpoints, oldest first.
    pub async fn webhooks(&self, portal: Uuid, held: &mut Held) -> Result<Vec<WebhookRow>> {
        on!(self.webhooks(portal, held))
    }

    /// One endpoint, if it is the portal's.
    pub async fn webhook(&self, portal: Uuid, id: Uuid, held: &mut Held) -> Result<Option<WebhookRow>> {
        on!(self.webhook(portal, id, held))
    }

    /// Changes an endpoint; none when the portal has no such.
    pub async fn change_webhook(
        &self,
        portal: Uuid,
        id: Uuid,
        change: &WebhookChange,
        now: Timestamp,
        held: Held,
    ) -> Result<Option<WebhookRow>> {
        on!(self.change_webhook(portal, id, change, now, held))
    }

    /// Replaces an endpoint's secrets; false when they are no longer those of the row.
    pub async fn rotate_webhook(
        &self,
        webhook: &WebhookRow,
        secrets: &str,
        now: Timestamp,
        held: Held,
    ) -> Result<bool> {
        on!(self.rotate_webhook(webhook, secrets, now, held))
    }

    /// Puts an endpoint out of reach; false when the portal has no such.
    pub async fn delete_webhook(&self, portal: Uuid, id: Uuid, held: Held) -> Result<bool> {
        on!(self.delete_webhook(portal, id, held))
    }

    /// Every enabled endpoint and its portal.
    pub async fn live_webhooks(&self) -> Result<Vec<(Uuid, Uuid)>> {
        on!(self.live_webhooks())
    }

    /// An endpoint, if it is enabled.
    pub async fn enabled_webhook(&self, id: Uuid) -> Result<Option<WebhookRow>> {
        on!(self.enabled_webhook(id))
    }

    /// Takes an enabled endpoint to deliver to, or keeps it longer; none while another process has it.
    pub async fn lease_webhook(
        &self,
        id: Uuid,
        by: Uuid,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<WebhookRow>> {
        on!(self.lease_webhook(id, by, now, until))
    }

    /// Lets others have an endpoint.
    pub async fn release_webhook(&self, id: Uuid, by: Uuid) -> Result<()> {
        on!(self.release_webhook(id, by))
    }

    /// Makes deliveries of events and moves the endpoint's place, all or nothing. False when it was moved meanwhile.
    pub async fn fan_out(
        &self,
        endpoint: Uuid,
        from: Position,
        to: Position,
        deliveries: &[ToDeliver],
        now: Timestamp,
    ) -> Result<bool> {
        on!(self.fan_out(endpoint, from, to, deliveries, now))
    }

    /// The deliveries whose time has come, at most `limit`.
    pub async fn due_deliveries(
        &self,
        endpoint: Uuid,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<DeliveryRow>> {
        on!(self.due_deliveries(endpoint, now, limit))
    }

    /// When the next delivery is due.
    pub async fn next_delivery(&self, endpoint: Uuid) -> Result<Option<Timestamp>> {
        on!(self.next_delivery(endpoint))
    }

    /// Writes down what came of an attempt, and has the next one of the game's line step up.
    pub async fn record_attempt(&self, delivery: &DeliveryRow, attempt: &Attempt) -> Result<()> {
        on!(self.record_attempt(delivery, attempt))
    }

    /// A page of an endpoint's deliveries, newest event first.
    pub async fn deliveries(
        &self,
        endpoint: Uuid,
        status: Option<&str>,
        before: Option<Position>,
        limit: i64,
        held: &mut Held,
    ) -> Result<Vec<DeliveryRow>> {
        on!(self.deliveries(endpoint, status, before, limit, held))
    }

    /// One delivery.
    pub async fn delivery(
        &self,
        endpoint: Uuid,
        position: Position,
        held: &mut Held,
    ) -> Result<Option<DeliveryRow>> {
        on!(self.delivery(endpoint, position, held))
    }

    /// Has a delivery made again from the beginning; none when there is none.
    pub async fn redeliver(
        &self,
        endpoint: Uuid,
        position: Position,
        now: Timestamp,
        held: Held,
    ) -> Result<Option<DeliveryRow>> {
        on!(self.redeliver(endpoint, position, now, held))
    }

    /// When the oldest delivery that is still to be made, to an enabled endpoint, was due first.
    pub async fn oldest_delivery(&self) -> Result<Option<Timestamp>> {
        on!(self.oldest_delivery())
    }

    /// Forgets deliveries that were finished before a time; how many.
    pub async fn sweep_deliveries(&self, before: Timestamp) -> Result<u64> {
        on!(self.sweep_deliveries(before))
    }

    /// Forgets deleted endpoints and their deliveries; how many of these.
    pub async fn sweep_webhooks(&self) -> Result<u64> {
        on!(self.sweep_webhooks())
    }

    /// Forgets kept answers that have expired; how many.
    pub async fn sweep(&self, now: Timestamp) -> Result<u64> {
        on!(self.sweep(now))
    }

    /// Whether any portal key was ever made, revoked ones included.
    pub async fn has_portal_keys(&self) -> Result<bool> {
        on!(self.has_portal_keys())
    }

    /// Makes a portal key, and its portal when there is none of that name.
    pub async fn create_key(&self, portal: Uuid, key: &KeyRow, secret_hash: &[u8]) -> Result<()> {
        on!(self.create_key(portal, key, secret_hash))
    }

    /// The portal keys, oldest first.
    pub async fn keys(&self, portal: Option<&str>) -> Result<Vec<KeyRow>> {
        on!(self.keys(portal))
    }

    /// Revokes a key; false when there is no such key.
    pub async fn revoke_key(&self, id: &str, now: Timestamp) -> Result<bool> {
        on!(self.revoke_key(id, now))
    }

    /// Notes when a key was last used.
    pub async fn touch_key(&self, id: &str, at: Timestamp) -> Result<()> {
        on!(self.touch_key(id, at))
    }

    /// The portals, by name.
    pub async fn portals(&self) -> Result<Vec<PortalRow>> {
        on!(self.portals())
    }

    /// Makes a portal strict or lenient; false when there is no such portal.
    pub async fn set_strict(&self, name: &str, strict: bool) -> Result<bool> {
        on!(self.set_strict(name, strict))
    }
}

#[cfg(test)]
mod tests {
    use super::is_passing;

    #[test]
    fn what_passes_is_told_from_what_is_broken() {
        for code in ["08006", "40001", "53300", "57P01", "25006", "55000", "55P03", "5", "517", "8", "13"] {
            assert!(is_passing(code), "{code}");
        }
        for code in ["22021", "23505", "28P01", "3D000", "42P01", "55006", "1", "11", "19", "2067", ""] {
            assert!(!is_passing(code), "{code}");
        }
    }
}
