//! What the two databases have in common, said once.

use super::connect;
use super::group::Group;
use super::lent::Lent;
use super::{Result, StoreError};
use sqlx::migrate::Migrator;
use sqlx::{Database, Decode, Encode, Pool, Postgres, Sqlite, Type};
use std::future::poll_fn;
use std::pin::pin;
use tokio::runtime::Handle;

/// A type that both databases read and write alike.
pub(super) trait Scalar<DB: Database>:
    for<'q> Encode<'q, DB> + for<'r> Decode<'r, DB> + Type<DB>
{
}

impl<DB: Database, T> Scalar<DB> for T where T: for<'q> Encode<'q, DB> + for<'r> Decode<'r, DB> + Type<DB> {}

/// Where the databases differ.
pub(super) trait Driver: Database {
    /// Whether one pool both reads and writes, so that the connection of a read can write.
    const ONE_POOL: bool;

    /// The connection that is kept, if one is.
    fn slot(held: &mut Held) -> &mut Option<Lent<Self>>;

    /// The schema.
    fn migrator() -> &'static Migrator;

    /// Whose turn it is, out of a game's state.
    const TO_MOVE: &'static str;

    /// How a statement's plan is asked for, and the column that tells it.
    const EXPLAIN: [&'static str; 2];

    /// How a writing transaction begins. SQLite must take its lock at once: one that begins by reading
    /// can't wait for another writer later.
    const BEGIN: &'static str;

    /// Whether nothing can appear before the event `e` any more.
    const SETTLED: &'static str;
}

impl Driver for Postgres {
    const ONE_POOL: bool = true;
    const TO_MOVE: &'static str = "CAST(g.state AS JSON) ->> 'to_move'";
    const EXPLAIN: [&'static str; 2] =
        ["EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ", "QUERY PLAN"];
    const BEGIN: &'static str = "BEGIN";
    const SETTLED: &'static str = "e.tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
        + (SELECT ahead FROM event_clock)";

    fn slot(held: &mut Held) -> &mut Option<Lent<Self>> {
        &mut held.postgres
    }

    fn migrator() -> &'static Migrator {
        &connect::POSTGRES
    }
}

impl Driver for Sqlite {
    const ONE_POOL: bool = false;
    const TO_MOVE: &'static str = "g.state ->> 'to_move'";
    const EXPLAIN: [&'static str; 2] = ["EXPLAIN QUERY PLAN ", "detail"];
    const BEGIN: &'static str = "BEGIN IMMEDIATE";
    const SETTLED: &'static str = "1 = 1";

    fn slot(held: &mut Held) -> &mut Option<Lent<Self>> {
        &mut held.sqlite
    }

    fn migrator() -> &'static Migrator {
        &connect::SQLITE
    }
}

/// One database, through one driver. Postgres has one pool under both names; SQLite takes one
/// writer at a time, so its writing pool is one connection and its reading pool is read-only.
pub(super) struct SqlStore<DB: Database> {
    writer: Pool<DB>,
    pub(super) reader: Pool<DB>,
    /// Who writes steps, where one after the other may write.
    pub(super) group: Option<Group>,
    /// Where connections are opened. Each of the server's workers has a runtime of its own, which ends with it
    /// and with every connection opened in it, while other workers may still be using those.
    runtime: Handle,
}

/// The connection of a request's first read, kept for what follows it. Given back and taken again it would cost a
/// ping to the server and a turn in the pool's queue; another one could turn out to be dead; and a request that
/// holds one while it waits for another could wait for itself.
#[derive(Debug, Default)]
pub struct Held {
    postgres: Option<Lent<Postgres>>,
    sqlite: Option<Lent<Sqlite>>,
}

impl<DB: Database> Clone for SqlStore<DB> {
    fn clone(&self) -> Self {
        let Self { writer, reader, group, runtime } = self;
        Self {
            writer: writer.clone(),
            reader: reader.clone(),
            group: group.clone(),
            runtime: runtime.clone(),
        }
    }
}

impl<DB: Database> std::fmt::Debug for SqlStore<DB> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SqlStore<{}>", DB::NAME)
    }
}

impl<DB: Driver> SqlStore<DB> {
    /// Connections are opened in the current runtime, whichever uses them.
    pub(super) fn new(writer: Pool<DB>, reader: Pool<DB>, group: Option<Group>) -> Self {
        Self { writer, reader, group, runtime: Handle::current() }
    }

    pub(super) async fn read(&self) -> Result<Lent<DB>> {
        within(&self.runtime, self.reader.acquire()).await.map(Lent::from).map_err(StoreError::from)
    }

    /// Keeps a connection for what follows.
    pub(super) fn hold(connection: Lent<DB>) -> Held {
        let mut held = Held::default();
        *DB::slot(&mut held) = Some(connection);
        held
    }

    /// The connection that is kept, or a new one to keep, for a read.
    pub(super) async fn read_on<'h>(&self, held: &'h mut Held) -> Result<&'h mut Lent<DB>> {
        let slot = DB::slot(held);
        let connection = match slot.take() {
            Some(connection) => connection,
            None => self.read().await?,
        };
        Ok(slot.insert(connection))
    }

    /// The connection that is kept where it can write, or a writing one.
    pub(super) async fn write(&self, mut held: Held) -> Result<Lent<DB>> {
        match DB::slot(&mut held).take() {
            Some(connection) if DB::ONE_POOL => Ok(connection),
            reading => {
                drop(reading);
                within(&self.runtime, self.writer.acquire()).await.map(Lent::from).map_err(StoreError::from)
            }
        }
    }

    pub(super) async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }
}

/// Carries on a future as if in this runtime: what it opens belongs to it.
async fn within<T>(runtime: &Handle, future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    poll_fn(|context| {
        let _entered = runtime.enter();
        future.as_mut().poll(context)
    })
    .await
}

/// An `impl SqlStore` whose every statement runs on both databases.
macro_rules! sql_impl {
    ($($body:tt)*) => {
        impl<DB> $crate::store::driver::SqlStore<DB>
        where
            DB: $crate::store::driver::Driver,
            for<'c> &'c mut DB::Connection: sqlx::Executor<'c, Database = DB>,
            DB::Arguments: sqlx::IntoArguments<DB>,
            for<'i> &'i str: sqlx::ColumnIndex<DB::Row>,
            i64: $crate::store::driver::Scalar<DB>,
            String: $crate::store::driver::Scalar<DB>,
            Vec<u8>: $crate::store::driver::Scalar<DB>,
            uuid::Uuid: $crate::store::driver::Scalar<DB>,
            for<'q> Option<i64>: sqlx::Encode<'q, DB>,
            for<'q> Option<String>: sqlx::Encode<'q, DB>,
            for<'q> Option<Vec<u8>>: sqlx::Encode<'q, DB>,
            for<'q> Option<uuid::Uuid>: sqlx::Encode<'q, DB>,
        {
            $($body)*
        }
    };
}
pub(super) use sql_impl;
