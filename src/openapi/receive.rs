//! What is posted to a portal's endpoints: the one operation that others serve. OpenAPI 3.0 has no word for it.

use serde_json::{Value, json};

/// Adds the webhooks.
pub(super) fn tell(document: &mut Value) {
    let header = |name: &str, example: &str, description: &str| {
        json!({
            "name": name,
            "in": "header",
            "required": true,
            "schema": {"type": "string"},
            "example": example,
            "description": description,
        })
    };
    document["webhooks"]["event"]["post"] = json!({
        "operationId": "receive_event",
        "summary": "Take what happened.",
        "description": "Signed as Standard Webhooks has it: by HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`.",
        "tags": ["webhooks"],
        "security": [],
        "parameters": [
            header("webhook-id", "msg_01937a5e000070008000000000000002_7_12", "The same at every attempt."),
            header("webhook-timestamp", "1796029200", "When this attempt was made, in seconds since 1970."),
            header("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "One signature by each secret in force, apart by spaces."),
        ],
        "requestBody": {
            "required": true,
            "content": {"application/json": {"schema": schema(), "examples": {"ended": {"summary": "A game has ended.", "value": example()}}}},
        },
        "responses": {
            "200": {"description": "It is taken; so is any status from 200 to 299."},
            "410": {"description": "The endpoint is gone and is to be disabled. With any other status it is posted again."},
        },
    });
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": {"type": "string", "description": "What happened: the type of `data`. New types may be added.", "example": "game.step"},
            "timestamp": {"type": "string", "format": "date-time", "description": "When it happened.", "example": "2026-11-30T09:00:00.000000Z"},
            "data": {"$ref": "#/components/schemas/GameEvent", "description": "The event, as the portal's stream tells it."},
        },
    })
}

fn example() -> Value {
    let at = "2026-11-30T09:00:00.000000Z";
    json!({"type": "game.ended", "timestamp": at, "data": {
        "id": "7.12", "type": "game.ended", "game_id": "01937a5e-0000-7000-8000-000000000001", "number": 3, "at": at,
        "rules": "kauri", "version": 1, "status": "aborted", "result": {"reason": "abandoned"},
    }})
}
