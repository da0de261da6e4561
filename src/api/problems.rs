//! The explanations that the `type` of a problem refers to.

use super::extract::Path;
use crate::openapi::failures;
use crate::problem::{Code, Problem};
use actix_web::{HttpResponse, get};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What a problem code means and what to do about it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProblemExplanation {
    /// What problems of this code carry as their `type`.
    #[schema(example = "/problems/illegal_move")]
    r#type: String,
    /// The stable name of the failure.
    #[schema(value_type = String, example = "illegal_move")]
    code: &'static str,
    /// The HTTP status it is answered with.
    #[schema(minimum = 400, maximum = 599, example = 422)]
    status: u16,
    /// The failure in a few words.
    #[schema(value_type = String)]
    title: &'static str,
    /// What it means and what to do about it.
    #[schema(value_type = String)]
    about: &'static str,
}

impl From<Code> for ProblemExplanation {
    fn from(code: Code) -> Self {
        Self {
            r#type: format!("/problems/{}", code.as_str()),
            code: code.as_str(),
            status: code.status().as_u16(),
            title: code.title(),
            about: code.about(),
        }
    }
}

/// Every problem code of this service.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProblemList {
    /// The codes, explained, by status.
    #[schema(max_items = 100)]
    problems: Vec<ProblemExplanation>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct CodePath {
    /// A problem code, such as `illegal_move`.
    #[param(example = "illegal_move")]
    code: String,
}

failures! { pub(crate) struct ListFailures: }
failures! { pub(crate) struct DescribeFailures: UnknownCode }

/// List the problem codes.
///
/// With the status of each, what it means and what to do about it.
#[utoipa::path(
    tag = "service",
    operation_id = "list_problems",
    security(()),
    responses(
        (
            status = 200,
            description = "Every code, explained.",
            body = ProblemList,
            example = json!(ProblemList { problems: vec![Code::IllegalMove.into()] }),
        ),
        ListFailures,
    ),
)]
#[get("/problems")]
pub(crate) async fn list() -> HttpResponse {
    HttpResponse::Ok().json(ProblemList { problems: Code::ALL.iter().map(|&code| code.into()).collect() })
}

/// Explain a problem code.
///
/// The `type` of every problem is a relative reference to this.
#[utoipa::path(
    tag = "service",
    operation_id = "get_problem",
    security(()),
    params(CodePath),
    responses(
        (
            status = 200,
            description = "The code, explained.",
            body = ProblemExplanation,
            example = json!(ProblemExplanation::from(Code::IllegalMove)),
        ),
        DescribeFailures,
    ),
)]
#[get("/problems/{code}")]
pub(crate) async fn describe(Path(path): Path<CodePath>) -> Result<HttpResponse, Problem> {
    let code = Code::ALL.iter().find(|code| code.as_str() == path.code);
    let code = code.ok_or_else(|| Problem::new(Code::UnknownCode))?;
    Ok(HttpResponse::Ok().json(ProblemExplanation::from(*code)))
}
