//! What a portal asks about its players.

use crate::api::call::Shown;
use crate::api::extract::{Path, Query};
use crate::api::games::{example, respond};
use crate::context::Context;
use crate::games::{self, GamePage, ListPlayersGames, PlayerStats};
use crate::openapi::failures;
use crate::problem::Problem;
use actix_web::web::Data;
use actix_web::{HttpResponse, get};
use serde::Deserialize;
use utoipa::IntoParams;

failures! { pub(crate) struct GamesFailures: InvalidPath, InvalidQuery, Unauthorized, PortalOnly, RateLimited }
failures! { pub(crate) struct StatsFailures: InvalidPath, Unauthorized, PortalOnly, RateLimited }

/// Which player.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PlayerPath {
    /// The portal's own id for the person, percent-encoded.
    #[param(min_length = 1, max_length = 200, example = "p-17")]
    player: String,
}

/// List a player's games.
///
/// As `GET /games` with this `player`. A player whom nobody knows has none. An id that is `.` or `..` can't stand in
/// a path: ask `GET /games`.
#[utoipa::path(
    tag = "players",
    operation_id = "list_players_games",
    security(("bearer" = []), ()),
    params(PlayerPath, ListPlayersGames),
    responses(
        (
            status = 200,
            description = "A page of the player's games.",
            body = GamePage,
            headers(("Link" = Option<String>, description = "The page that follows, as `rel=\"next\"`; absent on the last.")),
            example = json!(example::games()),
        ),
        GamesFailures,
    ),
)]
#[get("/players/{player}/games")]
pub(crate) async fn list_games(
    context: Data<Context>,
    Path(path): Path<PlayerPath>,
    Query(wanted): Query<ListPlayersGames>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    games::named(&path.player)?;
    let wanted = wanted.of(path.player);
    let page = games::list(&context, &credential, &wanted).await?;
    let next = page.next.as_ref().map(|cursor| wanted.players_address(cursor));
    Ok(respond::page(&page, next))
}

/// Count a player's games.
///
/// Those that go on, those in which it is the player's turn, and how the others ended, by rules and seat. A player
/// whom nobody knows has played nothing.
#[utoipa::path(
    tag = "players",
    operation_id = "get_player_stats",
    security(("bearer" = []), ()),
    params(PlayerPath),
    responses(
        (status = 200, description = "The player's figures.", body = PlayerStats, example = json!(example::stats())),
        StatsFailures,
    ),
)]
#[get("/players/{player}/stats")]
pub(crate) async fn get_stats(
    context: Data<Context>,
    Path(path): Path<PlayerPath>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let stats = games::stats(&context, &credential, &path.player).await?;
    Ok(respond::private(&stats))
}
