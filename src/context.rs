//! What handlers are given instead of reaching for it: the store, the clock, chance.
//!
//! The only file that asks the operating system for the time or for random bytes.
#![expect(clippy::disallowed_methods, reason = "this is where they come from")]

use crate::chores::LastSeen;
use crate::credential::Secret;
use crate::events::Hub;
use crate::problem::Problem;
use crate::stopping::Stopping;
use crate::store::Store;
use crate::timestamp::Timestamp;
use crate::webhooks::Webhooks;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use uuid::Uuid;

/// Everything outside the request that an answer depends on.
#[derive(Clone, Debug)]
pub struct Context {
    /// Where games are kept.
    pub store: Store,
    /// Time, ids and chance.
    pub world: Arc<dyn World>,
    /// How long answers are kept under an Idempotency-Key.
    pub idempotency_ttl: Duration,
    /// When each portal key was last seen.
    pub seen: Arc<LastSeen>,
    /// Who waits for events.
    pub hub: Arc<Hub>,
    /// What cursors are signed with, once it was read.
    pub cursor_key: Arc<OnceCell<Secret>>,
    /// Whether the service is about to stop.
    pub stopping: Stopping,
    /// What posts events to where portals want them.
    pub webhooks: Arc<Webhooks>,
}

impl Context {
    /// What cursors are signed with: in the database, so that every process on it takes the cursors of the others.
    pub(crate) async fn cursor_key(&self) -> Result<&Secret, Problem> {
        self.cursor_key
            .get_or_try_init(async || {
                let fresh = self.world.secret()?;
                let secret = self.store.secret("cursor", &fresh, self.world.now()).await?;
                let secret: [u8; 32] =
                    secret.try_into().map_err(|_| Problem::internal(&"a secret of another length"))?;
                Ok(Secret::new(secret))
            })
            .await
    }
}

/// The world outside, so that tests can bring their own.
pub trait World: fmt::Debug + Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;

    /// Four fair shells, thrown: true for mouth up (A3).
    fn throw(&self) -> Result<[bool; 4], NoEntropy>;

    /// Secret bytes.
    fn secret(&self) -> Result<[u8; 32], NoEntropy>;

    /// A new id, greater than those before it.
    fn id(&self) -> Uuid;
}

/// The operating system gave no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gave no random bytes")]
pub struct NoEntropy;

/// The real world: the system's clock and the operating system's random source.
#[derive(Clone, Copy, Debug)]
pub struct SystemWorld;

impl World for SystemWorld {
    fn now(&self) -> Timestamp {
        let nanos = time::OffsetDateTime::now_utc().unix_timestamp_nanos();
        Timestamp(i64::try_from(nanos / 1_000).unwrap_or(i64::MAX))
    }

    fn throw(&self) -> Result<[bool; 4], NoEntropy> {
        let mut byte = [0];
        getrandom::fill(&mut byte).map_err(|_| NoEntropy)?;
        Ok(std::array::from_fn(|shell| byte[0] >> shell & 1 == 1))
    }

    fn secret(&self) -> Result<[u8; 32], NoEntropy> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| NoEntropy)?;
        Ok(bytes)
    }

    fn id(&self) -> Uuid {
        Uuid::now_v7()
    }
}
