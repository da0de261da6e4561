//! A database of its own for each test.

use sqlx::{AssertSqlSafe, Connection, Row};
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

/// A fresh database; a SQLite file goes when this is dropped, a Postgres database with its cluster.
pub(super) struct Database {
    url: String,
    folder: Option<TempDir>,
}

impl Database {
    /// A SQLite file in a folder of its own.
    pub(super) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("kauri.db").display());
        Self { url, folder: Some(folder) }
    }

    /// A database of the Postgres cluster that `scripts/test` starts.
    pub(super) async fn postgres() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let admin = std::env::var("KAURI_TEST_POSTGRES_URL")
            .expect("KAURI_TEST_POSTGRES_URL is not set: run scripts/test");
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("proof_{}_{count}", std::process::id());
        let mut connection = sqlx::PgConnection::connect(&admin).await.unwrap();
        let create = format!("CREATE DATABASE {name}");
        sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        let (server, _) = admin.rsplit_once('/').expect("the URL ends with a database's name");
        Self { url: format!("{server}/{name}"), folder: None }
    }

    pub(super) fn is_postgres(&self) -> bool {
        self.folder.is_none()
    }

    /// What `--database-url` takes.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The address of the Postgres server.
    pub(super) fn server(&self) -> &str {
        let (_, rest) = self.url.split_once('@').expect("the URL names a user");
        rest.split_once('/').expect("the URL names a database").0
    }

    /// The URL of the same database by way of another address.
    pub(super) fn by_way_of(&self, address: std::net::SocketAddr) -> String {
        self.url.replace(self.server(), &address.to_string())
    }

    /// How many rows a table has.
    pub(super) async fn count(&self, table: &str) -> i64 {
        let sql = AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        if self.is_postgres() {
            let mut connection = sqlx::PgConnection::connect(&self.url).await.unwrap();
            sqlx::query(sql).fetch_one(&mut connection).await.unwrap().get(0)
        } else {
            let mut connection = sqlx::SqliteConnection::connect(&self.url).await.unwrap();
            sqlx::query(sql).fetch_one(&mut connection).await.unwrap().get(0)
        }
    }

    /// The first column of what a query on Postgres finds, sorted.
    pub(super) async fn texts(&self, sql: &'static str) -> Vec<String> {
        let mut connection = sqlx::PgConnection::connect(&self.url).await.unwrap();
        let rows = sqlx::query(sql).fetch_all(&mut connection).await.unwrap();
        let mut texts: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        texts.sort();
        texts
    }
}
