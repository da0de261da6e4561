//! The webhooks shown in the spec: made by the use cases' own types, so that they can't drift.

use crate::timestamp::Timestamp;
use crate::webhooks::{Delivery, DeliveryPage, Webhook, WebhookPage, WebhookSecret, WebhookTest};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use uuid::Uuid;

const ID: Uuid = Uuid::from_u128(0x0193_7a5e_0000_7000_8000_0000_0000_0002);
const GAME: Uuid = Uuid::from_u128(0x0193_7a5e_0000_7000_8000_0000_0000_0001);
const AT: Timestamp = Timestamp(1_796_029_200_000_000);
const SECRET: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const MESSAGE: &str = "msg_01937a5e000070008000000000000002_7_12";

pub(super) fn webhook() -> Webhook {
    Webhook {
        id: ID,
        url: "https://portal.example/kauri".to_owned(),
        description: Some("Tells players whose turn it is.".to_owned()),
        events: RawValue::from_string(r#"["game.step","game.ended"]"#.to_owned()).unwrap_or_default(),
        enabled: true,
        disabled_reason: None,
        failing_since: None,
        created_at: AT,
        updated_at: AT,
        secret: None,
    }
}

/// With the secret that only the answer that makes it has.
pub(super) fn created() -> Value {
    let mut webhook = json!(webhook());
    webhook["secret"] = SECRET.into();
    webhook
}

pub(super) fn webhooks() -> WebhookPage {
    WebhookPage { items: vec![webhook()] }
}

pub(super) fn secret() -> WebhookSecret {
    WebhookSecret { secret: SECRET.to_owned(), old_until: Timestamp(AT.0 + 86_400_000_000) }
}

pub(super) fn tested() -> WebhookTest {
    let id = "msg_01937a5e000070008000000000000002_test_01937a5e000070008000000000000003".to_owned();
    WebhookTest { id, delivered: true, response_status: Some(204), error: None, took_ms: 42 }
}

pub(super) fn deliveries() -> DeliveryPage {
    let delivered = Delivery {
        status: "delivered".to_owned(),
        attempts: 1,
        next_attempt_at: None,
        last_attempt_at: Some(AT),
        response_status: Some(204),
        took_ms: Some(42),
        ..pending()
    };
    DeliveryPage { items: vec![delivered], next: None }
}

pub(super) fn pending() -> Delivery {
    Delivery {
        id: MESSAGE.to_owned(),
        event_id: "7.12".to_owned(),
        r#type: "game.step".to_owned(),
        game_id: GAME,
        number: 3,
        status: "pending".to_owned(),
        attempts: 0,
        created_at: AT,
        next_attempt_at: Some(AT),
        last_attempt_at: None,
        response_status: None,
        error: None,
        took_ms: None,
    }
}
