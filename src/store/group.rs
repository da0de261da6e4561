//! Steps after which the game goes on, written together. Each lane takes to the database at once whatever waits, so that
//! the more moves come, the fewer transactions and waits for the disk each of them costs. A step that finds a lane free
//! waits for nobody.
//!
//! Whoever gets a lane writes for all who wait, in a task: were it done by one of them, its end would be everybody's. A
//! worker that ends takes its tasks along; who waits for one of them is told to try again.

pub(super) mod postgres;
pub(super) mod sqlite;

use super::row::Change;
use super::{Result, StoreError};
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::sleep;

/// Most steps in one transaction, so that the first does not wait long for the last.
const MOST: usize = 64;

/// How long a step waits for a lane before its caller is told to come back later.
const PATIENCE: Duration = Duration::from_secs(3);

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is on the disk.
    Written,
    /// The game has moved on or ended meanwhile, or the answer was kept already.
    Lost,
    /// It could not be written together with others; whether it can be alone is to be tried.
    Alone,
}

/// A step to be written together with others.
#[derive(Debug)]
pub(super) struct Waiting {
    number: u64,
    change: Change,
    told: oneshot::Sender<Result<Outcome>>,
}

impl Waiting {
    fn tell(self, outcome: Result<Outcome>) {
        // Nobody may be waiting any more.
        let _ = self.told.send(outcome);
    }
}

/// Where steps wait to be written; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Group {
    queue: Arc<Mutex<Queue>>,
    lanes: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Queue {
    /// In the order in which they came.
    steps: Vec<Waiting>,
    next: u64,
}

/// The right to write, given back when dropped.
pub(super) type Lane = OwnedSemaphorePermit;

impl Group {
    pub(super) fn new(lanes: usize) -> Self {
        Self { queue: Arc::default(), lanes: Arc::new(Semaphore::new(lanes)) }
    }

    /// A lane, if one is free.
    pub(super) fn lane(&self) -> Option<Lane> {
        Arc::clone(&self.lanes).try_acquire_owned().ok()
    }

    /// Has a step written in this lane, or as soon as there is one. `write` writes for all who wait then and tells each;
    /// it is not called when another's does.
    pub(super) async fn write(
        &self,
        change: &Change,
        lane: Option<Lane>,
        write: impl FnOnce(Vec<Waiting>) -> BoxFuture<'static, ()>,
    ) -> Result<Outcome> {
        let (told, mut outcome) = oneshot::channel();
        let number = self.queue().push(change, told);
        let gone = |_| StoreError::Unavailable(sqlx::Error::PoolClosed);
        let lane = if let Some(lane) = lane {
            lane
        } else {
            tokio::select! {
                biased;
                outcome = &mut outcome => return outcome.map_err(gone)?,
                Ok(lane) = Arc::clone(&self.lanes).acquire_owned() => lane,
                () = sleep(PATIENCE) => {
                    if self.queue().remove(number) {
                        return Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut));
                    }
                    // It is being written.
                    return outcome.await.map_err(gone)?;
                }
            }
        };
        let together = self.queue().take(number);
        if together.is_empty() {
            drop(lane);
        } else {
            let writing = write(together);
            tokio::spawn(async move {
                writing.await;
                drop(lane);
            });
        }
        outcome.await.map_err(gone)?
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn push(&mut self, change: &Change, told: oneshot::Sender<Result<Outcome>>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.steps.push(Waiting { number, change: change.clone(), told });
        number
    }

    /// False when it is no longer there.
    fn remove(&mut self, number: u64) -> bool {
        let before = self.steps.len();
        self.steps.retain(|step| step.number != number);
        self.steps.len() < before
    }

    /// This one if it still waits, and those who came first; none whose caller has gone.
    fn take(&mut self, number: u64) -> Vec<Waiting> {
        self.steps.retain(|step| !step.told.is_closed());
        let own = self.steps.iter().position(|step| step.number == number);
        let own = own.filter(|&own| own >= MOST).map(|own| self.steps.remove(own));
        let first = self.steps.len().min(MOST);
        self.steps.drain(..first).chain(own).collect()
    }
}

/// Tells all of an error.
fn fail(group: impl IntoIterator<Item = Waiting>, error: &StoreError) {
    let cause = |error: &dyn std::fmt::Display| sqlx::Error::Protocol(error.to_string());
    for waiting in group {
        waiting.tell(Err(match error {
            StoreError::Unavailable(error) => StoreError::Unavailable(cause(error)),
            other => StoreError::Broken(cause(other)),
        }));
    }
}
