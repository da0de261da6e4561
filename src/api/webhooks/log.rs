//! Deliveries, and tests.

use super::manage::fresh;
use super::{DeliveryPath, WebhookPath, example};
use crate::api::call::Shown;
use crate::api::extract::{Path, Query};
use crate::context::Context;
use crate::openapi::failures;
use crate::problem::Problem;
use crate::webhooks::{self, Delivery, DeliveryPage, ListDeliveries, WebhookTest};
use actix_web::http::header;
use actix_web::web::Data;
use actix_web::{HttpResponse, get, post};

failures! { pub(crate) struct LogFailures: InvalidQuery, Unauthorized, PortalOnly, WebhookNotFound, RateLimited }
failures! { pub(crate) struct TestFailures: Unauthorized, ReadOnly, PortalOnly, WebhookNotFound, RateLimited }
failures! {
    pub(crate) struct RedeliverFailures: Unauthorized, ReadOnly, PortalOnly, WebhookNotFound, DeliveryNotFound,
        WebhookDisabled, RateLimited
}

/// Post a test to an endpoint.
///
/// Once, now, and whether or not the endpoint is enabled: a signed `webhook.test`, whose `data` names the endpoint. What
/// came of it is the answer, and stands in no log.
#[utoipa::path(
    tag = "webhooks",
    operation_id = "test_webhook",
    security(("bearer" = []), ()),
    params(WebhookPath),
    responses(
        (status = 200, description = "What came of it.", body = WebhookTest, example = json!(example::tested())),
        TestFailures,
    ),
)]
#[post("/webhooks/{id}/test")]
pub(crate) async fn test_webhook(
    context: Data<Context>,
    Path(path): Path<WebhookPath>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    Ok(fresh().json(webhooks::test(&context, &credential, path.id).await?))
}

/// List an endpoint's deliveries.
///
/// Newest event first, in pages: pass `next` as `cursor` with the same filter for the page that follows. What was
/// delivered or given up is forgotten after a while, which the operator sets.
#[utoipa::path(
    tag = "webhooks",
    operation_id = "list_deliveries",
    security(("bearer" = []), ()),
    params(WebhookPath, ListDeliveries),
    responses(
        (
            status = 200,
            description = "A page of deliveries.",
            body = DeliveryPage,
            headers(("Link" = Option<String>, description = "The page that follows, as `rel=\"next\"`; absent on the last.")),
            example = json!(example::deliveries()),
        ),
        LogFailures,
    ),
)]
#[get("/webhooks/{id}/deliveries")]
pub(crate) async fn list_deliveries(
    context: Data<Context>,
    Path(path): Path<WebhookPath>,
    Query(wanted): Query<ListDeliveries>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let page = webhooks::deliveries(&context, &credential, path.id, &wanted).await?;
    let mut response = fresh();
    if let Some(next) = &page.next {
        let address = wanted.address(path.id, next);
        response.insert_header((header::LINK, format!("<{address}>; rel=\"next\"")));
    }
    Ok(response.json(page))
}

/// Deliver an event to an endpoint again.
///
/// Whatever became of it, under the same `webhook-id`, and from the beginning of the schedule. Nothing waits for it.
#[utoipa::path(
    tag = "webhooks",
    operation_id = "redeliver",
    security(("bearer" = []), ()),
    params(DeliveryPath),
    responses(
        (
            status = 202,
            description = "The delivery, which is tried next.",
            body = Delivery,
            example = json!(example::pending()),
        ),
        RedeliverFailures,
    ),
)]
#[post("/webhooks/{id}/deliveries/{delivery}/redeliver")]
pub(crate) async fn redeliver(
    context: Data<Context>,
    Path(path): Path<DeliveryPath>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let delivery = webhooks::redeliver(&context, &credential, path.id, &path.delivery).await?;
    Ok(HttpResponse::Accepted().insert_header((header::CACHE_CONTROL, "no-store")).json(delivery))
}
