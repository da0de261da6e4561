//! One round for one endpoint: all that is new and due, until nothing is left to be done now.

use super::message;
use super::schedule::{self, PATIENCE};
use super::send::{Failure, Outcome};
use super::wire::secrets;
use super::{ATTEMPT, id};
use crate::context::Context;
use crate::events::{Listener, Woken};
use crate::games::event;
use crate::store::{Attempt, DeliveryRow, Held, Position, StoreError, ToDeliver, WebhookRow};
use crate::telemetry::metrics;
use crate::timestamp::Timestamp;
use std::collections::HashSet;
use std::time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

/// For how long a process has an endpoint to itself. When it dies, another one waits no longer than this.
const LEASE: Duration = Duration::from_secs(6);

/// How often the lease is renewed while a round lasts.
const RENEW: Duration = Duration::from_secs(2);

/// Most deliveries at once to an endpoint that takes them, of different games.
const AT_ONCE: usize = 8;

/// Events that deliveries are made of in one transaction.
const BATCH: i64 = 100;

/// What comes after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Another one after this time; when something happens, if none is known.
    In(Option<Duration>),
    /// Nothing: the endpoint is not enabled.
    Disabled,
    /// Nothing: the process is to stop.
    Stop,
}

/// Does all there is to do for an endpoint now, unless another process is at it.
pub(super) async fn round(
    context: &Context,
    me: Uuid,
    id: Uuid,
    listener: &mut Listener,
) -> Result<Next, StoreError> {
    let Some(row) = context.store.enabled_webhook(id).await? else { return Ok(Next::Disabled) };
    let now = context.world.now();
    let next = context.store.next_delivery(id).await?;
    let due = next.is_some_and(|at| at <= now);
    if !due && context.store.feed(row.portal_id, row.position, 1, &mut Held::default()).await?.is_empty() {
        return Ok(Next::In(next.map(|at| until(at, now))));
    }
    let Some(row) = context.store.lease_webhook(id, me, now, now.plus(LEASE)).await? else {
        return Ok(Next::In(Some(LEASE)));
    };
    let _work = context.webhooks.work();
    let done = Round { context, me, row, over: None }.run(listener).await;
    context.store.release_webhook(id, me).await?;
    done
}

struct Round<'a> {
    context: &'a Context,
    me: Uuid,
    row: WebhookRow,
    /// What comes after this round, once nothing more is to be begun in it.
    over: Option<Next>,
}

/// An attempt that was made.
struct Tried {
    delivery: DeliveryRow,
    outcome: Outcome,
    at: Timestamp,
}

impl Round<'_> {
    async fn run(mut self, listener: &mut Listener) -> Result<Next, StoreError> {
        let mut flying = JoinSet::new();
        let mut underway = HashSet::new();
        let mut renewal = tokio::time::interval_at(tokio::time::Instant::now() + RENEW, RENEW);
        let mut news = true;
        loop {
            if self.over.is_none() {
                news = news && self.fan_out().await?;
                for delivery in self.ready(&underway).await? {
                    underway.insert(delivery.position);
                    flying.spawn(attempt(self.context.clone(), self.row.clone(), delivery));
                }
            }
            if flying.is_empty() {
                match self.over {
                    Some(next) => return Ok(next),
                    None if news => continue,
                    None => return self.rest().await,
                }
            }
            tokio::select! {
                Some(tried) = flying.join_next() => {
                    // Whatever else is done by now is written down before anything new is begun.
                    let mut done = Some(tried);
                    while let Some(tried) = done {
                        match tried {
                            Ok(tried) => {
                                let tried = tried?;
                                underway.remove(&tried.delivery.position);
                                self.record(tried).await?;
                            }
                            Err(cause) => {
                                tracing::error!(webhook = %self.row.id, %cause, "an attempt broke off");
                                self.over = Some(Next::In(None));
                            }
                        }
                        done = flying.try_join_next();
                    }
                }
                woken = listener.woken(), if self.over.is_none() => match woken {
                    Woken::News => news = true,
                    Woken::Stop => self.over = Some(Next::Stop),
                },
                _ = renewal.tick() => self.renew().await?,
            }
        }
    }

    /// Makes deliveries of what is new: whether there may be more.
    async fn fan_out(&mut self) -> Result<bool, StoreError> {
        let (store, row) = (&self.context.store, &self.row);
        let events = store.feed(row.portal_id, row.position, BATCH, &mut Held::default()).await?;
        let Some(last) = events.last().map(|event| event.position) else { return Ok(false) };
        let more = i64::try_from(events.len()).is_ok_and(|length| length == BATCH);
        let wanted: Vec<String> = serde_json::from_str(&row.events).unwrap_or_default();
        let wants = |r#type: &String| wanted.is_empty() || wanted.contains(r#type);
        let deliveries: Vec<ToDeliver> = events
            .into_iter()
            .filter(|event| wants(&event.r#type))
            .map(|event| ToDeliver {
                position: event.position,
                game_id: event.game_id,
                number: event.number,
                r#type: event.r#type,
            })
            .collect();
        if store.fan_out(row.id, row.position, last, &deliveries, self.context.world.now()).await? {
            self.row.position = last;
            self.context.webhooks.progress.send_replace(());
        } else {
            // Disabled, or overtaken: the renewed lease tells which.
            self.renew().await?;
        }
        Ok(more)
    }

    /// Deliveries that can be begun now. An endpoint that fails gets one at a time.
    async fn ready(&self, underway: &HashSet<Position>) -> Result<Vec<DeliveryRow>, StoreError> {
        let most = if self.row.failing_since.is_some() { 1 } else { AT_ONCE };
        let Some(room) = most.checked_sub(underway.len()).filter(|room| *room > 0) else {
            return Ok(Vec::new());
        };
        let limit = i64::try_from(most + underway.len()).unwrap_or(i64::MAX);
        let due = self.context.store.due_deliveries(self.row.id, self.context.world.now(), limit).await?;
        Ok(due.into_iter().filter(|delivery| !underway.contains(&delivery.position)).take(room).collect())
    }

    async fn renew(&mut self) -> Result<(), StoreError> {
        let now = self.context.world.now();
        match self.context.store.lease_webhook(self.row.id, self.me, now, now.plus(LEASE)).await? {
            Some(row) => self.row = row,
            // Not enabled, or another's: the next round sees.
            None => self.over = Some(Next::In(Some(Duration::ZERO))),
        }
        Ok(())
    }

    /// When there is something to do again.
    async fn rest(&self) -> Result<Next, StoreError> {
        let next = self.context.store.next_delivery(self.row.id).await?;
        Ok(Next::In(next.map(|at| until(at, self.context.world.now()))))
    }

    async fn record(&mut self, tried: Tried) -> Result<(), StoreError> {
        let Tried { delivery, outcome, at } = tried;
        let attempt = self.judge(&delivery, &outcome, at);
        self.context.store.record_attempt(&delivery, &attempt).await?;
        match attempt.status {
            "delivered" => self.row.failing_since = None,
            _ if attempt.asked => self.row.failing_since = self.row.failing_since.or(Some(at)),
            _ => {}
        }
        if let Some(reason) = attempt.disable {
            tracing::warn!(webhook = %self.row.id, reason, "disabled an endpoint of webhooks");
            self.over = Some(Next::Disabled);
        }
        metrics::delivered(attempt.status);
        self.context.webhooks.progress.send_replace(());
        Ok(())
    }

    /// What an outcome means for the delivery and the endpoint.
    fn judge(&self, delivery: &DeliveryRow, outcome: &Outcome, at: Timestamp) -> Attempt {
        let attempts = delivery.attempts + 1;
        let asked = outcome.failure != Some(Failure::EventGone);
        let next_at = outcome.failure.filter(|_| asked).and_then(|_| {
            let wait = outcome.retry_after.as_deref().and_then(|header| schedule::asked(header, at));
            // Without chance the attempts are merely less spread.
            let chance = self.context.world.secret().map_or(0, |bytes| bytes[0]);
            schedule::next(at, attempts, wait, chance)
        });
        let failing_for =
            |since: Timestamp| Duration::from_micros(u64::try_from(at.0 - since.0).unwrap_or(0));
        let disable = match (outcome.failure, self.row.failing_since) {
            (Some(_), _) if outcome.status == Some(410) => Some("gone"),
            (Some(_), Some(since)) if asked && failing_for(since) >= PATIENCE => Some("failing"),
            _ => None,
        };
        Attempt {
            status: match (outcome.failure, next_at) {
                (None, _) => "delivered",
                (Some(_), Some(_)) => "pending",
                (Some(_), None) => "failed",
            },
            in_line: next_at.is_some() && schedule::holds_the_line(attempts),
            next_at,
            at,
            took: i64::try_from(outcome.took.as_micros()).unwrap_or(i64::MAX),
            response_status: outcome.status.map(i64::from),
            error: outcome.failure.map(Failure::as_str),
            asked,
            disable,
        }
    }
}

/// Posts one delivery, once.
async fn attempt(context: Context, webhook: WebhookRow, delivery: DeliveryRow) -> Result<Tried, StoreError> {
    let sender = &context.webhooks.sender;
    let _room = sender.room(webhook.failing_since.is_some()).await;
    let body = body(&context, &webhook, &delivery).await?;
    let at = context.world.now();
    let id = id::of(webhook.id, delivery.position);
    let signed = body.and_then(|body| message::signed(id, body, &secrets(&webhook).ok()?, at));
    let outcome = match signed {
        Some(message) => sender.post(&webhook.url, &message, ATTEMPT).await,
        None => Outcome { failure: Some(Failure::EventGone), ..Outcome::default() },
    };
    Ok(Tried { delivery, outcome, at: context.world.now() })
}

/// What tells of the event; none when it is no longer there.
async fn body(
    context: &Context,
    webhook: &WebhookRow,
    delivery: &DeliveryRow,
) -> Result<Option<String>, StoreError> {
    let before = Position { seq: delivery.position.seq - 1, ..delivery.position };
    let rows = context.store.feed(webhook.portal_id, before, 1, &mut Held::default()).await?;
    let row = rows.into_iter().next().filter(|row| row.position == delivery.position);
    // What can't be told of was logged as what it is, broken.
    Ok(row.and_then(|row| message::of(event(row).ok()?).ok()))
}

/// The time from now to then.
fn until(at: Timestamp, now: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(at.0.saturating_sub(now.0)).unwrap_or(0))
}
