//! What became of deliveries, and having one made again, or a test made now.

use super::manage::Desk;
use super::message;
use super::wire::{Delivery, DeliveryPage, ListDeliveries, WebhookTest, secrets};
use super::{id, send};
use crate::context::Context;
use crate::credential::Credential;
use crate::games::{bounded, one_of};
use crate::problem::{Code, Problem};
use uuid::Uuid;

/// Deliveries on a page when nothing is said.
const PAGE: i64 = 20;
/// Most deliveries on a page.
const PAGE_MOST: i64 = 100;
/// What a delivery can be.
const STATUSES: [&str; 3] = ["pending", "delivered", "failed"];

/// A page of an endpoint's deliveries, newest event first.
pub async fn deliveries(
    context: &Context,
    credential: &Credential,
    webhook: Uuid,
    wanted: &ListDeliveries,
) -> Result<DeliveryPage, Problem> {
    let limit = bounded("limit", wanted.limit, PAGE, 1, PAGE_MOST)?;
    one_of("status", wanted.status.as_deref(), &STATUSES)?;
    let before = match &wanted.cursor {
        None => None,
        Some(cursor) => Some(id::parse(cursor, webhook).ok_or_else(|| {
            let message = "The cursor is not one of this endpoint.";
            Problem::new(Code::InvalidQuery).error("/cursor", "wrong_cursor", message)
        })?),
    };
    let mut desk = Desk::read(context, credential).await?;
    let row = desk.webhook(context, webhook).await?;
    let status = wanted.status.as_deref();
    let mut rows = context.store.deliveries(row.id, status, before, limit + 1, &mut desk.held).await?;
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > page;
    rows.truncate(page);
    let next = rows.last().filter(|_| more).map(|last| id::of(last.endpoint_id, last.position));
    Ok(DeliveryPage { items: rows.into_iter().map(Delivery::from_row).collect(), next })
}

/// Has a delivery made again, from the beginning of the schedule and under the same id.
pub async fn redeliver(
    context: &Context,
    credential: &Credential,
    webhook: Uuid,
    delivery: &str,
) -> Result<Delivery, Problem> {
    let mut desk = Desk::write(context, credential).await?;
    let row = desk.webhook(context, webhook).await?;
    let missing = || Problem::new(Code::DeliveryNotFound);
    let event = id::parse(delivery, webhook).ok_or_else(missing)?;
    context.store.delivery(row.id, event, &mut desk.held).await?.ok_or_else(missing)?;
    if row.status != "enabled" {
        return Err(Problem::new(Code::WebhookDisabled));
    }
    let again = context.store.redeliver(row.id, event, desk.now, desk.held).await?.ok_or_else(missing)?;
    context.webhooks.poke(row.id);
    Ok(Delivery::from_row(again))
}

/// Posts a test to an endpoint, once, now, whether or not it is enabled.
pub async fn test(context: &Context, credential: &Credential, webhook: Uuid) -> Result<WebhookTest, Problem> {
    let mut desk = Desk::write(context, credential).await?;
    let row = desk.webhook(context, webhook).await?;
    let secrets = secrets(&row)?;
    // Nobody's connection to the database is held while the receiver is waited for.
    drop(desk.held);
    let id = id::of_test(row.id, context.world.id());
    let body = message::test(row.id, desk.now)?;
    let message = message::signed(id.clone(), body, &secrets, desk.now)
        .ok_or_else(|| Problem::internal(&"a secret that signs nothing"))?;
    let sender = &context.webhooks.sender;
    let _room = sender.room_for_test().ok_or_else(|| Problem::new(Code::Unavailable))?;
    let outcome = sender.post(&row.url, &message, context.webhooks.test_timeout).await;
    Ok(WebhookTest {
        id,
        delivered: outcome.failure.is_none(),
        response_status: outcome.status.map(i64::from),
        error: outcome.failure.map(send::Failure::as_str),
        took_ms: i64::try_from(outcome.took.as_millis()).unwrap_or(i64::MAX),
    })
}
