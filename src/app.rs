//! What every worker serves: the operations, what they share, and the answer to everything else.

use crate::api;
use crate::api::docs::Documents;
use crate::config::Serve;
use crate::context::Context;
use crate::limits::Limits;
use crate::problem::{Code, Problem};
use crate::routes::Routes;
use crate::telemetry::metrics;
use actix_web::{HttpRequest, HttpResponse, guard, web};
use metrics_exporter_prometheus::{BuildError, PrometheusHandle};

/// What the workers share; built once.
#[derive(Clone)]
pub struct Shared {
    context: web::Data<Context>,
    limits: web::Data<Limits>,
    routes: web::Data<&'static Routes>,
    documents: web::Data<Documents>,
    counts: web::Data<PrometheusHandle>,
}

impl Shared {
    /// What the configuration and the context make of it.
    pub fn new(config: &Serve, context: Context) -> Result<Self, BuildError> {
        Ok(Self {
            context: web::Data::new(context),
            limits: web::Data::new(Limits::new(config)),
            routes: web::Data::new(Routes::new()),
            documents: web::Data::new(Documents::default()),
            counts: web::Data::new(metrics::install()?),
        })
    }

    /// Frees what idle callers left behind; to be called now and then.
    pub fn tidy(&self) {
        self.limits.forget_idle();
        self.counts.run_upkeep();
    }

    /// The same for one worker, in its runtime, with at most so many connections of its own to Postgres.
    #[must_use]
    pub fn here(&self, connections: u32) -> Self {
        let context =
            Context { store: self.context.store.here(connections), ..Context::clone(&self.context) };
        Self { context: web::Data::new(context), ..self.clone() }
    }

    /// Sets up one worker.
    pub fn configure(&self, config: &mut web::ServiceConfig) {
        config
            .app_data(self.context.clone())
            .app_data(self.limits.clone())
            .app_data(self.routes.clone())
            .app_data(self.documents.clone())
            .app_data(self.counts.clone());
        // What takes any last part of the path would take this one too.
        config.service(web::resource("/games/import").guard(guard::Not(guard::Post())).to(elsewhere));
        api::operations(config);
        config.service(api::docs::to_page).service(api::docs::page).default_service(web::to(elsewhere));
    }
}

/// Answers what no operation does: another method of a known path, or a path that isn't there.
async fn elsewhere(
    request: HttpRequest,
    routes: web::Data<&'static Routes>,
) -> Result<HttpResponse, Problem> {
    Err(match routes.find(request.path()) {
        Some(route) => Problem::new(Code::MethodNotAllowed).allow(&route.methods()),
        None => Problem::new(Code::UnknownRoute),
    })
}
