//! What watches the service: is it alive, is it ready, what has it done.

use crate::context::Context;
use crate::openapi::failures;
use crate::problem::{Code, Problem};
use actix_web::http::header;
use actix_web::{HttpResponse, get, web};
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use utoipa::ToSchema;

/// How the service is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`, or `ready`.
    #[schema(value_type = String, example = "ok")]
    status: &'static str,
}

failures! { pub(crate) struct NoFailures: }

fn fresh(status: &'static str) -> HttpResponse {
    HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(Health { status })
}

/// Tell whether the process is alive.
///
/// Says nothing about the database: an orchestrator should restart what doesn't answer this, and only that.
#[utoipa::path(
    tag = "service",
    operation_id = "get_health",
    security(()),
    responses(
        (status = 200, description = "It is.", body = Health, example = json!(Health { status: "ok" })),
        NoFailures,
    ),
)]
#[get("/healthz")]
pub(crate) async fn alive() -> HttpResponse {
    fresh("ok")
}

/// Tell whether the service can do its work.
///
/// It can when its database is reachable and migrated. Requests should be sent only to what answers 200 here.
#[utoipa::path(
    tag = "service",
    operation_id = "get_readiness",
    security(()),
    responses(
        (status = 200, description = "It can.", body = Health, example = json!(Health { status: "ready" })),
        NoFailures,
    ),
)]
#[get("/readyz")]
pub(crate) async fn ready(context: web::Data<Context>) -> Result<HttpResponse, Problem> {
    context.store.ready().await.map_err(|cause| {
        tracing::warn!(%cause, "the database is not ready");
        Problem::new(Code::Unavailable).detail("The database is not ready.")
    })?;
    Ok(fresh("ready"))
}

/// Read what has been counted.
///
/// In the text format of Prometheus: requests and their durations, by route, method and status.
#[utoipa::path(
    tag = "service",
    operation_id = "get_metrics",
    security(()),
    responses(
        (
            status = 200,
            description = "The counts.",
            body = String,
            content_type = "text/plain",
            example = json!("http_requests_total{route=\"/healthz\",method=\"GET\",status=\"200\"} 1\n"),
        ),
        NoFailures,
    ),
)]
#[get("/metrics")]
pub(crate) async fn metrics(counts: web::Data<PrometheusHandle>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(counts.render())
}
