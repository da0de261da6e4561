//! Webhooks over HTTP. Each handler reads the request, calls a use case and puts its answer on the wire.

mod example;
mod log;
mod manage;

pub(crate) use log::{list_deliveries, redeliver, test_webhook};
pub(crate) use manage::{
    change_webhook, create_webhook, delete_webhook, get_webhook, list_webhooks, rotate_secret,
};

use super::games::id;
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

/// Which endpoint.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct WebhookPath {
    /// The endpoint's id, as the service spells it.
    #[serde(deserialize_with = "id")]
    #[param(value_type = String, format = "webhook-id", example = "01937a5e-0000-7000-8000-000000000002")]
    id: Uuid,
}

/// Which delivery to which endpoint.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct DeliveryPath {
    /// The endpoint's id, as the service spells it.
    #[serde(deserialize_with = "id")]
    #[param(value_type = String, format = "webhook-id", example = "01937a5e-0000-7000-8000-000000000002")]
    id: Uuid,
    /// The delivery's id.
    #[param(example = "msg_01937a5e000070008000000000000002_7_12")]
    delivery: String,
}
