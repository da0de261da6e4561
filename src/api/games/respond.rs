//! Answers about games on the wire.

use crate::games::Answer;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName};
use serde::Serialize;

/// Says that an answer repeats an earlier one.
pub(in crate::api) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// What a state-changing request is answered with.
pub(crate) fn answer(answer: Answer) -> HttpResponse {
    let status = if answer.created { StatusCode::CREATED } else { StatusCode::OK };
    let mut response = HttpResponse::build(status);
    response.insert_header((header::ETAG, answer.etag)).insert_header((header::CACHE_CONTROL, "no-store"));
    if let Some(location) = answer.location {
        response.insert_header((header::LOCATION, location));
    }
    if answer.replayed {
        response.insert_header((REPLAYED, "true"));
    }
    response.content_type("application/json").body(answer.body)
}

/// A representation that may be kept, but must be asked about before it is used again.
pub(crate) fn tagged(etag: String, body: Option<&impl Serialize>) -> HttpResponse {
    let status = if body.is_some() { StatusCode::OK } else { StatusCode::NOT_MODIFIED };
    let mut response = HttpResponse::build(status);
    response.insert_header((header::ETAG, etag)).insert_header((header::CACHE_CONTROL, "private, no-cache"));
    match body {
        Some(body) => response.json(body),
        None => response.finish(),
    }
}

/// What is a caller's own, and may be another a moment later.
pub(crate) fn private(body: &impl Serialize) -> HttpResponse {
    HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "private, no-cache")).json(body)
}

/// A page, with the address of the one that follows.
pub(crate) fn page(body: &impl Serialize, next: Option<String>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CACHE_CONTROL, "private, no-cache"));
    if let Some(next) = next {
        response.insert_header((header::LINK, format!("<{next}>; rel=\"next\"")));
    }
    response.json(body)
}
