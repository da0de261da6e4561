//! What a webhook says, by the payload that Standard Webhooks recommends: type, time and data.

use super::secret::Secrets;
use super::send::Message;
use crate::games::{GameEvent, encode};
use crate::problem::Problem;
use crate::timestamp::Timestamp;
use serde::Serialize;
use uuid::Uuid;

/// The type of a test.
const TEST: &str = "webhook.test";

/// What is posted to an endpoint of webhooks.
#[derive(Clone, Debug, Serialize)]
pub struct WebhookEvent {
    /// What happened: `game.created`, `game.step` or `game.ended`. New types may be added.
    pub r#type: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The event, as the portal's stream has it.
    pub data: GameEvent,
}

/// The body that tells of an event.
pub(super) fn of(event: GameEvent) -> Result<String, Problem> {
    encode(&WebhookEvent { r#type: event.r#type.clone(), timestamp: event.at, data: event })
}

/// The body of a test.
pub(super) fn test(webhook: Uuid, now: Timestamp) -> Result<String, Problem> {
    encode(&serde_json::json!({"type": TEST, "timestamp": now, "data": {"webhook_id": webhook}}))
}

/// The message of one attempt. None when nothing signs, which no stored endpoint comes to.
pub(super) fn signed(id: String, body: String, secrets: &Secrets, now: Timestamp) -> Option<Message> {
    let timestamp = now.0.div_euclid(1_000_000);
    let signature = secrets.sign(&id, timestamp, body.as_bytes(), now)?;
    Some(Message { id, timestamp, signature, body })
}
