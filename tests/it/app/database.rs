//! A database for one test.

use kauri::config;
use kauri::store::Store;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

/// The variable that names a Postgres server in which databases may be made.
const SERVER: &str = "KAURI_TEST_POSTGRES_URL";

/// An empty database, gone when dropped.
pub(crate) struct Database {
    url: String,
    home: Home,
}

enum Home {
    Folder { _folder: TempDir },
    Server { url: String, name: String },
}

impl Database {
    #[expect(clippy::unused_async, reason = "the macro treats it like its sibling")]
    pub(crate) async fn sqlite() -> Self {
        let folder = TempDir::new().unwrap();
        let url = format!("sqlite://{}", folder.path().join("kauri.db").display());
        Self { url, home: Home::Folder { _folder: folder } }
    }

    pub(crate) async fn postgres() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var(SERVER).unwrap_or_else(|_| {
            panic!("{SERVER} is not set: run `scripts/test tests`, or `scripts/postgres start`")
        });
        let name = format!("kauri_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        run(&server, format!("CREATE DATABASE {name}")).await;
        Self { url: beside(&server, &name), home: Home::Server { url: server, name } }
    }

    pub(crate) fn config(&self) -> config::Database {
        config::Database { database_url: self.url.clone(), pool: 4 }
    }

    /// A store on it, migrated.
    pub(crate) async fn store(&self) -> Store {
        Store::connect(&self.config()).await.unwrap()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Home::Server { url, name } = &self.home else { return };
        let (url, name) = (url.clone(), name.clone());
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(run(&url, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")));
        });
        // The server is thrown away with all that is left in it.
        let _ = dropping.join();
    }
}

async fn run(server: &str, statement: String) {
    let mut connection = PgConnection::connect(server).await.unwrap();
    sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

/// The URL of another database on the same server.
fn beside(server: &str, name: &str) -> String {
    let (address, parameters) = server.split_once('?').unwrap_or((server, ""));
    let host =
        address.split_once("://").map_or(address, |(_, rest)| rest).split('/').next().unwrap_or_default();
    let parameters = if parameters.is_empty() { String::new() } else { format!("?{parameters}") };
    format!("postgres://{host}/{name}{parameters}")
}
