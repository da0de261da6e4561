//! The OpenAPI documents, made from the code.
//!
//! The operations describe themselves; `finish` adds what is the same for all of them, and
//! [`downgrade`] makes a 3.0 document of it for the many generators that read no other.

pub mod downgrade;
pub mod failures;
mod finish;
mod links;
mod receive;
mod vocabulary;

pub(crate) use failures::failures;

use crate::api;
use serde_json::Value;
use utoipa::Modify;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_actix_web::AppExt;

/// What the document says of the service as a whole.
#[derive(OpenApi)]
#[openapi(
    info(title = "Kauri", description = ABOUT, license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")),
    servers((url = "/", description = "The service that serves this document.")),
    tags(
        (name = "events", description = "What happens, as it happens."),
        (name = "games", description = "Games that the service keeps."),
        (name = "players", description = "What a portal's players have played."),
        (name = "rules", description = "The rules as functions of posted states; nothing is stored."),
        (name = "service", description = "The service itself: its health, its documents, its problems."),
        (name = "webhooks", description = "Where a portal is told of what happens, as Standard Webhooks."),
    ),
    modifiers(&Bearer),
)]
struct Base;

const ABOUT: &str = "\
A game-rules service: it lists, validates, applies and replays moves of Kauri and Ashta-kashte, on states that the \
caller posts or in games that it keeps.

- Evolution is additive: new members, operations, rules, problem codes, event types and end reasons may appear, so \
a client ignores what it doesn't know. Unknown members in requests are refused, since they are typos.
- JSON in snake_case with an object at the top; times in RFC 3339, UTC, with microseconds; ids are opaque strings; \
optional means absent, never null. No string holds the character U+0000.
- Every failure is a `Problem` (`application/problem+json`). `code` is stable, and `GET /problems/{code}` explains it.
- `x-request-id` is taken from the request or made, and is on every answer.
- A caller has a budget of requests a second where the operator sets one. Answers then carry `RateLimit-Policy` and \
`RateLimit`, and 429 tells with `Retry-After` when to try again.";

/// The credential that operations may ask for.
struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let description = "A portal key (`kauri_pk_…`) or a seat token (`kauri_st_…`). A service without portal keys \
                           takes anonymous callers.";
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(description)).build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme));
    }
}

/// The document in OpenAPI 3.1.
#[must_use]
pub fn document() -> Value {
    let app = actix_web::App::new()
        .into_utoipa_app()
        .openapi(Base::openapi())
        .configure(|config| api::operations(config));
    let mut document = serde_json::to_value(app.split_for_parts().1).unwrap_or_default();
    finish::finish(&mut document);
    vocabulary::tell(&mut document);
    links::tie(&mut document);
    receive::tell(&mut document);
    document
}

/// The documents as they are kept in the repository: file name and text.
#[must_use]
pub fn texts() -> [(&'static str, String); 2] {
    let document = document();
    let older = downgrade::downgrade(&document);
    [("openapi.json", text(&document)), ("openapi-3.0.json", text(&older))]
}

fn text(document: &Value) -> String {
    format!("{document:#}\n")
}
