//! A world whose time is moved by hand.

use kauri::context::{NoEntropy, SystemWorld, World};
use kauri::timestamp::Timestamp;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use uuid::Uuid;

/// Chance and ids are the system's.
#[derive(Debug)]
pub(super) struct Clock(AtomicI64);

impl Default for Clock {
    fn default() -> Self {
        Self(AtomicI64::new(1_796_029_200_000_000))
    }
}

impl Clock {
    pub(super) fn advance(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_micros()).unwrap(), Ordering::SeqCst);
    }

    /// Moves to a time as the API shows it.
    pub(super) fn advance_to(&self, at: &str) {
        self.0.store(Timestamp::parse(at).unwrap().0, Ordering::SeqCst);
    }
}

impl World for Clock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    fn throw(&self) -> Result<[bool; 4], NoEntropy> {
        SystemWorld.throw()
    }

    fn secret(&self) -> Result<[u8; 32], NoEntropy> {
        SystemWorld.secret()
    }

    fn id(&self) -> Uuid {
        SystemWorld.id()
    }
}
