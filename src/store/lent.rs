//! A connection out of the pool, which comes back or is given up.

use sqlx::Database;
use sqlx::pool::PoolConnection;
use std::ops::{Deref, DerefMut};
use std::time::Duration;
use tokio::runtime::Handle;

/// How long a connection may take to show that it is alive when it comes back.
const RETURN: Duration = Duration::from_secs(3);

/// A connection out of the pool.
///
/// When it comes back, the pool waits until the database has answered all that was asked on it, however long
/// that takes. A host that vanished without closing its connections never answers: its connections would keep
/// their places in the pool until the operating system gives them up, a quarter of an hour later. So the wait
/// is bounded, and what does not answer is closed.
#[derive(Debug)]
pub(super) struct Lent<DB: Database>(PoolConnection<DB>);

impl<DB: Database> From<PoolConnection<DB>> for Lent<DB> {
    fn from(connection: PoolConnection<DB>) -> Self {
        Self(connection)
    }
}

impl<DB: Database> Deref for Lent<DB> {
    type Target = DB::Connection;

    fn deref(&self) -> &DB::Connection {
        &self.0
    }
}

impl<DB: Database> DerefMut for Lent<DB> {
    fn deref_mut(&mut self) -> &mut DB::Connection {
        &mut self.0
    }
}

impl<DB: Database> Drop for Lent<DB> {
    fn drop(&mut self) {
        // Outside of a runtime there is no pool to come back to either.
        let Ok(runtime) = Handle::try_current() else { return };
        let returned = self.0.return_to_pool();
        runtime.spawn(async move {
            if tokio::time::timeout(RETURN, returned).await.is_err() {
                tracing::warn!("gave up a connection to the database that does not answer");
            }
        });
    }
}
