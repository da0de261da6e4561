//! What happens, as it happens: streams over HTTP.

mod example;
mod framing;
mod stream;

use crate::accept;
use crate::api::call::{LAST_EVENT_ID, Shown, last_event_id};
use crate::api::extract::{Path, Query};
use crate::api::games::GamePath;
use crate::context::Context;
use crate::events::Woken;
use crate::games::{EventPage, FeedFollower, Found, GameFollower};
use crate::limits;
use crate::openapi::failures;
use crate::problem::{Code, Problem};
use crate::telemetry;
use actix_web::http::header::{self, HeaderName};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, get};
use framing::Framing;
use serde::Deserialize;
use std::time::Duration;
use stream::Source;
use tokio::time::{Instant, timeout_at};
use utoipa::IntoParams;

failures! { pub(crate) struct FeedFailures: InvalidQuery, InvalidHeader, Unauthorized, PortalOnly, RateLimited }
failures! { pub(crate) struct StreamFailures: InvalidQuery, InvalidHeader, Unauthorized, GameNotFound, RateLimited }

const JSON: &str = "application/json";

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
    /// A page waits so many seconds for something to happen, 0 by default and never more than 60. A stream ends after
    /// so many seconds; without it it goes on.
    #[param(nullable = false, minimum = 0, maximum = 86_400)]
    timeout: Option<i64>,
}

/// Longest time a stream can be limited to, in seconds.
const LONGEST: i64 = 86_400;

/// Longest time a page waits for something to happen.
const PAGE_WAIT: Duration = Duration::from_mins(1);

/// Follow a game.
///
/// First `game.snapshot`, the game as it is; then each step with the position after it; at the end `game.ended`. `id`
/// is the event's number in the game. With `after` come the events after that one, each once and in order, and no
/// snapshot.
///
/// As JSON a page of what has happened: pass `next` as `after` for what happens then. Who asks by `Accept` for
/// `text/event-stream` or `application/x-ndjson` gets a stream that goes on as the game does and ends with it: each
/// event a `GameEvent`, at least every 15 seconds something, if only a comment or an empty line. There 204 says that
/// all is known and nothing more can come, so that an `EventSource` stops.
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
            description = "The events.",
            headers(("Last-Event-ID" = String, description = "After which event this begins.")),
            content(
                (EventPage = "application/json", example = json!(example::page())),
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
    let follower = GameFollower::open(&context, &credential, path.id, after).await?;
    answer(&request, Source::Game(Box::new(follower)), time).await
}

/// Follow all games of the portal.
///
/// What happens from now on; `Last-Event-ID` on the answer tells where that is. With `after` come the events after
/// that one, each once and in order; `0.0` is before the first. Of one game the events come in the order of their
/// numbers.
///
/// As JSON a page of what has happened: pass `next` as `after` for what happens then. Who asks by `Accept` for
/// `text/event-stream` or `application/x-ndjson` gets a stream that goes on: each event a `GameEvent`, at least every
/// 15 seconds something, if only a comment or an empty line.
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
            description = "The events.",
            headers(("Last-Event-ID" = String, description = "After which event this begins.")),
            content(
                (EventPage = "application/json", example = json!(example::feed_page())),
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
    answer(&request, Source::Portal(Box::new(follower)), time).await
}

/// A page, or a stream where one is asked for: what reads an answer to its end must not wait for ever.
async fn answer(
    request: &HttpRequest,
    mut source: Source,
    time: Option<Duration>,
) -> Result<HttpResponse, Problem> {
    let framing = match accept::preferred(request, [JSON, framing::SSE, framing::NDJSON]) {
        framing::SSE => Framing::Sse,
        framing::NDJSON => Framing::Ndjson,
        _ => {
            let place = source.place();
            let page = page(&mut source, time.unwrap_or_default().min(PAGE_WAIT)).await?;
            return Ok(begun(HttpResponse::Ok(), place).json(page));
        }
    };
    if source.is_over() {
        return Ok(HttpResponse::NoContent().insert_header((header::CACHE_CONTROL, "no-store")).finish());
    }
    // Who asks for the head alone is not kept waiting for a body that never ends.
    let time = if telemetry::is_head() { Some(Duration::ZERO) } else { time };
    Ok(begun(HttpResponse::Ok(), source.place())
        .insert_header((BUFFERING, "no"))
        .content_type(framing.media_type())
        .streaming(stream::of(source, framing, time)))
}

fn begun(mut response: HttpResponseBuilder, place: String) -> HttpResponseBuilder {
    response.insert_header((header::CACHE_CONTROL, "no-store")).insert_header((LAST_EVENT_ID, place));
    response
}

/// What has happened, as soon as something has, and when the time is up anyway.
async fn page(source: &mut Source, time: Duration) -> Result<EventPage, Problem> {
    let end = Instant::now() + time;
    limits::patience(time);
    loop {
        let (items, ended) = match source.look().await? {
            Found::New(events) => (events, false),
            Found::End => (Vec::new(), true),
            Found::Nothing if matches!(timeout_at(end, source.woken()).await, Ok(Woken::News)) => continue,
            Found::Nothing => (Vec::new(), false),
        };
        return Ok(EventPage { items, next: source.place(), ended: ended || source.is_over() });
    }
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
