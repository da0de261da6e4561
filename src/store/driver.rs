//! What the two databases have in common, said once.

use super::lent::Lent;
use super::{Result, StoreError};
use sqlx::{Database, Decode, Encode, Pool, Postgres, Sqlite, Type};

/// A type that both databases read and write alike.
pub(super) trait Scalar<DB: Database>:
    for<'q> Encode<'q, DB> + for<'r> Decode<'r, DB> + Type<DB>
{
}

impl<DB: Database, T> Scalar<DB> for T where T: for<'q> Encode<'q, DB> + for<'r> Decode<'r, DB> + Type<DB> {}

/// Where the databases differ.
pub(super) trait Driver: Database {
    /// Whether a statement may write in its `WITH` part, so that a step and all that belongs to it
    /// is one round trip.
    const WRITES_IN_WITH: bool;

    /// Keeps a reading connection for a write, where it can.
    fn hold(connection: Lent<Self>) -> Held;

    /// The connection that was kept.
    fn held(held: Held) -> Option<Lent<Self>>;

    /// How a writing transaction begins. SQLite must take its lock at once: one that begins by reading
    /// can't wait for another writer later.
    const BEGIN: &'static str;
}

impl Driver for Postgres {
    const WRITES_IN_WITH: bool = true;
    const BEGIN: &'static str = "BEGIN";

    fn hold(connection: Lent<Self>) -> Held {
        Held(Some(connection))
    }

    fn held(held: Held) -> Option<Lent<Self>> {
        held.0
    }
}

impl Driver for Sqlite {
    const WRITES_IN_WITH: bool = false;
    const BEGIN: &'static str = "BEGIN IMMEDIATE";

    fn hold(_: Lent<Self>) -> Held {
        Held(None)
    }

    fn held(_: Held) -> Option<Lent<Self>> {
        None
    }
}

/// One database, through one driver. Postgres has one pool under both names; SQLite takes one
/// writer at a time, so its writing pool is one connection and its reading pool is read-only.
pub(super) struct SqlStore<DB: Database> {
    pub(super) writer: Pool<DB>,
    pub(super) reader: Pool<DB>,
}

/// The connection of a read, kept for the write that follows it: given back and taken again it would cost
/// a ping to the server and a turn in the pool's queue. SQLite's reading connections can't write, so there it is
/// nothing.
#[derive(Debug, Default)]
pub struct Held(pub(super) Option<Lent<Postgres>>);

impl<DB: Database> Clone for SqlStore<DB> {
    fn clone(&self) -> Self {
        Self { writer: self.writer.clone(), reader: self.reader.clone() }
    }
}

impl<DB: Database> std::fmt::Debug for SqlStore<DB> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SqlStore<{}>", DB::NAME)
    }
}

impl<DB: Driver> SqlStore<DB> {
    pub(super) async fn read(&self) -> Result<Lent<DB>> {
        self.reader.acquire().await.map(Lent::from).map_err(StoreError::from)
    }

    pub(super) async fn write(&self, held: Held) -> Result<Lent<DB>> {
        match DB::held(held) {
            Some(connection) => Ok(connection),
            None => self.writer.acquire().await.map(Lent::from).map_err(StoreError::from),
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
