//! Whether the service is about to stop: what would go on for long ends itself then.

use std::future::pending;
use tokio::sync::watch;

/// Told when the service stops.
#[derive(Clone, Debug)]
pub struct Stopping(watch::Receiver<bool>);

/// Tells that the service stops.
#[derive(Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stopping {
    /// Both ends.
    #[must_use]
    pub fn channel() -> (Stop, Self) {
        let (stop, stopping) = watch::channel(false);
        (Stop(stop), Self(stopping))
    }

    /// Whether it does.
    #[must_use]
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it does.
    pub async fn told(&mut self) {
        if self.0.wait_for(|stopping| *stopping).await.is_err() {
            // Nothing is left that could stop it.
            pending::<()>().await;
        }
    }
}

/// Nothing stops it, as on the command line.
impl Default for Stopping {
    fn default() -> Self {
        Self::channel().1
    }
}

impl Stop {
    /// From now on it does.
    pub fn set(&self) {
        self.0.send_replace(true);
    }
}
