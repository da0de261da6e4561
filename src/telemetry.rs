//! What is told about the service while it runs: log lines, spans, request ids, metrics.
//!
//! Every request has one access line, and whatever is logged while it is answered names it. A client's mistake is never
//! an error here; the cause of a 5xx is logged once, where it happened. Bodies, queries and credentials are never logged.

mod lines;
pub mod metrics;
mod output;

use crate::config::LogFormat;
use crate::context::{SystemWorld, World};
use crate::routes::{Route, Routes};
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, web};
use lines::Lines;
use output::{Output, Writers};
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tracing::{info, warn};
use tracing_subscriber::EnvFilter;

/// The header that names a request, in and out.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What the web server says of its start and stop repeats what is said here, and what it calls errors are requests
/// that are no HTTP: a client's mistakes. Asked for by name, both still come.
const QUIET: &str = "actix_server=warn,actix_http=off";

/// The header of W3C trace context.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Longest request id taken from a caller.
const MAX_REQUEST_ID: usize = 64;

tokio::task_local! {
    static CURRENT: Current;
}

/// The request being answered.
struct Current {
    id: HeaderValue,
    method: Method,
    route: Option<&'static Route>,
    /// The trace it belongs to.
    trace: Option<String>,
}

impl Current {
    fn id(&self) -> &str {
        self.id.to_str().unwrap_or_default()
    }

    /// What it is counted under.
    fn pattern(&self) -> &'static str {
        self.route.map_or(metrics::NO_ROUTE, |route| route.pattern)
    }
}

/// The target of access lines.
const ACCESS: &str = module_path!();

/// The log directives could not be read, or logging was started twice.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The directives are malformed.
    #[error("the log directives can't be read: {0}")]
    Directives(#[from] tracing_subscriber::filter::ParseError),
    /// There is a logger already.
    #[error("logging was started before: {0}")]
    Started(#[from] tracing_subscriber::util::TryInitError),
    /// No thread can be had.
    #[error("logging can't be started: {0}")]
    Thread(#[from] io::Error),
}

/// Writes the last log lines when it goes.
#[must_use]
#[derive(Debug)]
pub struct Logging(&'static Output);

impl Drop for Logging {
    fn drop(&mut self) {
        self.0.write_out();
    }
}

/// Starts writing log lines to standard output, for as long as what is returned is kept.
pub fn init(format: LogFormat, directives: &str) -> Result<Logging, LogError> {
    use tracing_subscriber::util::SubscriberInitExt;
    let filter = EnvFilter::try_new(format!("{QUIET},{directives}"))?;
    let output = Output::start()?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(io::stdout().is_terminal())
        .event_format(Lines(format))
        .with_writer(Writers(output))
        .finish()
        .try_init()?;
    Ok(Logging(output))
}

/// The id of the request being answered; outside of one, a fresh id.
#[must_use]
pub fn request_id() -> String {
    let id = CURRENT.try_with(|current| current.id.clone()).unwrap_or_else(|_| fresh_id());
    id.to_str().unwrap_or_default().to_owned()
}

/// The route of the request being answered.
pub(crate) fn route() -> Option<&'static Route> {
    CURRENT.try_with(|current| current.route).ok().flatten()
}

/// Whether the head of the answer is all that is wanted.
pub(crate) fn is_head() -> bool {
    CURRENT.try_with(|current| current.method == Method::HEAD).unwrap_or(false)
}

/// An id that no other request has had: a random name of this process and a count.
fn fresh_id() -> HeaderValue {
    static PROCESS: OnceLock<String> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let process = PROCESS.get_or_init(|| SystemWorld.id().simple().to_string().split_off(20));
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    HeaderValue::try_from(format!("{process}-{count:x}")).unwrap_or(HeaderValue::from_static("none"))
}

/// The caller's id for the request where it is sane, else a fresh one.
fn id_of(headers: &HeaderMap) -> HeaderValue {
    let sane = |id: &&HeaderValue| {
        let id = id.as_bytes();
        (1..=MAX_REQUEST_ID).contains(&id.len())
            && id.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
    };
    headers.get(REQUEST_ID).filter(sane).cloned().unwrap_or_else(fresh_id)
}

/// The trace id of a well-formed `traceparent`: `00-<trace id>-<parent id>-<flags>`.
fn trace_id(headers: &HeaderMap) -> Option<&str> {
    let mut parts = headers.get(TRACEPARENT)?.to_str().ok()?.split('-');
    let mut hex = |length: usize| {
        parts.next().filter(|part| {
            part.len() == length && part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        })
    };
    let (version, trace, parent, _flags) = (hex(2)?, hex(32)?, hex(16)?, hex(2)?);
    let null = |part: &str| part.bytes().all(|byte| byte == b'0');
    (version != "ff" && !null(trace) && !null(parent)).then_some(trace)
}

/// The outermost middleware: names the request, writes its access line, counts it.
///
/// A HEAD request is routed as the GET it asks about; the connection leaves the body out.
pub async fn observe<B: MessageBody>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let started = Instant::now();
    let id = id_of(request.headers());
    let route =
        request.app_data::<web::Data<&'static Routes>>().and_then(|routes| routes.find(request.path()));
    let method = request.method().clone();
    let trace = trace_id(request.headers()).map(str::to_owned);
    if method == Method::HEAD {
        request.head_mut().method = Method::GET;
    }
    let current = Current { id: id.clone(), method, route, trace };
    let answered = async {
        let answer = next.call(request).await;
        let status = match &answer {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        let latency = started.elapsed();
        CURRENT.with(|current| metrics::record(current.pattern(), &current.method, status, latency));
        access_line(status, u64::try_from(latency.as_micros()).unwrap_or(u64::MAX));
        answer
    };
    let answer = CURRENT.scope(current, answered).await;
    put(answer, [(REQUEST_ID, id), (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))])
}

fn access_line(status: StatusCode, latency_us: u64) {
    let status = status.as_u16();
    if status >= 500 {
        warn!(status, latency_us, "answered");
    } else {
        info!(status, latency_us, "answered");
    }
}

/// Puts headers on an answer, whichever way it comes.
pub(crate) fn put<B>(
    answer: Result<ServiceResponse<B>, Error>,
    headers: [(HeaderName, HeaderValue); 2],
) -> Result<ServiceResponse<B>, Error> {
    let insert = |all: &mut HeaderMap, headers: [(HeaderName, HeaderValue); 2]| {
        for (name, value) in headers {
            all.insert(name, value);
        }
    };
    match answer {
        Ok(mut response) => {
            insert(response.headers_mut(), headers);
            Ok(response)
        }
        Err(mut error) => {
            error.add_response_mapper(move |mut response| {
                insert(response.headers_mut(), headers.clone());
                response
            });
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, HeaderValue, REQUEST_ID, TRACEPARENT, id_of, request_id, trace_id};

    fn headers(name: &super::HeaderName, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name.clone(), HeaderValue::from_str(value).unwrap());
        headers
    }

    #[test]
    fn a_sane_request_id_is_kept_and_another_replaced() {
        assert_eq!(id_of(&headers(&REQUEST_ID, "a.B_9-")), "a.B_9-");
        let long = "x".repeat(65);
        for bad in ["", "a b", "<script>", long.as_str()] {
            assert_ne!(id_of(&headers(&REQUEST_ID, bad)), bad);
        }
        assert_ne!(request_id(), request_id());
    }

    #[test]
    fn a_well_formed_traceparent_gives_its_trace_id() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let good = format!("00-{trace}-00f067aa0ba902b7-01");
        assert_eq!(trace_id(&headers(&TRACEPARENT, &good)), Some(trace));
        for bad in [
            "",
            "00",
            &good.to_uppercase(),
            &good.replace("00-", "ff-"),
            &good.replace("00f067aa0ba902b7", "0000000000000000"),
            &good.replace(trace, "00000000000000000000000000000000"),
        ] {
            assert_eq!(trace_id(&headers(&TRACEPARENT, bad)), None, "{bad}");
        }
    }
}
