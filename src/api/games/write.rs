//! Changing games.

use super::{GamePath, example, respond};
use crate::api::call::call;
use crate::api::extract::{Json, JsonOrNothing, Path};
use crate::context::Context;
use crate::games::{self, AbortGame, Game, NewGame, NewMove, ResignGame, StepTaken};
use crate::openapi::failures;
use crate::problem::Problem;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, post};

failures! {
    pub(crate) struct CreateFailures: InvalidHeader, Unauthorized, ReadOnly, PortalOnly, ExternalRefTaken,
        InvalidState, InvalidOptions, IdempotencyKeyReused, RateLimited
}
failures! {
    pub(crate) struct MoveFailures: InvalidHeader, Unauthorized, ReadOnly, WrongSeat, GameNotFound, GameOver,
        VersionConflict, NotYourTurn, PreconditionFailed, IllegalMove, IdempotencyKeyReused,
        PreconditionRequired, RateLimited
}
failures! {
    pub(crate) struct ResignFailures: InvalidHeader, Unauthorized, ReadOnly, WrongSeat, GameNotFound, GameOver,
        VersionConflict, PreconditionFailed, IdempotencyKeyReused, PreconditionRequired, RateLimited
}
failures! {
    pub(crate) struct AbortFailures: InvalidHeader, Unauthorized, ReadOnly, PortalOnly, WrongSeat, GameNotFound,
        GameOver, VersionConflict, TooLateToAbort, PreconditionFailed, IdempotencyKeyReused,
        PreconditionRequired, RateLimited
}

/// Create a game.
///
/// From its rules' start, or from a posted `state`. `seat_tokens` are answered this once: hand each to the
/// person who plays that seat. With an `external_ref` the same body again is answered 200 with the same game.
#[utoipa::path(
    tag = "games",
    operation_id = "create_game",
    security(("bearer" = []), ()),
    params(
        ("Idempotency-Key" = Option<String>, Header, nullable = false, format = "printable-ascii", min_length = 1,
            max_length = 255,
            description = "A retry with the same key and body is answered the same, and nothing is done twice."),
    ),
    request_body(content = NewGame, examples(
        ("kauri" = (summary = "Kauri", value = json!({"rules": "kauri"}))),
        ("ashta-kashte" = (summary = "Ashta-kashte for two named players", value = json!({
            "rules": "ashta-kashte",
            "options": {"extra_turn": true},
            "seats": [{"seat": "south", "player": "p-17", "name": "Ann"}, {"seat": "north", "player": "p-23"}],
            "tags": ["ladder"],
        }))),
    )),
    responses(
        (
            status = 201,
            description = "The game, created.",
            body = Game,
            headers(
                ("ETag" = String, description = "The game's version, such as `\"v0\"`."),
                ("Location" = String, description = "The game's path."),
                ("Idempotency-Replayed" = Option<String>, description = "`true` when this repeats an earlier answer."),
            ),
            example = json!(example::created()),
        ),
        (
            status = 200,
            description = "The game that this `external_ref` and body created before; without tokens.",
            body = Game,
            headers(
                ("ETag" = String, description = "The game's version, such as `\"v12\"`."),
                ("Location" = String, description = "The game's path."),
            ),
            example = json!(example::game()),
        ),
        CreateFailures,
    ),
)]
#[post("/games")]
pub(crate) async fn create_game(
    context: Data<Context>,
    request: HttpRequest,
    Json { value, raw }: Json<NewGame>,
) -> Result<HttpResponse, Problem> {
    let call = call(&request, "POST /games".to_owned(), &raw)?;
    Ok(respond::answer(games::create(&context, &call, &value).await?))
}

/// Make a move or a throw.
///
/// The order of checks is fixed: body and headers (400), credential (401), the portal's own game (404), an answer
/// kept under the Idempotency-Key (replayed, or 422 when the body differs), the same move by the same seat on the
/// same `expected_version` (answered again with 200), seat (403), game over (409), `If-Match` (412) and
/// `expected_version` (409), turn (409), rules (422), and only then the write (201). Of two requests on one version
/// one is answered 201, the other 409 with the current version. With server throws post `throw`: the service
/// throws, logs the value as `throw:N` and never throws again on a retry.
#[utoipa::path(
    tag = "games",
    operation_id = "post_move",
    security(("bearer" = []), ()),
    params(
        GamePath,
        ("Idempotency-Key" = Option<String>, Header, nullable = false, format = "printable-ascii", min_length = 1,
            max_length = 255,
            description = "A retry with the same key and body is answered the same, and nothing is done twice."),
        ("If-Match" = Option<String>, Header, nullable = false, format = "entity-tags",
            description = "The game's entity tag; the move is refused with 412 when the game has moved on."),
    ),
    request_body(content = NewMove, examples(
        ("move" = (summary = "A move", value = json!({"move": "a", "expected_version": 0}))),
    )),
    responses(
        (
            status = 201,
            description = "The step, made.",
            body = StepTaken,
            headers(
                ("ETag" = String, description = "The game's version after the step."),
                ("Location" = String, description = "The step's path."),
                ("Idempotency-Replayed" = Option<String>, description = "`true` when this repeats an earlier answer."),
            ),
            example = json!(example::taken()),
        ),
        (
            status = 200,
            description = "The step, made before by the same seat on the same version.",
            body = StepTaken,
            headers(
                ("ETag" = String, description = "The game's version after the step."),
                ("Location" = String, description = "The step's path."),
                ("Idempotency-Replayed" = String, description = "`true`."),
            ),
            example = json!(example::taken()),
        ),
        MoveFailures,
    ),
)]
#[post("/games/{id}/moves")]
pub(crate) async fn post_move(
    context: Data<Context>,
    Path(path): Path<GamePath>,
    request: HttpRequest,
    Json { value, raw }: Json<NewMove>,
) -> Result<HttpResponse, Problem> {
    let call = call(&request, format!("POST /games/{}/moves", path.id), &raw)?;
    Ok(respond::answer(games::play(&context, &call, path.id, &value).await?))
}

/// Resign a game.
///
/// With two seats the other one wins. With more the game ends for all: places that were reached count, and who has
/// reached none wins nothing. A portal names the seat; a seat token resigns its own.
#[utoipa::path(
    tag = "games",
    operation_id = "resign_game",
    security(("bearer" = []), ()),
    params(
        GamePath,
        ("Idempotency-Key" = Option<String>, Header, nullable = false, format = "printable-ascii", min_length = 1,
            max_length = 255,
            description = "A retry with the same key and body is answered the same, and nothing is done twice."),
        ("If-Match" = Option<String>, Header, nullable = false, format = "entity-tags",
            description = "The game's entity tag; refused with 412 when the game has moved on."),
    ),
    request_body(content = ResignGame, examples(
        ("seat" = (summary = "South resigns", value = json!({"seat": "south"}))),
    )),
    responses(
        (
            status = 200,
            description = "The game, ended.",
            body = Game,
            headers(
                ("ETag" = String, description = "The game's tag after it ended, such as `\"v12-resignation\"`."),
                ("Idempotency-Replayed" = Option<String>, description = "`true` when this repeats an earlier answer."),
            ),
            example = json!(example::resigned()),
        ),
        ResignFailures,
    ),
)]
#[post("/games/{id}/resignation")]
pub(crate) async fn resign_game(
    context: Data<Context>,
    Path(path): Path<GamePath>,
    request: HttpRequest,
    Json { value, raw }: Json<ResignGame>,
) -> Result<HttpResponse, Problem> {
    let call = call(&request, format!("POST /games/{}/resignation", path.id), &raw)?;
    Ok(respond::answer(games::resign(&context, &call, path.id, &value).await?))
}

/// Abort a game.
///
/// Only until every seat has made a step. Nobody wins. The body may be left out.
#[utoipa::path(
    tag = "games",
    operation_id = "abort_game",
    security(("bearer" = []), ()),
    params(
        GamePath,
        ("Idempotency-Key" = Option<String>, Header, nullable = false, format = "printable-ascii", min_length = 1,
            max_length = 255,
            description = "A retry with the same key and body is answered the same, and nothing is done twice."),
        ("If-Match" = Option<String>, Header, nullable = false, format = "entity-tags",
            description = "The game's entity tag; refused with 412 when the game has moved on."),
    ),
    request_body(content = Option<AbortGame>, examples(
        ("version" = (summary = "If nothing has happened yet", value = json!({"expected_version": 0}))),
    )),
    responses(
        (
            status = 200,
            description = "The game, aborted.",
            body = Game,
            headers(
                ("ETag" = String, description = "The game's tag after it ended, such as `\"v1-abandoned\"`."),
                ("Idempotency-Replayed" = Option<String>, description = "`true` when this repeats an earlier answer."),
            ),
            example = json!(example::aborted()),
        ),
        AbortFailures,
    ),
)]
#[post("/games/{id}/abort")]
pub(crate) async fn abort_game(
    context: Data<Context>,
    Path(path): Path<GamePath>,
    request: HttpRequest,
    JsonOrNothing { value, raw }: JsonOrNothing<AbortGame>,
) -> Result<HttpResponse, Problem> {
    let call = call(&request, format!("POST /games/{}/abort", path.id), &raw)?;
    Ok(respond::answer(games::abort(&context, &call, path.id, &value).await?))
}
