//! What the two databases have in common, said once.

use super::Result;
use super::connect;
use super::group::{self, Group, Waiting};
use super::lent::{Lender, Lent};
use futures_util::future::BoxFuture;
use sqlx::migrate::Migrator;
use sqlx::{Connection, Database, Decode, Encode, Postgres, Sqlite, Type};

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

    /// Whether a statement may write in its `WITH` part, and so to several tables.
    const WRITES_IN_WITH: bool;

    /// The connection that is kept, if one is.
    fn slot(held: &mut Held) -> &mut Option<Lent<Self>>;

    /// The schema.
    fn migrator() -> &'static Migrator;

    /// Whose turn it is, out of a game's state.
    const TO_MOVE: &'static str;

    /// Whether a statement is planned once for all values.
    const PLANS_ONCE: bool;

    /// How a statement's plan is asked for, and the column that tells it.
    const EXPLAIN: [&'static str; 2];

    /// How a writing transaction begins. SQLite must take its lock at once: one that begins by reading
    /// can't wait for another writer later.
    const BEGIN: &'static str;

    /// How many transactions of a store write steps at a time.
    const LANES: usize;

    /// Writes steps together, on the connection that is kept where it can write, and tells each what became of it.
    fn write_together(store: SqlStore<Self>, held: Held, group: Vec<Waiting>) -> BoxFuture<'static, ()>;

    /// Whether nothing can appear before the event `e` any more.
    const SETTLED: &'static str;
}

impl Driver for Postgres {
    const ONE_POOL: bool = true;
    const WRITES_IN_WITH: bool = true;
    const PLANS_ONCE: bool = true;
    const TO_MOVE: &'static str = "CAST(g.state AS JSON) ->> 'to_move'";
    const EXPLAIN: [&'static str; 2] =
        ["EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ", "QUERY PLAN"];
    const BEGIN: &'static str = "BEGIN";
    // For each worker: one is executed while another waits for the disk.
    const LANES: usize = 2;
    const SETTLED: &'static str = "e.tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
        + (SELECT ahead FROM event_clock)";

    fn write_together(store: SqlStore<Self>, held: Held, group: Vec<Waiting>) -> BoxFuture<'static, ()> {
        Box::pin(group::postgres::write(store, held, group))
    }

    fn slot(held: &mut Held) -> &mut Option<Lent<Self>> {
        &mut held.postgres
    }

    fn migrator() -> &'static Migrator {
        &connect::POSTGRES
    }
}

impl Driver for Sqlite {
    const ONE_POOL: bool = false;
    const WRITES_IN_WITH: bool = false;
    const PLANS_ONCE: bool = false;
    const TO_MOVE: &'static str = "g.state ->> 'to_move'";
    const EXPLAIN: [&'static str; 2] = ["EXPLAIN QUERY PLAN ", "detail"];
    const BEGIN: &'static str = "BEGIN IMMEDIATE";
    const LANES: usize = 1;
    const SETTLED: &'static str = "1 = 1";

    fn write_together(store: SqlStore<Self>, held: Held, group: Vec<Waiting>) -> BoxFuture<'static, ()> {
        // Kept where it can't write, it is of no use here.
        drop(held);
        Box::pin(group::sqlite::write(store, group))
    }

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
    writer: Lender<DB>,
    pub(super) reader: Lender<DB>,
    /// Where steps wait to be written.
    pub(super) group: Group,
}

/// The connection of a request's first read, kept for what follows it. Given back and taken again it would cost a
/// turn in the queue, and another one could turn out to be dead.
#[derive(Debug, Default)]
pub struct Held {
    postgres: Option<Lent<Postgres>>,
    sqlite: Option<Lent<Sqlite>>,
}

impl<DB: Database> Clone for SqlStore<DB> {
    fn clone(&self) -> Self {
        let Self { writer, reader, group } = self;
        Self { writer: writer.clone(), reader: reader.clone(), group: group.clone() }
    }
}

impl<DB: Database> std::fmt::Debug for SqlStore<DB> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SqlStore<{}>", DB::NAME)
    }
}

impl SqlStore<Postgres> {
    /// The same database over connections of its own, opened in the current runtime and for its use alone.
    pub(super) fn here(&self, connections: u32) -> Self {
        let lender = self.reader.here(connections, |options| options.application_name("kauri"));
        Self::new(lender.clone(), lender)
    }
}

impl<DB: Driver> SqlStore<DB> {
    pub(super) fn new(writer: Lender<DB>, reader: Lender<DB>) -> Self {
        Self { writer, reader, group: Group::new(DB::LANES) }
    }

    pub(super) async fn read(&self) -> Result<Lent<DB>> {
        self.reader.lend().await
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
                self.writer.lend().await
            }
        }
    }

    /// The same, but one that has just answered: either to the read that it was kept from, or to a ping.
    pub(super) async fn write_alive(&self, held: Held) -> Result<Lent<DB>> {
        let mut held = held;
        if let Some(connection) = DB::slot(&mut held).take() {
            return Ok(connection);
        }
        let mut dead = 0;
        loop {
            let mut connection = self.writer.lend().await?;
            match connection.ping().await {
                Ok(()) => return Ok(connection),
                Err(error) if dead == self.writer.most() => return Err(error.into()),
                Err(_) => dead += 1,
            }
        }
    }

    pub(super) async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }
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
