//! From an address to a migrated store.

use super::driver::SqlStore;
use super::{Database, Result, Store, StoreError};
use crate::config;
use sqlx::migrate::Migrator;
use sqlx::pool::PoolOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use std::str::FromStr;
use std::time::Duration;

pub(super) static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");
pub(super) static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");

/// How long a request waits for a connection before it is told to come back later.
const ACQUIRE: Duration = Duration::from_secs(3);
/// How often the migrations of SQLite are tried.
const MIGRATION_TRIES: u32 = 5;
/// How long SQLite waits for another process's lock.
const BUSY: Duration = Duration::from_secs(5);

impl Store {
    /// Connects, creates a SQLite file where there is none, and runs the migrations.
    pub async fn connect(config: &config::Database) -> Result<Self> {
        let url = config.database_url.as_str();
        match url.split_once(':').map(|(scheme, _)| scheme) {
            Some("postgres" | "postgresql") => {
                postgres(url, config.pool).await.map(|store| Self(Database::Postgres(store)))
            }
            Some("sqlite") => sqlite(url, config.pool).await.map(|store| Self(Database::Sqlite(store))),
            _ => Err(StoreError::Address("the database URL must start with sqlite: or postgres:".to_owned())),
        }
    }
}

async fn postgres(url: &str, connections: u32) -> Result<SqlStore<sqlx::Postgres>> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|error| StoreError::Address(format!("the database URL can't be read: {error}")))?
        .application_name("kauri");
    let pool = pool::<sqlx::Postgres>(connections).connect_with(options).await?;
    POSTGRES.run(&pool).await?;
    Ok(SqlStore::new(pool.clone(), pool))
}

async fn sqlite(url: &str, connections: u32) -> Result<SqlStore<sqlx::Sqlite>> {
    let options = SqliteConnectOptions::from_str(url)
        .map_err(|error| StoreError::Address(format!("the database URL can't be read: {error}")))?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY);
    let writer = pool::<sqlx::Sqlite>(1).connect_with(options.clone()).await?;
    migrate(&writer).await?;
    let reader = pool::<sqlx::Sqlite>(connections).connect_lazy_with(options.read_only(true));
    Ok(SqlStore::new(writer, reader))
}

/// Runs the migrations. Another process may be doing so at the same time, for SQLite has no lock for it: who comes
/// second fails on what is there already, and finds at the next try that nothing is left to do.
async fn migrate(writer: &sqlx::SqlitePool) -> Result<()> {
    let mut failed = 0;
    while let Err(error) = SQLITE.run(writer).await {
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
