//! From an address to a migrated store.

use super::driver::SqlStore;
use super::group;
use super::lent::{ACQUIRE, Lender};
use super::news::Channel;
use super::{Database, Result, Store, StoreError};
use crate::config;
use sqlx::Connection;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::pool::PoolOptions;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use std::str::FromStr;
use std::time::Duration;
use tokio::sync::watch;

pub(super) static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");
pub(super) static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");

/// In a cluster whose transactions are numbered lower than those that wrote the events, as after a restore, moves
/// the new ones ahead. What is visible when the first statement runs was written by lower numbers than the second gets.
const MOVE_AHEAD: &str = "DO $$
    DECLARE
        latest BIGINT;
        next BIGINT;
        moved BIGINT;
    BEGIN
        SELECT max(e.tx) INTO latest FROM portals p, LATERAL (
            SELECT tx FROM events WHERE portal_id = p.id ORDER BY tx DESC, seq DESC LIMIT 1) e;
        SELECT ahead, pg_current_xact_id()::text::bigint + ahead INTO moved, next FROM event_clock FOR UPDATE;
        IF latest >= next THEN
            moved := moved + latest - next + 1;
            UPDATE event_clock SET ahead = moved;
            EXECUTE format('ALTER TABLE events ALTER COLUMN tx
                SET DEFAULT (pg_current_xact_id()::text::bigint + %s)', moved);
        END IF;
    END $$";

/// What a connection is told when it is opened. A plan is made once for each connection, perhaps while a table is still
/// empty, and then reading all of it looks best. Nothing here reads a whole table that grows, so such a plan would only
/// be wrong later, for as long as it takes Postgres to count anew. What can't be done otherwise is then thought so dear
/// that it would be compiled first. And who waits for another's lock holds a connection that others wait for.
const SETTINGS: &str = "SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan;
    SET lock_timeout = '3s'";

/// Most connections to Postgres of a store that nobody has taken [`here`](Store::here).
const BESIDE: u32 = 4;
/// How often the migrations of SQLite are tried.
const MIGRATION_TRIES: u32 = 5;
/// How long SQLite waits for another process's lock.
const BUSY: Duration = Duration::from_secs(5);

impl Store {
    /// Connects, creates a SQLite file where there is none, and runs the migrations.
    pub async fn connect(config: &config::Database) -> Result<Self> {
        let (store, migration) = Self::prepare(config).await?;
        migration.run().await?;
        Ok(store)
    }

    /// A store whose database need not be there yet, and the migration without which it is not available.
    /// SQLite, which is always there, is migrated at once.
    pub async fn prepare(config: &config::Database) -> Result<(Self, Migration)> {
        let url = config.database_url.as_str();
        match url.split_once(':').map(|(scheme, _)| scheme) {
            Some("postgres" | "postgresql") => {
                let options = PgConnectOptions::from_str(url)
                    .map_err(|error| StoreError::Address(format!("the database URL can't be read: {error}")))?
                    .application_name("kauri beside");
                let channel = Some(Channel::new(options.clone()));
                let (store, migration) = postgres(options, config.connections(1));
                Ok((Self { database: Database::Postgres(store), channel }, migration))
            }
            Some("sqlite") => {
                let database = Database::Sqlite(sqlite(url, config.connections(1)).await?);
                Ok((Self { database, channel: None }, Migration(None)))
            }
            _ => Err(StoreError::Address("the database URL must start with sqlite: or postgres:".to_owned())),
        }
    }
}

/// Brings a database up to date.
#[derive(Clone)]
pub struct Migration(Option<(PgConnectOptions, watch::Sender<bool>)>);

impl Migration {
    /// Tries once. A database that is not there, or goes away meanwhile, is unavailable: it can be tried again.
    pub async fn run(self) -> Result<()> {
        let Some((options, migrated)) = self.0 else { return Ok(()) };
        let connecting = tokio::time::timeout(ACQUIRE, PgConnection::connect_with(&options)).await;
        let mut connection = connecting.map_err(|_| sqlx::Error::PoolTimedOut)??;
        POSTGRES.run_direct(None, &mut connection, false).await.map_err(|error| match error {
            MigrateError::Execute(error) => StoreError::from(error),
            MigrateError::ExecuteMigration(error, version) => match StoreError::from(error) {
                StoreError::Broken(error) => MigrateError::ExecuteMigration(error, version).into(),
                other => other,
            },
            other => other.into(),
        })?;
        sqlx::raw_sql(MOVE_AHEAD).execute(&mut connection).await?;
        migrated.send_replace(true);
        // All is done; a connection that does not end well does no harm.
        let _ = connection.close().await;
        Ok(())
    }
}

fn postgres(options: PgConnectOptions, connections: u32) -> (SqlStore<sqlx::Postgres>, Migration) {
    let migrated = watch::Sender::new(false);
    let migration = Migration(Some((options.clone(), migrated.clone())));
    let pool = pool::<sqlx::Postgres>(connections.min(BESIDE))
        .after_connect(move |connection, _| {
            let mut migrated = migrated.subscribe();
            // Whoever waits for this connection waits no longer than for any other.
            Box::pin(async move {
                migrated.wait_for(|migrated| *migrated).await.map_err(|_| sqlx::Error::PoolClosed)?;
                sqlx::raw_sql(SETTINGS).execute(connection).await?;
                Ok(())
            })
        })
        .connect_lazy_with(options);
    let lender = Lender::new(pool);
    (SqlStore::new(lender.clone(), lender), migration)
}

async fn sqlite(url: &str, connections: u32) -> Result<SqlStore<sqlx::Sqlite>> {
    let options = SqliteConnectOptions::from_str(url)
        .map_err(|error| StoreError::Address(format!("the database URL can't be read: {error}")))?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY);
    let mut connection = SqliteConnection::connect_with(&options).await?;
    migrate(&mut connection).await?;
    connection.close().await?;
    let writer = pool::<sqlx::Sqlite>(1)
        .after_connect(|connection, _| {
            Box::pin(async move {
                sqlx::raw_sql(group::sqlite::ON_CONNECT).execute(connection).await?;
                Ok(())
            })
        })
        .connect_lazy_with(options.clone());
    let reader = pool::<sqlx::Sqlite>(connections).connect_lazy_with(options.read_only(true));
    Ok(SqlStore::new(Lender::new(writer), Lender::new(reader)))
}

/// Runs the migrations. Another process may be doing so at the same time, for SQLite has no lock for it: who comes
/// second fails on what is there already, and finds at the next try that nothing is left to do.
async fn migrate(connection: &mut SqliteConnection) -> Result<()> {
    let mut failed = 0;
    while let Err(error) = SQLITE.run_direct(None, connection, false).await {
        failed += 1;
        if failed == MIGRATION_TRIES {
            return Err(error.into());
        }
    }
    Ok(())
}

/// A connection is not tried before each use: that would double the round trips. A dead one shows at
/// its first statement, which is a read and tried again.
fn pool<DB: sqlx::Database>(connections: u32) -> PoolOptions<DB> {
    PoolOptions::new()
        .max_connections(connections.max(1))
        .min_connections(0)
        .acquire_timeout(ACQUIRE)
        .test_before_acquire(false)
}
