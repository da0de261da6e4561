//! What is done beside requests: forgetting expired answers, noting when keys were used.

use crate::context::Context;
use crate::store::StoreError;
use crate::telemetry::metrics;
use crate::timestamp::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often chores are done.
const EVERY: Duration = Duration::from_secs(30);

/// When each key was last seen; written to the database in batches, never while a request waits.
#[derive(Debug, Default)]
pub struct LastSeen(Mutex<HashMap<String, Timestamp>>);

impl LastSeen {
    /// A key was seen.
    pub fn note(&self, key: &str, at: Timestamp) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.get_mut(key) {
            Some(last) => *last = at,
            None => drop(seen.insert(key.to_owned(), at)),
        }
    }

    /// What is still to be written.
    fn unwritten(&self) -> Vec<(String, Timestamp)> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().map(|(key, at)| (key.clone(), *at)).collect()
    }

    /// It was written that a key was seen at this time.
    fn written(&self, key: &str, at: Timestamp) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.get(key) == Some(&at) {
            seen.remove(key);
        }
    }
}

/// Does the chores, now and again, until dropped.
pub async fn run(context: Context) {
    let mut interval = tokio::time::interval(EVERY);
    loop {
        interval.tick().await;
        // A database that does not answer must not end the chores for good.
        if tokio::time::timeout(EVERY, once(&context)).await.is_err() {
            tracing::warn!("the database does not answer; the chores are left for the next time");
        }
    }
}

/// Does the chores once. What fails is logged and, as when this is broken off, left for the next time.
pub async fn once(context: &Context) {
    for (key, at) in context.seen.unwritten() {
        match context.store.touch_key(&key, at).await {
            Ok(()) => context.seen.written(&key, at),
            Err(error) => tracing::warn!(%error, "could not note when a key was used"),
        }
    }
    match context.store.sweep(context.world.now()).await {
        Ok(0) => {}
        Ok(swept) => tracing::debug!(swept, "forgot expired answers"),
        Err(error) => tracing::warn!(%error, "could not forget expired answers"),
    }
    if let Err(error) = webhooks(context).await {
        tracing::warn!(%error, "could not look after the deliveries of webhooks");
    }
}

/// Forgets what is finished or deleted, and tells how long the oldest delivery has waited.
async fn webhooks(context: &Context) -> Result<(), StoreError> {
    let now = context.world.now();
    let retention = i64::try_from(context.webhooks.retention.as_micros()).unwrap_or(i64::MAX);
    let forgotten = context.store.sweep_deliveries(Timestamp(now.0.saturating_sub(retention))).await?;
    let swept = forgotten + context.store.sweep_webhooks().await?;
    if swept > 0 {
        tracing::debug!(swept, "forgot deliveries of webhooks");
    }
    let oldest = context.store.oldest_delivery().await?;
    let age = oldest.map_or(0, |at| u64::try_from(now.0 - at.0).unwrap_or(0));
    metrics::oldest_delivery(Duration::from_micros(age));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{LastSeen, Timestamp};

    #[test]
    fn a_key_is_to_be_written_until_its_latest_use_was() {
        let seen = LastSeen::default();
        seen.note("k", Timestamp(1));
        assert_eq!(seen.unwritten(), [("k".to_owned(), Timestamp(1))]);
        seen.note("k", Timestamp(2));
        seen.written("k", Timestamp(1));
        assert_eq!(seen.unwritten(), [("k".to_owned(), Timestamp(2))]);
        seen.written("k", Timestamp(2));
        assert_eq!(seen.unwritten(), []);
    }
}
