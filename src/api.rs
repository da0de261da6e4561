//! The operations, and the one list of them from which both the routes and the spec come.

pub mod docs;
pub mod extract;
pub mod health;
pub mod problems;
pub mod rules;
pub mod schema;

use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation of the service; the busiest come first, since actix tries them in this order.
pub fn operations(config: &mut ServiceConfig<'_>) {
    config
        .service(rules::apply)
        .service(rules::legal_moves)
        .service(rules::validate)
        .service(rules::replay)
        .service(rules::initial)
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
