//! Lists of games: every filter and order, page by page, against a plain model; and how they are found.

mod law;
mod model;
mod over_http;
mod plans;

use crate::app::Database;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};

/// A connection beside the service's own.
enum Beside {
    Postgres(PgConnection),
    Sqlite(SqliteConnection),
}

impl Beside {
    async fn open(database: &Database) -> Self {
        let url = database.config().database_url;
        if url.starts_with("sqlite") {
            Self::Sqlite(SqliteConnection::connect(&format!("{url}?mode=rwc")).await.unwrap())
        } else {
            Self::Postgres(PgConnection::connect(&url).await.unwrap())
        }
    }

    /// The schema as it was before games could be found by all that they are found by now.
    async fn migrate_before(&mut self, version: i64) {
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

    async fn run(&mut self, sql: String) {
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
    fn bytes(&self, hex: &str) -> String {
        match self {
            Self::Postgres(_) => format!("'\\x{hex}'::bytea"),
            Self::Sqlite(_) => format!("x'{hex}'"),
        }
    }

    /// An id as it is written in a statement.
    fn id(&self, id: uuid::Uuid) -> String {
        match self {
            Self::Postgres(_) => format!("'{id}'::uuid"),
            Self::Sqlite(_) => format!("x'{}'", id.simple()),
        }
    }

    async fn close(self) {
        match self {
            Self::Postgres(connection) => connection.close().await.unwrap(),
            Self::Sqlite(connection) => connection.close().await.unwrap(),
        }
    }
}
