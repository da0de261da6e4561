//! The way to a database that may not be there yet.

use crate::store::{Migration, StoreError};
use futures_util::future::LocalBoxFuture;
use std::time::Duration;

/// How long a start waits for the database before the service answers without it.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long to wait before the database is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// Attempts at the database, until one succeeds.
pub(super) struct Opening {
    migration: Migration,
    /// One that was begun: breaking off a migration could leave it half done.
    attempt: Option<LocalBoxFuture<'static, Result<(), StoreError>>>,
    told: bool,
}

impl Opening {
    pub(super) fn new(migration: Migration) -> Self {
        Self { migration, attempt: None, told: false }
    }

    /// Tries for a moment: whether the database can be used. What no waiting will help is an error.
    pub(super) async fn try_once(&mut self) -> Result<bool, StoreError> {
        tokio::time::timeout(PATIENCE, self.attempt()).await.unwrap_or_else(|_| {
            tracing::warn!("the database takes long; going on without it");
            Ok(false)
        })
    }

    /// Tries until the database can be used.
    pub(super) async fn finish(&mut self) -> Result<(), StoreError> {
        while !self.attempt().await? {
            tokio::time::sleep(AGAIN).await;
        }
        if self.told {
            tracing::info!("the database is there");
        }
        Ok(())
    }

    async fn attempt(&mut self) -> Result<bool, StoreError> {
        let attempt = self.attempt.get_or_insert_with(|| Box::pin(self.migration.clone().run()));
        let done = attempt.await;
        self.attempt = None;
        match done {
            Ok(()) => Ok(true),
            Err(StoreError::Unavailable(cause)) => {
                if !self.told {
                    tracing::warn!(%cause, "the database is not there yet; it will be tried again");
                }
                self.told = true;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}
