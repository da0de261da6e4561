//! Following one endpoint: waiting until there is something to deliver to it.

use super::round::{Next, round};
use crate::context::Context;
use crate::events::Woken;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::sleep;
use uuid::Uuid;

/// How often an endpoint is looked at although nobody has told of anything: another process that was to deliver to it
/// may be gone.
const POLL: Duration = Duration::from_secs(10);

/// How soon it is tried again when the database was not there.
const AGAIN: Duration = Duration::from_secs(1);

/// Why an endpoint is followed no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// It is not enabled.
    Disabled,
    /// The process is to stop.
    Stop,
}

/// Delivers to one endpoint for as long as it is enabled.
pub(super) async fn follow(context: Context, me: Uuid, id: Uuid, portal: Uuid, poked: Arc<Notify>) -> Over {
    let _followed = Followed { context: context.clone(), id };
    let mut listener = context.hub.portal(portal);
    loop {
        // What comes from here on is seen by the wait, what came before by the round.
        listener.attend();
        let pause = match round(&context, me, id, &mut listener).await {
            Ok(Next::Disabled) => return Over::Disabled,
            Ok(Next::Stop) => return Over::Stop,
            Ok(Next::In(pause)) => pause.map_or(POLL, |pause| pause.min(POLL)),
            Err(cause) => {
                tracing::warn!(webhook = %id, %cause, "could not deliver; it is tried again");
                AGAIN
            }
        };
        tokio::select! {
            woken = listener.woken() => if woken == Woken::Stop {
                return Over::Stop;
            },
            () = poked.notified() => {}
            () = sleep(pause) => {}
        }
    }
}

/// Says that the endpoint is followed no longer, however that has come.
struct Followed {
    context: Context,
    id: Uuid,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.context.webhooks.end(self.id);
    }
}
