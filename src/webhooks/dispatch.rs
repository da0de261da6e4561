//! Sees to it that every enabled endpoint is followed.

use super::follow::{Over, follow};
use crate::context::Context;
use std::pin::pin;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// How often it is looked for endpoints that another process has made.
const LOOK: Duration = Duration::from_secs(5);

/// Delivers to every endpoint, until dropped. Each is followed by a task of its own, which ends with this future:
/// polled in turn with others, one could be given a connection to the database while another keeps it from using it.
pub async fn run(context: &Context) {
    let me = context.world.id();
    let webhooks = &context.webhooks;
    let mut followers = JoinSet::new();
    let mut stopping = false;
    loop {
        match context.store.live_webhooks().await {
            Ok(live) => {
                for (id, portal) in live.into_iter().filter(|_| !stopping) {
                    if let Some(poked) = webhooks.begin(id) {
                        followers.spawn(follow(context.clone(), me, id, portal, poked));
                    }
                }
            }
            Err(cause) => tracing::warn!(%cause, "could not look for endpoints of webhooks"),
        }
        let mut again = pin!(sleep(LOOK));
        loop {
            tokio::select! {
                biased;
                Some(ended) = followers.join_next() => match ended {
                    Ok(over) => stopping |= over == Over::Stop,
                    Err(cause) => tracing::error!(%cause, "an endpoint of webhooks is followed no longer"),
                },
                () = webhooks.unfollowed.notified() => break,
                () = &mut again => break,
            }
        }
    }
}
