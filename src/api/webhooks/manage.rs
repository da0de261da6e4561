//! Managing endpoints.

use super::{WebhookPath, example};
use crate::api::call::{Shown, call, credential};
use crate::api::extract::{Json, JsonOrNothing, Path};
use crate::context::Context;
use crate::openapi::failures;
use crate::problem::Problem;
use crate::webhooks::{self, ChangeWebhook, NewWebhook, RotateSecret, Webhook, WebhookPage, WebhookSecret};
use actix_web::http::header;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post};

failures! {
    pub(crate) struct CreateFailures: InvalidHeader, Unauthorized, ReadOnly, PortalOnly, TooManyWebhooks,
        InvalidWebhook, IdempotencyKeyReused, RateLimited
}
failures! { pub(crate) struct ListFailures: Unauthorized, PortalOnly, RateLimited }
failures! { pub(crate) struct WebhookFailures: Unauthorized, PortalOnly, WebhookNotFound, RateLimited }
failures! {
    pub(crate) struct ChangeFailures: Unauthorized, ReadOnly, PortalOnly, WebhookNotFound, InvalidWebhook, RateLimited
}
failures! { pub(crate) struct WriteFailures: Unauthorized, ReadOnly, PortalOnly, WebhookNotFound, RateLimited }

/// Make an endpoint of webhooks.
///
/// Every event of the portal's games from now on is posted to it as a Standard Webhook, `{type, timestamp, data}` with
/// `data` as the portal's stream tells it: the events of one game one after the other, those of several games side by
/// side. An event is delivered when the endpoint answers
/// with a status from 200 to 299 within 15 seconds; redirects are not followed. Otherwise it is tried again after 5
/// seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours, under the same `webhook-id`. After three attempts later
/// events of its game no longer wait for it: `number` tells their order. What was delivered may come again, so a
/// receiver keeps the ids it has seen. `secret` is answered this once.
#[utoipa::path(
    tag = "webhooks",
    operation_id = "create_webhook",
    security(("bearer" = []), ()),
    params(
        ("Idempotency-Key" = Option<String>, Header, nullable = false, format = "printable-ascii", min_length = 1,
            max_length = 255,
            description = "A retry with the same key and body is answered the same, and nothing is done twice."),
    ),
    request_body(content = NewWebhook, examples(
        ("all" = (summary = "All events", value = json!({"url": "https://portal.example/kauri"}))),
        ("some" = (summary = "Some types of events", value = json!({
            "url": "https://portal.example/turns?source=kauri",
            "description": "Tells players whose turn it is.",
            "events": ["game.step", "game.ended"],
        }))),
    )),
    responses(
        (
            status = 201,
            description = "The endpoint, with its secret.",
            body = Webhook,
            headers(
                ("Location" = String, description = "The endpoint's path."),
                ("Idempotency-Replayed" = Option<String>, description = "`true` when this repeats an earlier answer."),
            ),
            example = json!(example::created()),
        ),
        CreateFailures,
    ),
)]
#[post("/webhooks")]
pub(crate) async fn create_webhook(
    context: Data<Context>,
    request: HttpRequest,
    Json { value, raw }: Json<NewWebhook>,
) -> Result<HttpResponse, Problem> {
    let call = call(&request, "POST /webhooks".to_owned(), &raw)?;
    let created = webhooks::create(&context, &call, &value).await?;
    let mut response = HttpResponse::Created();
    response
        .insert_header((header::LOCATION, created.location))
        .insert_header((header::CACHE_CONTROL, "no-store"));
    if created.replayed {
        response.insert_header((crate::api::games::REPLAYED, "true"));
    }
    Ok(response.content_type("application/json").body(created.body))
}

/// List the portal's endpoints of webhooks.
///
/// All of them, oldest first.
#[utoipa::path(
    tag = "webhooks",
    operation_id = "list_webhooks",
    security(("bearer" = []), ()),
    responses(
        (status = 200, description = "The endpoints.", body = WebhookPage, example = json!(example::webhooks())),
        ListFailures,
    ),
)]
#[get("/webhooks")]
pub(crate) async fn list_webhooks(
    context: Data<Context>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    Ok(fresh().json(webhooks::list(&context, &credential).await?))
}

/// Read an endpoint of webhooks.
///
/// Never with its secret.
#[utoipa::path(
    tag = "webhooks",
    operation_id = "get_webhook",
    security(("bearer" = []), ()),
    params(WebhookPath),
    responses(
        (status = 200, description = "The endpoint.", body = Webhook, example = json!(example::webhook())),
        WebhookFailures,
    ),
)]
#[get("/webhooks/{id}")]
pub(crate) async fn get_webhook(
    context: Data<Context>,
    Path(path): Path<WebhookPath>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    Ok(fresh().json(webhooks::get(&context, &credential, path.id).await?))
}

/// Change an endpoint of webhooks.
///
/// What is left out stays. What was not delivered yet goes to the new address. An endpoint that was disabled goes on
/// where it stopped when it is enabled again; one that shall not, is deleted and made anew.
#[utoipa::path(
    tag = "webhooks",
    operation_id = "change_webhook",
    security(("bearer" = []), ()),
    params(WebhookPath),
    request_body(content = ChangeWebhook, examples(
        ("move" = (summary = "Another address", value = json!({"url": "https://portal.example/kauri/2"}))),
        ("pause" = (summary = "Not for now", value = json!({"enabled": false}))),
    )),
    responses(
        (status = 200, description = "The endpoint, changed.", body = Webhook, example = json!(example::webhook())),
        ChangeFailures,
    ),
)]
#[patch("/webhooks/{id}")]
pub(crate) async fn change_webhook(
    context: Data<Context>,
    Path(path): Path<WebhookPath>,
    request: HttpRequest,
    Json { value, .. }: Json<ChangeWebhook>,
) -> Result<HttpResponse, Problem> {
    let credential = credential(&request)?;
    Ok(fresh().json(webhooks::change(&context, &credential, path.id, &value).await?))
}

/// Delete an endpoint of webhooks.
///
/// It is posted to no more, and its deliveries are forgotten.
#[utoipa::path(
    tag = "webhooks",
    operation_id = "delete_webhook",
    security(("bearer" = []), ()),
    params(WebhookPath),
    responses(
        (status = 204, description = "It is deleted."),
        WriteFailures,
    ),
)]
#[delete("/webhooks/{id}")]
pub(crate) async fn delete_webhook(
    context: Data<Context>,
    Path(path): Path<WebhookPath>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    webhooks::delete(&context, &credential, path.id).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Give an endpoint a new secret.
///
/// For a day, or as long as `overlap_seconds` says, the old secret signs beside the new one: `webhook-signature` holds
/// a signature by each. The body may be left out. `secret` is answered this once; when the answer is lost, ask again.
#[utoipa::path(
    tag = "webhooks",
    operation_id = "rotate_webhook_secret",
    security(("bearer" = []), ()),
    params(WebhookPath),
    request_body(content = Option<RotateSecret>, examples(
        ("hour" = (summary = "The old secret signs for an hour", value = json!({"overlap_seconds": 3600}))),
    )),
    responses(
        (status = 200, description = "The new secret.", body = WebhookSecret, example = json!(example::secret())),
        WriteFailures,
    ),
)]
#[post("/webhooks/{id}/secret")]
pub(crate) async fn rotate_secret(
    context: Data<Context>,
    Path(path): Path<WebhookPath>,
    request: HttpRequest,
    JsonOrNothing { value, .. }: JsonOrNothing<RotateSecret>,
) -> Result<HttpResponse, Problem> {
    let credential = credential(&request)?;
    Ok(fresh().json(webhooks::rotate(&context, &credential, path.id, &value).await?))
}

/// What is answered may be other the next time, or secret.
pub(super) fn fresh() -> actix_web::HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CACHE_CONTROL, "no-store"));
    response
}
