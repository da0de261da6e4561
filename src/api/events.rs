//! What happens, as it happens: streams over HTTP.

mod example;
mod framing;
mod stream;

use crate::accept;
use crate::api::call::{Shown, last_event_id};
use crate::api::extract::{Path, Query};
use crate::api::games::GamePath;
use crate::context::Context;
use crate::games::{FeedFollower, GameFollower};
use crate::openapi::failures;
use crate::problem::{Code, Problem};
use crate::telemetry;
use actix_web::http::header::{self, HeaderName};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get};
use framing::Framing;
use serde::Deserialize;
use std::time::Duration;
use stream::Source;
use utoipa::IntoParams;

failures! { pub(crate) struct FeedFailures: InvalidQuery, InvalidHeader, Unauthorized, PortalOnly, RateLimited }
failures! { pub(crate) struct StreamFailures: InvalidQuery, InvalidHeader, Unauthorized, GameNotFound, RateLimited }

/// Has proxies pass on what they get at once.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// From where on, and how long.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct StreamQuery {
    /// Only what comes after the event with this `id`. `Last-Event-ID`, as a reconnecting `EventSource` sends it,
    /// goes before.
    #[param(nullable = false, max_length = 40, format = "event-id")]
    after: Option<String>,
    /// End after so many seconds; 0 gives what there is. Without it the stream goes on.
    #[param(nullable = false, minimum = 0, maximum = 86_400)]
    timeout: Option<i64>,
}

/// Longest time a stream can be limited to, in seconds.
const LONGEST: i64 = 86_400;

/// Follow a game.
///
/// As server-sent events or, by `Accept`, as NDJSON: one `GameEvent` each. First `game.snapshot`, the game as it is;
/// then each step with the position after it; when the game has ended, `game.ended`, and the stream ends. `id` is the
/// event's number in the game. Who reconnects with `Last-Event-ID` or `after` gets every event after that one, once
/// and in order, and no snapshot; 204 when all is known and nothing more can come. At least every 15 seconds a line
/// comes, if only an empty one or a comment.
#[utoipa::path(
    tag = "events",
    operation_id = "follow_game",
    security(("bearer" = []), ()),
    params(
        GamePath,
        StreamQuery,
        ("Last-Event-ID" = Option<String>, Header, nullable = false, description = "The `id` of the last event seen.", format = "event-id", max_length = 40),
    ),
    responses(
        (
            status = 200,
            description = "The events, as they happen.",
            headers(("Last-Event-ID" = String, description = "Where the stream begins.")),
            content(
                (String = "text/event-stream", example = json!(example::sse())),
                (String = "application/x-ndjson", example = json!(example::ndjson())),
            ),
        ),
        (status = 204, description = "All is known, and nothing more will happen."),
        StreamFailures,
    ),
)]
#[get("/games/{id}/events")]
pub(crate) async fn follow_game(
    context: Data<Context>,
    Path(path): Path<GamePath>,
    Query(query): Query<StreamQuery>,
    request: HttpRequest,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let time = time(&query)?;
    let after = after(&request, query.after)?.map(|text| number(&text)).transpose()?;
    match GameFollower::open(&context, &credential, path.id, after).await? {
        Some(follower) => Ok(answer(&request, Source::Game(Box::new(follower)), time)),
        None => Ok(HttpResponse::NoContent().insert_header((header::CACHE_CONTROL, "no-store")).finish()),
    }
}

/// Follow all games of the portal.
///
/// As server-sent events or, by `Accept`, as NDJSON: one `GameEvent` each, from now on. `Last-Event-ID` on the answer
/// tells where that is. Who reconnects with `Last-Event-ID` or `after` gets every event after that one, once and in
/// order; 0.0 is before the first. Of one game the events come in the order of their numbers. At least every 15
/// seconds a line comes, if only an empty one or a comment.
#[utoipa::path(
    tag = "events",
    operation_id = "follow_portal",
    security(("bearer" = []), ()),
    params(
        StreamQuery,
        ("Last-Event-ID" = Option<String>, Header, nullable = false, description = "The `id` of the last event seen.", format = "event-id", max_length = 40),
    ),
    responses(
        (
            status = 200,
            description = "The events, as they happen.",
            headers(("Last-Event-ID" = String, description = "Where the stream begins.")),
            content(
                (String = "text/event-stream", example = json!(example::feed_sse())),
                (String = "application/x-ndjson", example = json!(example::feed_ndjson())),
            ),
        ),
        FeedFailures,
    ),
)]
#[get("/events")]
pub(crate) async fn follow_portal(
    context: Data<Context>,
    Query(query): Query<StreamQuery>,
    request: HttpRequest,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let time = time(&query)?;
    let after = after(&request, query.after)?;
    let follower = FeedFollower::open(&context, &credential, after.as_deref()).await?;
    Ok(answer(&request, Source::Portal(Box::new(follower)), time))
}

fn answer(request: &HttpRequest, source: Source, time: Option<Duration>) -> HttpResponse {
    let framing = match accept::preferred(request, [framing::SSE, framing::NDJSON]) {
        framing::NDJSON => Framing::Ndjson,
        _ => Framing::Sse,
    };
    // Who asks for the head alone is not kept waiting for a body that never ends.
    let time = if telemetry::is_head() { Some(Duration::ZERO) } else { time };
    HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((BUFFERING, "no"))
        .insert_header((crate::api::call::LAST_EVENT_ID, source.place()))
        .content_type(framing.media_type())
        .streaming(stream::of(source, framing, time))
}

/// The id to go on from: what a reconnecting client adds is newer than what the address says.
fn after(request: &HttpRequest, named: Option<String>) -> Result<Option<String>, Problem> {
    Ok(last_event_id(request)?.or(named))
}

fn number(text: &str) -> Result<i64, Problem> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text).ok_or_else(|| {
        Problem::new(Code::InvalidQuery).error("/after", "unknown_event", "No event has had this id.")
    })
}

fn time(query: &StreamQuery) -> Result<Option<Duration>, Problem> {
    let Some(seconds) = query.timeout else { return Ok(None) };
    match u64::try_from(seconds) {
        Ok(whole) if seconds <= LONGEST => Ok(Some(Duration::from_secs(whole))),
        _ => Err(Problem::new(Code::InvalidQuery).error(
            "/timeout",
            "out_of_range",
            format!("A whole number from 0 to {LONGEST} is taken here."),
        )),
    }
}
