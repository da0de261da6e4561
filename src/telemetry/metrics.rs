//! Counts and durations of requests, for Prometheus.

use actix_web::http::{Method, StatusCode};
use metrics::{
    Counter, Gauge, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The label of requests that no route matches; the path they asked for is anybody's text.
pub const NO_ROUTE: &str = "none";

const REQUESTS: &str = "http_requests_total";
const DURATION: &str = "http_request_duration_seconds";
const STREAMS: &str = "event_streams_open";
const DELIVERIES: &str = "webhook_deliveries_total";
const OLDEST: &str = "webhook_oldest_pending_seconds";

/// Upper bounds of the durations' buckets, in seconds.
const BUCKETS: [f64; 12] =
    [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0];

static RECORDER: Mutex<Option<PrometheusHandle>> = Mutex::new(None);

/// Starts counting, once a process, and gives the means to read the counts.
pub fn install() -> Result<PrometheusHandle, BuildError> {
    let mut installed = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = &*installed {
        return Ok(handle.clone());
    }
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(DURATION.to_owned()), &BUCKETS)?
        .build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder)?;
    describe_counter!(REQUESTS, "Requests answered, by route, method and status.");
    describe_gauge!(STREAMS, "Event streams that are open, by what they follow.");
    describe_counter!(DELIVERIES, "Attempts at deliveries of webhooks, by what the delivery is after them.");
    describe_gauge!(OLDEST, "How long the oldest delivery to an enabled endpoint of webhooks has waited.");
    describe_histogram!(DURATION, "Time from a request's head to its answer's head.");
    *installed = Some(handle.clone());
    Ok(handle)
}

/// A stream that is open; counted as long as it lives.
pub struct Open(Gauge);

impl Open {
    /// Counts a stream that follows `what`.
    #[must_use]
    pub fn new(what: &'static str) -> Self {
        let gauge = gauge!(STREAMS, "of" => what);
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

/// Counts an attempt at a delivery, by the status it left it in.
pub fn delivered(status: &'static str) {
    counter!(DELIVERIES, "status" => status).increment(1);
}

/// Says how long the oldest delivery has waited.
pub fn oldest_delivery(age: Duration) {
    gauge!(OLDEST).set(age.as_secs_f64());
}

type Key = (&'static str, &'static str, StatusCode);

thread_local! {
    /// The meters each thread has used: looking them up anew costs more than the rest of the counting.
    static METERS: RefCell<HashMap<Key, (Counter, Histogram)>> = RefCell::default();
}

/// Counts one answered request.
pub fn record(route: &'static str, method: &Method, status: StatusCode, latency: Duration) {
    METERS.with_borrow_mut(|meters| {
        let (requests, duration) =
            meters.entry((route, known(method), status)).or_insert_with_key(|(route, method, status)| {
                let labels = [
                    ("route", (*route).to_owned()),
                    ("method", (*method).to_owned()),
                    ("status", status.as_u16().to_string()),
                ];
                (counter!(REQUESTS, &labels), histogram!(DURATION, &labels))
            });
        requests.increment(1);
        duration.record(latency);
    });
}

/// The method, where it is a usual one; a caller can make up as many others as it likes.
fn known(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "HEAD" => "HEAD",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}
