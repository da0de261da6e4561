//! How several processes on one Postgres tell each other that there are new events.
//!
//! Only a hint: what is new stands in the table, and whoever misses the hint looks there a little later.

use super::{Result, StoreError};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use std::time::Duration;

/// The channel's name.
const CHANNEL: &str = "kauri_events";

/// Has others look. Sent on a connection of its own: in a move's transaction it would hold a lock of the whole
/// database until that transaction is written to disk. A hint need not wait for the disk, which moves wait for.
const TELL: &str = "SELECT set_config('synchronous_commit', 'off', true), pg_notify('kauri_events', $1)";

/// The channel, as one process sees it.
#[derive(Clone, Debug)]
pub(super) struct Channel(PgPool);

impl Channel {
    /// Connects when it is first used.
    pub(super) fn new(options: PgConnectOptions) -> Self {
        // One connection listens, the other tells.
        let pool = PgPoolOptions::new()
            .max_connections(2)
            .acquire_timeout(Duration::from_secs(3))
            .connect_lazy_with(options.application_name("kauri events"));
        Self(pool)
    }

    pub(super) async fn tell(&self, who: &str) -> Result<()> {
        sqlx::query(TELL).bind(who.to_owned()).execute(&self.0).await?;
        Ok(())
    }

    pub(super) async fn listen(&self) -> Result<News> {
        let mut listener = PgListener::connect_with(&self.0).await?;
        listener.listen(CHANNEL).await?;
        Ok(News(listener))
    }

    pub(super) async fn close(&self) {
        self.0.close().await;
    }
}

/// What others tell.
#[derive(Debug)]
pub struct News(PgListener);

impl News {
    /// Waits until somebody tells: who. None when something may have been missed, because the connection was lost.
    pub async fn next(&mut self) -> Result<Option<String>> {
        let told = self.0.try_recv().await.map_err(StoreError::from)?;
        Ok(told.map(|told| told.payload().to_owned()))
    }
}
