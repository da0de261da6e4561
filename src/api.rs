//! The operations, and the one list of them from which both the routes and the spec come.

mod call;
pub mod docs;
pub mod extract;
pub(crate) mod games;
pub mod health;
pub mod problems;
pub mod rules;
pub mod schema;

use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation of the service; the busiest come first, since actix tries them in this order.
pub fn operations(config: &mut ServiceConfig<'_>) {
    config
        .service(games::post_move)
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
        .service(games::list_games)
        .service(games::resign_game)
        .service(games::abort_game)
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
