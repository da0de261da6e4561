//! Everything that can go wrong, as a client sees it: one type, one table of codes.
//!
//! This is the only file that knows status codes of failures. A [`Problem`] is an
//! [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) document; `code` is stable, `detail` is for people.

use crate::context::NoEntropy;
use crate::store::StoreError;
mod code;

pub use code::Code;

use actix_web::http::header::{self, HeaderName};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpResponse, ResponseError};
use kauri_rules::{IllegalMove, InvalidOptions, InvalidState, Phase, Reason, Seat, View};
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

/// The media type of every failure.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// Seconds a caller is asked to wait when the database can't be reached or is overloaded.
const RETRY_AFTER_S: u64 = 1;

/// A failure. One pointer wide, since it is the error of nearly everything.
#[derive(Clone, Debug, Serialize)]
pub struct Problem(Box<Document>);

/// A failure, as it is sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct Document {
    /// A relative reference to the code's explanation.
    #[schema(example = "/problems/illegal_move", format = "uri-reference")]
    r#type: String,
    /// The failure in a few words, the same at every occurrence.
    #[schema(example = "The move is not allowed")]
    title: &'static str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599, example = 422)]
    status: u16,
    /// This occurrence, for people. Never echoes what was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<String>,
    /// The stable name of the failure, for programs. New ones may be added.
    #[schema(example = "illegal_move")]
    code: &'static str,
    /// Names this request in the service's log; also in the `x-request-id` header.
    request_id: String,
    /// Each thing wrong with the input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(nullable = false, max_items = 100)]
    errors: Vec<FieldError>,
    /// The game's current version.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0)]
    version: Option<i64>,
    /// Whose turn it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    to_move: Option<Seat>,
    /// The rule that forbids it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "K3")]
    clause: Option<&'static str>,
    /// What may be played instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_items = 64)]
    legal_moves: Option<Vec<String>>,
    /// What `Retry-After` and `Allow` say; headers, not members.
    #[serde(skip)]
    #[schema(ignore)]
    headers: Vec<(HeaderName, String)>,
    #[serde(skip)]
    #[schema(ignore)]
    kind: Code,
}

/// One thing wrong with the input.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FieldError {
    /// JSON pointer to the member, from the top of the body (or the parameter's name).
    #[schema(example = "/state/kauri/south/pits/2/beads")]
    pub pointer: String,
    /// A stable word for programs.
    #[schema(example = "bead_count")]
    pub code: String,
    /// The reason, for people.
    pub message: String,
}

impl Problem {
    /// The failure with nothing but its code.
    #[must_use]
    pub fn new(code: Code) -> Self {
        let retry = (code == Code::Unavailable).then(|| (header::RETRY_AFTER, RETRY_AFTER_S.to_string()));
        let challenge = (code == Code::Unauthorized).then(|| (header::WWW_AUTHENTICATE, "Bearer".to_owned()));
        Self(Box::new(Document {
            r#type: format!("/problems/{}", code.as_str()),
            title: code.title(),
            status: code.status().as_u16(),
            detail: None,
            code: code.as_str(),
            request_id: crate::telemetry::request_id(),
            errors: Vec::new(),
            version: None,
            to_move: None,
            clause: None,
            legal_moves: None,
            headers: retry.into_iter().chain(challenge).collect(),
            kind: code,
        }))
    }

    /// A failure of the service's own: the cause goes to the log, never to the caller.
    #[must_use]
    pub fn internal(cause: &dyn fmt::Display) -> Self {
        tracing::error!(%cause, "internal error");
        Self::new(Code::Internal)
    }

    /// Which failure it is.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.kind
    }

    /// With a sentence about this occurrence.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// With one thing wrong with the input.
    #[must_use]
    pub fn error(mut self, pointer: impl Into<String>, code: &str, message: impl Into<String>) -> Self {
        self.0.errors.push(FieldError {
            pointer: pointer.into(),
            code: code.to_owned(),
            message: message.into(),
        });
        self
    }

    /// With the rules' reasons, their pointers put below `prefix`.
    #[must_use]
    pub fn reasons(mut self, prefix: &str, reasons: &[Reason]) -> Self {
        for reason in reasons {
            self = self.error(format!("{prefix}{}", reason.pointer), reason.code, reason.message.clone());
        }
        self
    }

    /// With the game's current version.
    #[must_use]
    pub fn version(mut self, version: i64) -> Self {
        self.0.version = Some(version);
        self
    }

    /// With whose turn it is.
    #[must_use]
    pub fn to_move(mut self, seat: Seat) -> Self {
        self.0.to_move = Some(seat);
        self
    }

    /// With the `Allow` header that a wrong method is due.
    #[must_use]
    pub fn allow(mut self, methods: &[Method]) -> Self {
        let list = methods.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
        self.0.headers.push((header::ALLOW, list));
        self
    }

    /// With a header of its own, such as the rate limit's.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: impl fmt::Display) -> Self {
        self.0.headers.push((name, value.to_string()));
        self
    }

    /// A state that can't be; pointers below `prefix`, such as `/state`.
    #[must_use]
    pub fn invalid_state(prefix: &str, invalid: &InvalidState) -> Self {
        Self::new(Code::InvalidState).reasons(prefix, &invalid.0)
    }

    /// Seats or options that do not fit.
    #[must_use]
    pub fn invalid_options(invalid: &InvalidOptions) -> Self {
        Self::new(Code::InvalidOptions).reasons("", &invalid.0)
    }

    /// A step the rules forbid on a position.
    #[must_use]
    pub fn illegal_move(illegal: &IllegalMove, view: &View) -> Self {
        Self::illegal_move_at("/move", illegal, view)
    }

    /// A step the rules forbid on a position, and where in the body it stands.
    #[must_use]
    pub fn illegal_move_at(pointer: &str, illegal: &IllegalMove, view: &View) -> Self {
        Self::illegal_step(Code::IllegalMove, pointer, illegal, view)
    }

    /// The same where it is not the request that asks for the step.
    #[must_use]
    pub fn illegal_step(code: Code, pointer: &str, illegal: &IllegalMove, view: &View) -> Self {
        let mut problem = Self::new(code)
            .detail(illegal.message)
            .error(pointer, illegal.code, illegal.message)
            .to_move(view.state.to_move);
        problem.0.clause = illegal.clause;
        problem.0.legal_moves = (view.phase != Phase::Over)
            .then(|| view.legal_moves.iter().map(|&name| name.to_owned()).collect());
        problem
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(cause) => {
                tracing::warn!(%cause, "the database is not available");
                Self::new(Code::Unavailable)
            }
            other => Self::internal(&other),
        }
    }
}

impl From<NoEntropy> for Problem {
    fn from(error: NoEntropy) -> Self {
        Self::internal(&error)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.code)
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.0.kind.status()
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        for (name, value) in &self.0.headers {
            response.insert_header((name.clone(), value.as_str()));
        }
        response
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .content_type(MEDIA_TYPE)
            .body(serde_json::to_string(self).unwrap_or_default())
    }
}
