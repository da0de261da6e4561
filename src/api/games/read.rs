//! Reading games.

use super::{GamePath, PlyPath, example, respond};
use crate::api::call::{Shown, condition};
use crate::api::extract::{Path, Query};
use crate::context::Context;
use crate::games::{self, Game, GamePage, ListGames, LogPage, PositionAt, Step};
use crate::openapi::failures;
use crate::problem::Problem;
use actix_web::http::header;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get};
use serde::Deserialize;
use utoipa::IntoParams;

failures! { pub(crate) struct ListFailures: InvalidQuery, Unauthorized, PortalOnly, RateLimited }
failures! { pub(crate) struct GameFailures: InvalidQuery, InvalidHeader, Unauthorized, GameNotFound, RateLimited }
failures! { pub(crate) struct LogFailures: InvalidQuery, Unauthorized, GameNotFound, RateLimited }
failures! { pub(crate) struct PlyFailures: Unauthorized, GameNotFound, PlyNotFound, RateLimited }

/// Whether to wait for the game to go on.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct WaitQuery {
    /// Answer only when the game has this version, or a later one, or has ended.
    #[param(nullable = false, minimum = 0)]
    wait_version: Option<i64>,
    /// With `wait_version`: answer after so many seconds anyway; 25 by default.
    #[param(nullable = false, minimum = 0, maximum = 60)]
    timeout: Option<i64>,
}

/// Which page of the log.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LogQuery {
    /// Only steps after this ply; 0 by default.
    #[param(nullable = false, minimum = 0)]
    after: Option<i64>,
    /// At most so many; 100 by default.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    limit: Option<i64>,
}

/// List the portal's games.
///
/// In pages: pass `next` as `cursor` with the same filters and order for the page that follows. Filters may be
/// combined; a page deep in the list is found as fast as the first.
#[utoipa::path(
    tag = "games",
    operation_id = "list_games",
    security(("bearer" = []), ()),
    params(ListGames),
    responses(
        (
            status = 200,
            description = "A page of games.",
            body = GamePage,
            headers(("Link" = Option<String>, description = "The page that follows, as `rel=\"next\"`; absent on the last.")),
            example = json!(example::games()),
        ),
        ListFailures,
    ),
)]
#[get("/games")]
pub(crate) async fn list_games(
    context: Data<Context>,
    Query(wanted): Query<ListGames>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let page = games::list(&context, &credential, &wanted).await?;
    let next = page.next.as_ref().map(|cursor| wanted.address(cursor));
    Ok(respond::page(&page, next))
}

/// Read a game.
///
/// With `If-None-Match` and the game's `ETag` the answer is 304 without a body until something changes. With
/// `wait_version` the answer waits until the game has gone on so far, so that a caller who can't follow a stream need
/// not ask again and again.
#[utoipa::path(
    tag = "games",
    operation_id = "get_game",
    security(("bearer" = []), ()),
    params(GamePath, WaitQuery, ("If-None-Match" = Option<String>, Header, nullable = false, description = "Entity tags known already.")),
    responses(
        (
            status = 200,
            description = "The game.",
            body = Game,
            headers(("ETag" = String, description = "The game's version, such as `\"v12\"`.")),
            example = json!(example::game()),
        ),
        (
            status = 304,
            description = "The game is as the caller knows it.",
            headers(("ETag" = String, description = "The game's version, such as `\"v12\"`.")),
        ),
        GameFailures,
    ),
)]
#[get("/games/{id}")]
pub(crate) async fn get_game(
    context: Data<Context>,
    Path(path): Path<GamePath>,
    Query(query): Query<WaitQuery>,
    request: HttpRequest,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let known = condition(&request, &header::IF_NONE_MATCH)?;
    let known = known.as_ref();
    let (etag, game) = match query.wait_version {
        None => games::game(&context, &credential, path.id, known, query.timeout).await?,
        Some(version) => games::wait(&context, &credential, path.id, known, version, query.timeout).await?,
    };
    Ok(respond::tagged(etag, game.as_ref()))
}

/// Read a game's log.
///
/// By ply, in pages: pass `next` as `after` for the page that follows.
#[utoipa::path(
    tag = "games",
    operation_id = "list_moves",
    security(("bearer" = []), ()),
    params(GamePath, LogQuery),
    responses(
        (
            status = 200,
            description = "A page of the log.",
            body = LogPage,
            headers(("Link" = Option<String>, description = "The page that follows, as `rel=\"next\"`; absent on the last.")),
            example = json!(example::log()),
        ),
        LogFailures,
    ),
)]
#[get("/games/{id}/moves")]
pub(crate) async fn list_moves(
    context: Data<Context>,
    Path(path): Path<GamePath>,
    Query(query): Query<LogQuery>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let page = games::log(&context, &credential, path.id, query.after, query.limit).await?;
    let limit = query.limit.map_or(String::new(), |limit| format!("&limit={limit}"));
    let next = page.next.map(|after| format!("/games/{}/moves?after={after}{limit}", path.id));
    Ok(respond::page(&page, next))
}

/// Read one step of a game's log.
///
/// Steps are numbered from 1 and never change.
#[utoipa::path(
    tag = "games",
    operation_id = "get_move",
    security(("bearer" = []), ()),
    params(PlyPath),
    responses(
        (status = 200, description = "The step.", body = Step, example = json!(example::step())),
        PlyFailures,
    ),
)]
#[get("/games/{id}/moves/{ply}")]
pub(crate) async fn get_step(
    context: Data<Context>,
    Path(path): Path<PlyPath>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let step = games::step(&context, &credential, path.id, path.ply).await?;
    Ok(HttpResponse::Ok().json(step))
}

/// Read a position of a game's past.
///
/// After so many steps; 0 is the start. Found by replaying the log.
#[utoipa::path(
    tag = "games",
    operation_id = "get_position",
    security(("bearer" = []), ()),
    params(PlyPath),
    responses(
        (status = 200, description = "The position after that ply.", body = PositionAt, example = json!(example::position())),
        PlyFailures,
    ),
)]
#[get("/games/{id}/states/{ply}")]
pub(crate) async fn get_position(
    context: Data<Context>,
    Path(path): Path<PlyPath>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let position = games::position_at(&context, &credential, path.id, path.ply).await?;
    Ok(HttpResponse::Ok().json(position))
}
