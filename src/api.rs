//! The operations, and the one list of them from which both the routes and the spec come.

mod call;
pub mod docs;
pub(crate) mod events;
pub mod extract;
pub(crate) mod games;
pub mod health;
pub(crate) mod players;
pub mod problems;
pub mod rules;
pub mod schema;
pub(crate) mod webhooks;

use actix_web::dev::HttpServiceFactory;
use actix_web::web;
use utoipa_actix_web::OpenApiFactory;
use utoipa_actix_web::service_config::ServiceConfig;

/// What takes the list of operations: a worker serves them, the spec describes them, a table sorts them.
pub trait Register {
    /// Takes one operation.
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(&mut self, operation: F) -> &mut Self;
}

/// A worker needs no descriptions. Making them for each would leave every worker with the memory it took.
impl Register for web::ServiceConfig {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(&mut self, operation: F) -> &mut Self {
        Self::service(self, operation)
    }
}

impl Register for ServiceConfig<'_> {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(&mut self, operation: F) -> &mut Self {
        Self::service(self, operation)
    }
}

/// Every operation of the service; the busiest come first, since actix tries them in this order.
pub fn operations<R: Register>(register: &mut R) {
    register
        .service(games::post_move)
        // Before what takes any last part of the path.
        .service(games::export_games)
        .service(games::get_game)
        .service(rules::apply)
        .service(rules::legal_moves)
        .service(rules::validate)
        .service(rules::replay)
        .service(rules::initial)
        .service(games::create_game)
        .service(games::list_moves)
        .service(games::get_step)
        .service(games::get_position)
        .service(events::follow_game)
        .service(events::follow_portal)
        .service(games::list_games)
        .service(games::get_record)
        .service(games::import_games)
        .service(players::list_games)
        .service(players::get_stats)
        .service(games::resign_game)
        .service(games::abort_game)
        .service(webhooks::list_webhooks)
        .service(webhooks::create_webhook)
        .service(webhooks::list_deliveries)
        .service(webhooks::redeliver)
        .service(webhooks::test_webhook)
        .service(webhooks::rotate_secret)
        .service(webhooks::get_webhook)
        .service(webhooks::change_webhook)
        .service(webhooks::delete_webhook)
        .service(rules::list)
        .service(rules::describe)
        .service(problems::list)
        .service(problems::describe)
        .service(docs::newer)
        .service(docs::older)
        .service(health::alive)
        .service(health::ready)
        .service(health::metrics);
}
