//! A connection to a database beside the service's own.

use crate::app::Database;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};

pub(crate) enum Beside {
    Postgres(PgConnection),
    Sqlite(SqliteConnection),
}

impl Beside {
    pub(crate) async fn open(database: &Database) -> Self {
        let url = database.config().database_url;
        if url.starts_with("sqlite") {
            Self::Sqlite(SqliteConnection::connect(&format!("{url}?mode=rwc")).await.unwrap())
        } else {
            Self::Postgres(PgConnection::connect(&url).await.unwrap())
        }
    }

    /// The schema as it was before games could be found by all that they are found by now.
    pub(crate) async fn migrate_before(&mut self, version: i64) {
        let before = |migrator: sqlx::migrate::Migrator| {
            let mut migrator = migrator;
            migrator.migrations.to_mut().retain(|migration| migration.version < version);
            migrator
        };
        match self {
            Self::Postgres(connection) => {
                before(sqlx::migrate!("migrations/postgres")).run(connection).await.unwrap();
            }
            Self::Sqlite(connection) => {
                before(sqlx::migrate!("migrations/sqlite")).run(connection).await.unwrap();
            }
        }
    }

    pub(crate) async fn run(&mut self, sql: String) {
        match self {
            Self::Postgres(connection) => {
                sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.unwrap();
            }
            Self::Sqlite(connection) => {
                sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.unwrap();
            }
        }
    }

    /// Bytes as they are written in a statement.
    pub(crate) fn bytes(&self, hex: &str) -> String {
        match self {
            Self::Postgres(_) => format!("'\\x{hex}'::bytea"),
            Self::Sqlite(_) => format!("x'{hex}'"),
        }
    }

    /// An id as it is written in a statement.
    pub(crate) fn id(&self, id: uuid::Uuid) -> String {
        match self {
            Self::Postgres(_) => format!("'{id}'::uuid"),
            Self::Sqlite(_) => format!("x'{}'", id.simple()),
        }
    }

    pub(crate) async fn close(self) {
        match self {
            Self::Postgres(connection) => connection.close().await.unwrap(),
            Self::Sqlite(connection) => connection.close().await.unwrap(),
        }
    }
}
