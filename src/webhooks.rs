//! Webhooks: what happens to a portal's games, posted to addresses of its own, as Standard Webhooks 1.0 has it.
//!
//! An endpoint follows its portal's events from a place of its own. Making deliveries of events and moving that place
//! is one transaction; a delivery is finished only when it was taken or given up. So whatever ends in between, a
//! process or a connection, no event is lost, and one that is posted again has the same id. Several processes may
//! share the work: an endpoint is leased by the one that delivers to it.

mod address;
mod dispatch;
mod follow;
mod id;
mod log;
mod manage;
mod message;
mod network;
mod round;
mod schedule;
mod secret;
mod send;
mod target;
mod wire;

pub use dispatch::run;
pub use log::{deliveries, redeliver, test};
pub use manage::{Created, change, create, delete, get, list, rotate};
pub use message::WebhookEvent;
pub use network::{Network, SystemNetwork};
pub use send::{Failure, Message, Outcome, Sender};
pub use target::Policy;
pub use wire::{
    ChangeWebhook, Delivery, DeliveryPage, ListDeliveries, NewWebhook, RotateSecret, Webhook, WebhookPage,
    WebhookSecret, WebhookTest,
};

use crate::config::Serve;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use uuid::Uuid;

/// Longest time one attempt may take in all.
const ATTEMPT: Duration = Duration::from_secs(15);

/// What a process needs for webhooks; shared by all of it.
#[derive(Debug)]
pub struct Webhooks {
    /// What posts.
    pub sender: Sender,
    /// Longest time a test may take: its caller waits, who is not waited for longer than any other.
    pub test_timeout: Duration,
    /// How long finished deliveries are remembered.
    pub retention: Duration,
    /// Endpoints that this process follows, each with what has it looked at.
    followed: Mutex<HashMap<Uuid, Arc<Notify>>>,
    /// That there may be an endpoint which is not followed yet.
    unfollowed: Notify,
    /// How many endpoints are being delivered to.
    busy: watch::Sender<usize>,
    /// That something about deliveries was written down.
    progress: watch::Sender<()>,
}

/// Where nothing is posted, as on the command line.
impl Default for Webhooks {
    fn default() -> Self {
        Self {
            sender: Sender::new(Policy { loopback: false }, Arc::new(SystemNetwork)),
            test_timeout: ATTEMPT,
            retention: Duration::MAX,
            followed: Mutex::default(),
            unfollowed: Notify::new(),
            busy: watch::Sender::new(0),
            progress: watch::Sender::new(()),
        }
    }
}

impl Webhooks {
    /// By the configuration.
    #[must_use]
    pub fn new(config: &Serve, network: Arc<dyn Network>) -> Self {
        let policy = Policy { loopback: config.webhook_allow_loopback };
        Self {
            sender: Sender::new(policy, network),
            test_timeout: ATTEMPT.min(config.request_timeout.mul_f64(0.8)),
            retention: config.webhook_retention,
            ..Self::default()
        }
    }

    /// Has an endpoint looked at: something about it has changed.
    pub fn poke(&self, id: Uuid) {
        match self.followed().get(&id) {
            Some(follower) => follower.notify_one(),
            None => self.unfollowed.notify_one(),
        }
    }

    /// Follows an endpoint from now on; none when it is followed already.
    fn begin(&self, id: Uuid) -> Option<Arc<Notify>> {
        match self.followed().entry(id) {
            Entry::Occupied(_) => None,
            Entry::Vacant(entry) => Some(Arc::clone(entry.insert(Arc::default()))),
        }
    }

    /// Follows an endpoint no longer. Who says meanwhile that it has changed is heard by whoever looks for new ones.
    fn end(&self, id: Uuid) {
        self.followed().remove(&id);
        self.unfollowed.notify_one();
    }

    fn followed(&self) -> MutexGuard<'_, HashMap<Uuid, Arc<Notify>>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves whenever this process has written something about deliveries down, for whoever waits for that.
    #[must_use]
    pub fn progress(&self) -> watch::Receiver<()> {
        self.progress.subscribe()
    }

    /// Waits until nothing is being delivered.
    pub async fn idle(&self) {
        // The sender lives as long as this.
        let _ = self.busy.subscribe().wait_for(|busy| *busy == 0).await;
    }

    /// Counts as busy until dropped.
    fn work(&self) -> Work<'_> {
        self.busy.send_modify(|busy| *busy += 1);
        Work(self)
    }
}

/// An endpoint that is being delivered to.
struct Work<'a>(&'a Webhooks);

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.0.busy.send_modify(|busy| *busy -= 1);
    }
}
