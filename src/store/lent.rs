//! Connections out of the pool, which come back or are given up.

use super::{Result, StoreError};
use futures_util::future::join_all;
use sqlx::pool::PoolConnection;
use sqlx::{Connection, Database, Pool};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long a request waits for a connection before it is told to come back later.
pub(super) const ACQUIRE: Duration = Duration::from_secs(3);

/// How long a connection may take to show that it is alive when it comes back.
const RETURN: Duration = Duration::from_secs(3);

/// How long a connection is lent out past the pool, which looks at the age and health of those that come back to it.
const AT_HAND: Duration = Duration::from_mins(1);

/// How a connection is opened.
type Options<DB> = <<DB as Database>::Connection as Connection>::Options;

/// A pool, and the connections of it that are known to be good for the next statement.
///
/// The pool pings each connection that comes back, which is a round trip more for each request. One whose last statement
/// was answered to the end need not be asked: it is kept at hand.
#[derive(Debug)]
pub(super) struct Lender<DB: Database> {
    pool: Pool<DB>,
    at_hand: Arc<Mutex<Vec<Taken<DB>>>>,
    /// As many as the pool has connections: whoever waits for one that is at work, waits here.
    permits: Arc<Semaphore>,
    /// Those that were made of this one.
    elsewhere: Arc<Mutex<Vec<Self>>>,
}

impl<DB: Database> Clone for Lender<DB> {
    fn clone(&self) -> Self {
        Self {
            pool: self.pool.clone(),
            at_hand: Arc::clone(&self.at_hand),
            permits: Arc::clone(&self.permits),
            elsewhere: Arc::clone(&self.elsewhere),
        }
    }
}

impl<DB: Database> Lender<DB> {
    pub(super) fn new(pool: Pool<DB>) -> Self {
        let permits = Arc::new(Semaphore::new(most(&pool)));
        Self { pool, at_hand: Arc::default(), permits, elsewhere: Arc::default() }
    }

    /// At most so many other connections to the same database, opened in the current runtime, under another name.
    pub(super) fn here(&self, connections: u32, name: impl FnOnce(Options<DB>) -> Options<DB>) -> Self {
        let options = self.pool.options().clone().max_connections(connections.max(1));
        let here = Self::new(options.connect_lazy_with(name(self.pool.connect_options().as_ref().clone())));
        lock(&self.elsewhere).push(here.clone());
        if self.permits.is_closed() {
            here.permits.close();
        }
        here
    }

    /// Most connections there can be.
    pub(super) fn most(&self) -> usize {
        most(&self.pool)
    }

    pub(super) async fn lend(&self) -> Result<Lent<DB>> {
        let lent = async {
            let permit =
                Arc::clone(&self.permits).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
            let taken = match self.at_hand() {
                Some(taken) => taken,
                None => Taken { connection: Some(self.pool.acquire().await?), since: Instant::now() },
            };
            Ok(Lent { taken, rested: false, at_hand: Arc::clone(&self.at_hand), permit })
        };
        timeout(ACQUIRE, lent).await.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(StoreError::from)
    }

    /// One that is at hand. Those that have been for too long go back to the pool, which looks whether they are alive.
    fn at_hand(&self) -> Option<Taken<DB>> {
        let mut at_hand = lock(&self.at_hand);
        at_hand.retain(Taken::is_fresh);
        at_hand.pop()
    }

    /// Closes every connection once it is back, and those of the pools that were made of this one.
    pub(super) async fn close(&self) {
        self.permits.close();
        let elsewhere = std::mem::take(&mut *lock(&self.elsewhere));
        join_all(elsewhere.iter().chain([self]).map(|lender| {
            lender.permits.close();
            lock(&lender.at_hand).clear();
            lender.pool.close()
        }))
        .await;
    }
}

fn most<DB: Database>(pool: &Pool<DB>) -> usize {
    usize::try_from(pool.options().get_max_connections()).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS)
}

fn lock<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection that is lent.
#[derive(Debug)]
pub(super) struct Lent<DB: Database> {
    taken: Taken<DB>,
    rested: bool,
    at_hand: Arc<Mutex<Vec<Taken<DB>>>>,
    /// Given back last.
    permit: OwnedSemaphorePermit,
}

impl<DB: Database> Lent<DB> {
    /// Says that the last statement was answered to the end, outside of a transaction.
    pub(super) fn rest(&mut self) {
        self.rested = true;
    }
}

impl<DB: Database> Deref for Lent<DB> {
    type Target = DB::Connection;

    fn deref(&self) -> &DB::Connection {
        match &self.taken.connection {
            Some(connection) => connection,
            None => unreachable!("it is there until it is given back"),
        }
    }
}

impl<DB: Database> DerefMut for Lent<DB> {
    fn deref_mut(&mut self) -> &mut DB::Connection {
        self.rested = false;
        match &mut self.taken.connection {
            Some(connection) => connection,
            None => unreachable!("it is there until it is given back"),
        }
    }
}

impl<DB: Database> Drop for Lent<DB> {
    fn drop(&mut self) {
        if self.rested && self.taken.is_fresh() {
            let mut at_hand = lock(&self.at_hand);
            // Closed first and emptied then, so that none is left behind.
            if !self.permit.semaphore().is_closed() {
                at_hand.push(Taken { connection: self.taken.connection.take(), since: self.taken.since });
            }
        }
    }
}

/// A connection that is out of the pool.
///
/// When it comes back, the pool waits until the database has answered all that was asked on it, however long
/// that takes. A host that vanished without closing its connections never answers: its connections would keep
/// their places in the pool until the operating system gives them up, a quarter of an hour later. So the wait
/// is bounded, and what does not answer is closed.
#[derive(Debug)]
struct Taken<DB: Database> {
    /// There until it is given back.
    connection: Option<PoolConnection<DB>>,
    since: Instant,
}

impl<DB: Database> Taken<DB> {
    fn is_fresh(&self) -> bool {
        self.since.elapsed() < AT_HAND
    }
}

impl<DB: Database> Drop for Taken<DB> {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        let Ok(runtime) = Handle::try_current() else {
            // Outside of a runtime there is no pool to come back to either.
            drop(connection.detach());
            return;
        };
        let returned = connection.return_to_pool();
        runtime.spawn(async move {
            if timeout(RETURN, returned).await.is_err() {
                tracing::warn!("gave up a connection to the database that does not answer");
            }
        });
    }
}
