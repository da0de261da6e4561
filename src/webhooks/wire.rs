//! What is posted and answered about webhooks.

use super::id;
use super::secret::Secrets;
use crate::api::extract::{listed, present};
use crate::games::{decode, raw};
use crate::problem::Problem;
use crate::store::{DeliveryRow, WebhookRow};
use crate::timestamp::Timestamp;
use kauri_rules::present_whole;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// An endpoint of webhooks to be made.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// Where events are posted to: HTTPS, on the public internet, without credentials or fragment.
    #[schema(
        format = "webhook-url",
        min_length = 1,
        max_length = 2000,
        example = "https://portal.example/kauri"
    )]
    pub url: String,
    /// A note on what it is for.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, max_length = 200)]
    pub description: Option<String>,
    /// The types of events wanted: `game.created`, `game.step`, `game.ended`, `game.imported`. Without it, or empty, all
    /// there are.
    #[serde(default, deserialize_with = "listed")]
    #[schema(value_type = Vec<EventType>, inline, nullable = false, max_items = 16)]
    pub events: Option<Vec<String>>,
    /// Whether to begin at once, which is the default.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    pub enabled: Option<bool>,
}

/// What is to be changed of an endpoint; what is left out stays.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeWebhook {
    /// Where events are posted to from now on, those that are still to be delivered included.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, format = "webhook-url", min_length = 1, max_length = 2000)]
    pub url: Option<String>,
    /// A note on what it is for.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, max_length = 200)]
    pub description: Option<String>,
    /// The types of events wanted from now on; empty for all there are.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<EventType>, inline, nullable = false, max_items = 16)]
    pub events: Option<Vec<String>>,
    /// Whether it is posted to. What happens while it is not is delivered when it is again.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    pub enabled: Option<bool>,
}

/// A type of events.
// Only its schema is wanted: the members of a list have no limits otherwise.
#[derive(ToSchema)]
#[schema(min_length = 1, max_length = 64, example = "game.step")]
struct EventType(#[expect(dead_code, reason = "only its schema is wanted")] String);

/// How a secret is to be replaced.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateSecret {
    /// For how many seconds the old secret goes on signing beside the new one; a day by default.
    #[serde(default, deserialize_with = "present_whole")]
    #[schema(nullable = false, minimum = 0, maximum = 604_800, example = 86_400)]
    pub overlap_seconds: Option<i64>,
}

/// An endpoint of webhooks.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Webhook {
    /// The endpoint's id.
    #[schema(value_type = String, example = "01937a5e-0000-7000-8000-000000000002")]
    pub id: Uuid,
    /// Where events are posted to.
    #[schema(max_length = 2000, example = "https://portal.example/kauri")]
    pub url: String,
    /// A note on what it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 200)]
    pub description: Option<String>,
    /// The types of events wanted; empty for all there are.
    #[schema(value_type = Vec<String>, max_items = 16)]
    pub events: Box<RawValue>,
    /// Whether it is posted to.
    pub enabled: bool,
    /// Why it is not: `portal` (the portal said so), `gone` (it answered 410) or `failing` (it took nothing for four
    /// days).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "failing")]
    pub disabled_reason: Option<String>,
    /// Since when no delivery was taken, if the last one was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, nullable = false, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub failing_since: Option<Timestamp>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub created_at: Timestamp,
    /// When the portal last changed it.
    #[schema(value_type = String, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub updated_at: Timestamp,
    /// What deliveries are signed with; only in the answer that makes the endpoint, never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "whsec_…")]
    pub secret: Option<String>,
}

/// A portal's endpoints.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookPage {
    /// The endpoints, oldest first; all there are.
    #[schema(max_items = 20)]
    pub items: Vec<Webhook>,
}

/// A new secret of an endpoint.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookSecret {
    /// What deliveries are signed with from now on; told this once.
    #[schema(example = "whsec_…")]
    pub secret: String,
    /// Until when the old secret signs as well.
    #[schema(value_type = String, format = DateTime, example = "2026-12-01T09:00:00.000000Z")]
    pub old_until: Timestamp,
}

/// What came of a test.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookTest {
    /// The `webhook-id` that was sent.
    #[schema(example = "msg_01937a5e000070008000000000000002_test_01937a5e000070008000000000000003")]
    pub id: String,
    /// Whether it was taken, which is answering with a status from 200 to 299 in time.
    pub delivered: bool,
    /// The status of the answer, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 100, maximum = 999, example = 204)]
    pub response_status: Option<i64>,
    /// Why it was not taken: `status`, `redirect`, `timeout`, `connect`, `tls`, `resolve`, `refused_address` or
    /// `protocol`. New words may be added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "timeout")]
    pub error: Option<&'static str>,
    /// How long it took, in milliseconds.
    #[schema(minimum = 0, example = 42)]
    pub took_ms: i64,
}

/// The delivery of one event to one endpoint.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Delivery {
    /// The delivery's id, and the `webhook-id` of every attempt.
    #[schema(example = "msg_01937a5e000070008000000000000002_7_12")]
    pub id: String,
    /// The event's id.
    #[schema(example = "7.12")]
    pub event_id: String,
    /// The event's type.
    #[schema(example = "game.step")]
    pub r#type: String,
    /// The game.
    #[schema(value_type = String, example = "01937a5e-0000-7000-8000-000000000001")]
    pub game_id: Uuid,
    /// The event's number within its game.
    #[schema(minimum = 1, example = 3)]
    pub number: i64,
    /// `pending`, `delivered` or `failed`.
    #[schema(example = "delivered")]
    pub status: String,
    /// How often it was tried, since it was last asked for.
    #[schema(minimum = 0, example = 1)]
    pub attempts: i64,
    /// When the event was taken up for this endpoint.
    #[schema(value_type = String, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub created_at: Timestamp,
    /// When it is tried next; absent when it is finished, or while it waits for an earlier event of its game.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, nullable = false, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub next_attempt_at: Option<Timestamp>,
    /// When it was last tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, nullable = false, format = DateTime, example = "2026-11-30T09:00:00.000000Z")]
    pub last_attempt_at: Option<Timestamp>,
    /// The status of the last answer, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 100, maximum = 999, example = 204)]
    pub response_status: Option<i64>,
    /// Why the last attempt failed: the words of a test, or `event_gone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "timeout")]
    pub error: Option<String>,
    /// How long the last attempt took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, example = 42)]
    pub took_ms: Option<i64>,
}

/// A page of deliveries.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeliveryPage {
    /// The deliveries, newest event first.
    #[schema(max_items = 100)]
    pub items: Vec<Delivery>,
    /// What to pass as `cursor` for the page that follows; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<String>,
}

/// Which deliveries, and which page of them.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListDeliveries {
    /// Only deliveries with this status: `pending`, `delivered` or `failed`.
    #[param(nullable = false, example = "failed")]
    pub status: Option<String>,
    /// At most so many; 20 by default.
    #[param(nullable = false, minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// The `next` of the page before, with the same filter.
    #[param(nullable = false)]
    pub cursor: Option<String>,
}

impl Webhook {
    pub(super) fn from_row(row: WebhookRow) -> Result<Self, Problem> {
        Ok(Self {
            id: row.id,
            url: row.url,
            description: Some(row.description).filter(|text| !text.is_empty()),
            events: raw(row.events)?,
            enabled: row.status == "enabled",
            disabled_reason: row.reason,
            failing_since: row.failing_since,
            created_at: row.created_at,
            updated_at: row.updated_at,
            secret: None,
        })
    }
}

impl Delivery {
    pub(super) fn from_row(row: DeliveryRow) -> Self {
        Self {
            id: id::of(row.endpoint_id, row.position),
            event_id: format!("{}.{}", row.position.tx, row.position.seq),
            r#type: row.r#type,
            game_id: row.game_id,
            number: row.number,
            status: row.status,
            attempts: row.attempts,
            created_at: row.created_at,
            next_attempt_at: row.next_at,
            last_attempt_at: row.tried_at,
            response_status: row.response_status,
            error: row.error,
            took_ms: row.took.map(|micros| micros / 1_000),
        }
    }
}

impl ListDeliveries {
    /// The address of the page after a cursor, with the same filter.
    #[must_use]
    pub fn address(&self, webhook: Uuid, cursor: &str) -> String {
        let path = format!("/webhooks/{webhook}/deliveries?");
        let query_at = path.len();
        let mut query = form_urlencoded::Serializer::for_suffix(path, query_at);
        if let Some(status) = &self.status {
            query.append_pair("status", status);
        }
        if let Some(limit) = self.limit {
            query.append_pair("limit", &limit.to_string());
        }
        query.append_pair("cursor", cursor).finish()
    }
}

/// The secrets of a stored endpoint.
pub(super) fn secrets(row: &WebhookRow) -> Result<Secrets, Problem> {
    decode(&row.secrets)
}
