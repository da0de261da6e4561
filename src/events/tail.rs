//! How far the events have been looked at, by portal.

use crate::context::Context;
use crate::store::{Position, StoreError, Trace};
use std::collections::HashMap;
use uuid::Uuid;

/// Most events looked at in one go.
const PAGE: i64 = 1_000;

/// Where the events end that have been looked at, for each portal whose events somebody waits for.
#[derive(Debug, Default)]
pub(super) struct Tail(HashMap<Uuid, Position>);

impl Tail {
    /// Looks for new events and wakes those who wait for them. False when some have been seen that others may still
    /// appear before: those who wait for a whole portal will not have been told of them.
    pub(super) async fn look(&mut self, context: &Context) -> Result<bool, StoreError> {
        let awaited = context.hub.awaited();
        self.0.retain(|portal, _| awaited.contains(portal));
        let mut settled = true;
        for portal in awaited {
            settled &= match self.0.get(&portal).copied() {
                Some(after) => self.look_at(context, portal, after).await?,
                None => self.begin(context, portal).await?,
            };
        }
        Ok(settled)
    }

    /// Whoever began to wait before this portal was looked at may have missed something.
    async fn begin(&mut self, context: &Context, portal: Uuid) -> Result<bool, StoreError> {
        let end = context.store.feed_end(portal).await?;
        self.0.insert(portal, end);
        context.hub.wake_all(portal);
        Ok(true)
    }

    async fn look_at(
        &mut self,
        context: &Context,
        portal: Uuid,
        mut after: Position,
    ) -> Result<bool, StoreError> {
        loop {
            let traces = context.store.traces(portal, after, PAGE).await?;
            if traces.is_empty() {
                return Ok(true);
            }
            let settled = traces.iter().take_while(|trace| trace.settled).count();
            if let Some(Trace { position, .. }) = traces[..settled].last() {
                after = *position;
                self.0.insert(portal, after);
            }
            // Those who follow a game need not wait for the place of its events among others.
            context.hub.wake(portal, traces.iter().map(|trace| trace.game_id));
            if settled < traces.len() {
                return Ok(false);
            }
        }
    }
}
