//! The rules as functions of posted states. Nothing here touches the database.

mod body;
mod example;

use self::body::{ReplayRequest, StartRequest, StateRequest, StepRequest};
use super::extract::{Json, Path};
use super::schema::{Applied, Position, Replayed, ReplayedStep, Validation};
use crate::json;
use crate::openapi::failures;
use crate::problem::{Code, Problem};
use actix_web::{HttpResponse, get, post};
use kauri_rules::catalogue::Rules;
use kauri_rules::{DynRules, Phase, Refusal, RulesId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Most moves of one replay.
const MAX_REPLAY: usize = 10_000;

/// Every game this service knows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RulesList {
    /// The games.
    #[schema(max_items = 100)]
    rules: Vec<Rules>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct RulesPath {
    /// The rules: `kauri` or `ashta-kashte`. New ones may be added; `GET /rules` lists them.
    // The first of the examples of a body, which are sorted: a page that tries an operation out takes both.
    #[param(example = "ashta-kashte")]
    rules: String,
}

impl RulesPath {
    fn rules(&self) -> Result<&'static dyn DynRules, Problem> {
        let id: RulesId = self.rules.parse().map_err(|_| Problem::new(Code::UnknownRules))?;
        Ok(id.rules())
    }
}

failures! { pub(crate) struct CatalogueFailures: }
failures! { pub(crate) struct DescribeFailures: UnknownRules }
failures! { pub(crate) struct InitialFailures: UnknownRules, InvalidOptions }
failures! { pub(crate) struct StateFailures: UnknownRules, InvalidState }
failures! { pub(crate) struct StepFailures: UnknownRules, InvalidState, IllegalMove }
failures! { pub(crate) struct ReplayFailures: UnknownRules, InvalidState, InvalidOptions, IllegalMove }

/// List the games.
///
/// For each: its seats, options, clauses, how moves are written, how shells fall.
#[utoipa::path(
    tag = "rules",
    operation_id = "list_rules",
    security(()),
    responses(
        (
            status = 200,
            description = "Every game this service knows.",
            body = RulesList,
            example = json!(RulesList { rules: vec![*RulesId::Kauri.rules().catalogue()] }),
        ),
        CatalogueFailures,
    ),
)]
#[get("/rules")]
pub(crate) async fn list() -> HttpResponse {
    HttpResponse::Ok().json(RulesList { rules: RulesId::ALL.map(|id| *id.rules().catalogue()).to_vec() })
}

/// Describe a game.
///
/// As the list of games does.
#[utoipa::path(
    tag = "rules",
    operation_id = "get_rules",
    security(()),
    params(RulesPath),
    responses(
        (
            status = 200,
            description = "The game.",
            body = Rules,
            example = json!(RulesId::AshtaKashte.rules().catalogue()),
        ),
        DescribeFailures,
    ),
)]
#[get("/rules/{rules}")]
pub(crate) async fn describe(Path(path): Path<RulesPath>) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(path.rules()?.catalogue()))
}

/// Give the start position.
///
/// With the usual seats and options where the body names none. Nothing is stored.
#[utoipa::path(
    tag = "rules",
    operation_id = "initial_position",
    security(()),
    params(RulesPath),
    request_body(content = StartRequest, examples(
        ("kauri" = (summary = "Kauri", value = json!({}))),
        ("ashta-kashte" = (summary = "Ashta-kashte for three", value = json!(example::start()))),
    )),
    responses(
        (
            status = 200,
            description = "The position before the first step.",
            body = Position,
            example = json!(example::initial(RulesId::AshtaKashte)),
        ),
        InitialFailures,
    ),
)]
#[post("/rules/{rules}/initial")]
pub(crate) async fn initial(
    Path(path): Path<RulesPath>,
    Json { value: body, .. }: Json<StartRequest>,
) -> Result<HttpResponse, Problem> {
    let view = path.rules()?.initial(body.seats.as_deref(), &body.options.unwrap_or_default());
    let view = view.map_err(|invalid| Problem::invalid_options(&invalid))?;
    reply(&Position::from(view))
}

/// List the legal moves of a state.
///
/// Where shells are to be thrown, `outcomes` gives each throw with its weight of 16. Nothing is stored.
#[utoipa::path(
    tag = "rules",
    operation_id = "legal_moves",
    security(()),
    params(RulesPath),
    request_body(content = StateRequest, examples(
        ("kauri" = (summary = "Kauri", value = json!(example::state(RulesId::Kauri)))),
        ("ashta-kashte" = (summary = "Ashta-kashte", value = json!(example::state(RulesId::AshtaKashte)))),
    )),
    responses(
        (
            status = 200,
            description = "The position that the state stands for.",
            body = Position,
            example = json!(example::looked_at(RulesId::AshtaKashte)),
        ),
        StateFailures,
    ),
)]
#[post("/rules/{rules}/legal-moves")]
pub(crate) async fn legal_moves(
    Path(path): Path<RulesPath>,
    Json { value: body, .. }: Json<StateRequest>,
) -> Result<HttpResponse, Problem> {
    let rules = path.rules()?;
    let invalid = |invalid| Problem::invalid_state("/state", &invalid);
    let mut position = Position::from(rules.view(&body.state).map_err(invalid)?);
    if position.phase == Phase::Throw {
        position.outcomes = Some(rules.chances(&body.state).map_err(invalid)?);
    }
    reply(&position)
}

/// Tell whether a move is legal.
///
/// A question, so an illegal move is an answer and no failure. Nothing is stored.
#[utoipa::path(
    tag = "rules",
    operation_id = "validate_move",
    security(()),
    params(RulesPath),
    request_body(content = StepRequest, examples(
        ("kauri" = (summary = "Kauri", value = json!(example::step(RulesId::Kauri)))),
        ("ashta-kashte" = (summary = "Ashta-kashte", value = json!(example::step(RulesId::AshtaKashte)))),
    )),
    responses(
        (
            status = 200,
            description = "Whether it is, and if not, why.",
            body = Validation,
            example = json!(Validation::LEGAL),
        ),
        StateFailures,
    ),
)]
#[post("/rules/{rules}/validate")]
pub(crate) async fn validate(
    Path(path): Path<RulesPath>,
    Json { value: body, .. }: Json<StepRequest>,
) -> Result<HttpResponse, Problem> {
    let validation = match path.rules()?.apply(&body.state, &body.r#move) {
        Ok(_) => Validation::LEGAL,
        Err(Refusal::Move { illegal, .. }) => illegal.into(),
        Err(Refusal::State(invalid)) => return Err(Problem::invalid_state("/state", &invalid)),
    };
    Ok(HttpResponse::Ok().json(validation))
}

/// Make a move on a state.
///
/// Answers the position after it, and what happened on the way. Nothing is stored.
#[utoipa::path(
    tag = "rules",
    operation_id = "apply_move",
    security(()),
    params(RulesPath),
    request_body(content = StepRequest, examples(
        ("kauri" = (summary = "Kauri", value = json!(example::step(RulesId::Kauri)))),
        ("ashta-kashte" = (summary = "Ashta-kashte", value = json!(example::step(RulesId::AshtaKashte)))),
    )),
    responses(
        (
            status = 200,
            description = "The position after the move.",
            body = Applied,
            example = json!(example::applied(RulesId::AshtaKashte)),
        ),
        StepFailures,
    ),
)]
#[post("/rules/{rules}/apply")]
pub(crate) async fn apply(
    Path(path): Path<RulesPath>,
    Json { value: body, .. }: Json<StepRequest>,
) -> Result<HttpResponse, Problem> {
    match path.rules()?.apply(&body.state, &body.r#move) {
        Ok((played, view)) => reply(&Applied::new(view, played.events)),
        Err(Refusal::Move { illegal, view }) => Err(Problem::illegal_move(&illegal, &view)),
        Err(Refusal::State(invalid)) => Err(Problem::invalid_state("/state", &invalid)),
    }
}

/// Make many moves, one after another.
///
/// From a posted `state`, or from the start with `seats` and `options`. All of the moves are made, or the first
/// that can't be is named. Nothing is stored.
#[utoipa::path(
    tag = "rules",
    operation_id = "replay_moves",
    security(()),
    params(RulesPath),
    request_body(content = ReplayRequest, examples(
        ("kauri" = (summary = "Kauri", value = json!(example::replay(RulesId::Kauri)))),
        ("ashta-kashte" = (summary = "Ashta-kashte", value = json!(example::replay(RulesId::AshtaKashte)))),
    )),
    responses(
        (
            status = 200,
            description = "The position after the last move, and every step.",
            body = Replayed,
            example = json!(example::replayed(RulesId::AshtaKashte)),
        ),
        ReplayFailures,
    ),
)]
#[post("/rules/{rules}/replay")]
pub(crate) async fn replay(
    Path(path): Path<RulesPath>,
    Json { value: body, .. }: Json<ReplayRequest>,
) -> Result<HttpResponse, Problem> {
    let rules = path.rules()?;
    let (start, moves) = body.start(rules)?;
    let mut steps = Vec::with_capacity(moves.len());
    let end = rules
        .replay(&start, &mut moves.iter().map(String::as_str), &mut |played| {
            steps.push(ReplayedStep::from(played));
        })
        .map_err(|invalid| Problem::invalid_state("/state", &invalid))?
        .map_err(|bad| Problem::illegal_move_at(&format!("/moves/{}", bad.index), &bad.illegal, &bad.view))?;
    reply(&Replayed::new(end, steps))
}

fn reply(body: &impl Serialize) -> Result<HttpResponse, Problem> {
    let body = json::text(body).map_err(|error| Problem::internal(&error))?;
    Ok(HttpResponse::Ok().content_type("application/json").body(body))
}
