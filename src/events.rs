//! Who waits for what, and how they learn that it has happened.
//!
//! The truth is the table of events. All that is here only wakes those who then look there: a wake-up that comes for
//! nothing costs one look, and one that is lost is made good within `POLL`.

mod hub;
mod tail;

pub use hub::{Hub, Listener, Woken};

use crate::context::Context;
use crate::store::StoreError;
use std::time::Duration;
use tail::Tail;
use tokio::time::{sleep, timeout};

/// How often the table is looked at although nobody has told of anything.
const POLL: Duration = Duration::from_secs(1);

/// How soon it is looked at again while there are events that others may still appear before.
const UNSETTLED: Duration = Duration::from_millis(20);

/// Shortest time between two looks, and between two calls to other processes: what comes meanwhile waits for both.
const GAP: Duration = Duration::from_millis(5);

/// How long to wait before a lost connection is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// Wakes whoever waits, until dropped.
pub async fn run(context: &Context) {
    tokio::join!(follow(context), tell(context), listen(context));
}

/// Looks for new events whenever there may be some, as long as anybody waits for any.
async fn follow(context: &Context) {
    let mut tail = Tail::default();
    let mut pause = POLL;
    loop {
        // Either way it is time to look.
        drop(timeout(pause, context.hub.poked()).await);
        pause = match tail.look(context).await {
            Ok(true) => POLL,
            Ok(false) => UNSETTLED,
            Err(cause) => {
                tracing::warn!(%cause, "could not look for new events");
                POLL
            }
        };
        sleep(GAP).await;
    }
}

/// Tells other processes of what has happened in this one.
async fn tell(context: &Context) {
    if !context.store.has_others() {
        return;
    }
    loop {
        context.hub.has_happened().await;
        if let Err(cause) = context.store.tell_others(context.hub.name()).await {
            tracing::debug!(%cause, "could not tell other processes of new events; they find them by themselves");
        }
        sleep(GAP).await;
    }
}

/// Hears what other processes tell.
async fn listen(context: &Context) {
    loop {
        match hear(context).await {
            Ok(()) => return,
            Err(cause) => {
                tracing::debug!(%cause, "can't hear other processes; looking for new events now and then");
            }
        }
        sleep(AGAIN).await;
    }
}

async fn hear(context: &Context) -> Result<(), StoreError> {
    let Some(mut news) = context.store.news().await? else { return Ok(()) };
    // Something may have happened before anybody listened.
    context.hub.poke();
    loop {
        let who = news.next().await?;
        if who.as_deref() != Some(context.hub.name()) {
            context.hub.poke();
        }
    }
}
