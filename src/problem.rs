//! Everything that can go wrong, as a client sees it: one type, one table of codes.
//!
//! This is the only file that knows status codes of failures. A [`Problem`] is an
//! [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) document; `code` is stable, `detail` is for people.

use crate::context::NoEntropy;
use crate::store::StoreError;
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

macro_rules! codes {
    ($($name:ident = $code:literal, $status:ident, $title:literal, $about:literal;)*) => {
        /// The stable name of a failure; part of the contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $title] $name,)* }

        impl Code {
            /// Every code there is.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The word in `code` and in `type`.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $code,)* } }

            /// The status it is answered with.
            #[must_use]
            pub const fn status(self) -> StatusCode { match self { $(Self::$name => StatusCode::$status,)* } }

            /// The failure in a few words, the same at every occurrence.
            #[must_use]
            pub const fn title(self) -> &'static str { match self { $(Self::$name => $title,)* } }

            /// What it means and what to do about it; served at `/problems/{code}`.
            #[must_use]
            pub const fn about(self) -> &'static str { match self { $(Self::$name => $about,)* } }
        }
    };
}

codes! {
    MalformedBody = "malformed_body", BAD_REQUEST, "The body is not JSON",
        "The body could not be read as one JSON document in UTF-8. Nothing was done. Mend the body; `detail` says where reading stopped.";
    InvalidBody = "invalid_body", BAD_REQUEST, "The body has a member that does not fit",
        "The body is JSON, but a member is unknown, missing, of the wrong type or out of bounds. `errors` names each with a JSON pointer. Nothing was done.";
    InvalidPath = "invalid_path", BAD_REQUEST, "The path has a part that does not fit",
        "A parameter in the path is malformed, such as a game id that is no UUID or a ply that is no number.";
    InvalidQuery = "invalid_query", BAD_REQUEST, "The query has a parameter that does not fit",
        "A query parameter is unknown, malformed or out of bounds, or a cursor was used with other filters than it was made for.";
    InvalidHeader = "invalid_header", BAD_REQUEST, "A header does not fit",
        "A request header such as If-Match, Idempotency-Key or Authorization is malformed. `detail` names it.";
    Unauthorized = "unauthorized", UNAUTHORIZED, "A valid credential is needed",
        "No credential was sent, or it is malformed, unknown, expired or revoked. Send `Authorization: Bearer` with a portal key or a seat token.";
    ReadOnly = "read_only", FORBIDDEN, "This key may only read",
        "The portal key has the scope `read`; this operation needs the scope `play`.";
    PortalOnly = "portal_only", FORBIDDEN, "A portal key is needed",
        "A seat token acts for one seat of one game: it can read it, move and resign, nothing else.";
    WrongSeat = "wrong_seat", FORBIDDEN, "That seat is not yours to move for",
        "The move names a seat that this credential does not act for, or that nobody holds in this game.";
    UnknownRoute = "unknown_route", NOT_FOUND, "There is nothing at this path",
        "No operation has this path. See /openapi.json for all of them.";
    UnknownRules = "unknown_rules", NOT_FOUND, "There are no such rules",
        "The rules in the path are not ones this service knows. GET /rules lists them.";
    GameNotFound = "game_not_found", NOT_FOUND, "There is no such game",
        "No game of this portal has this id. A game of another portal is answered the same way.";
    PlyNotFound = "ply_not_found", NOT_FOUND, "The log has no such ply",
        "The game's log is shorter than the ply asked for.";
    UnknownCode = "unknown_code", NOT_FOUND, "There is no such problem code",
        "The last part of the path is not a problem code of this service.";
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "This path has no such method",
        "The path exists, but not with this method; the Allow header lists the ones it has.";
    NotAcceptable = "not_acceptable", NOT_ACCEPTABLE, "No representation is acceptable",
        "The Accept header excludes every media type this operation can answer with.";
    RequestTimeout = "request_timeout", REQUEST_TIMEOUT, "The request came too slowly",
        "The request was not complete within the time limit. Nothing was done.";
    VersionConflict = "version_conflict", CONFLICT, "The game has moved on",
        "`expected_version` is not the game's version, or another step was made on that version at the same moment. `version` is the current one: read the game, then decide again.";
    GameOver = "game_over", CONFLICT, "The game is over",
        "The game has finished or was aborted: it takes no more steps.";
    NotYourTurn = "not_your_turn", CONFLICT, "It is another seat's turn",
        "`to_move` names the seat whose turn it is.";
    ExternalRefTaken = "external_ref_taken", CONFLICT, "The external reference is taken",
        "Another game of this portal was created with the same `external_ref` and a different body.";
    TooLateToAbort = "too_late_to_abort", CONFLICT, "Every seat has moved",
        "A game can be aborted only until every seat has made a step; after that a seat may resign.";
    PreconditionFailed = "precondition_failed", PRECONDITION_FAILED, "If-Match does not match",
        "The If-Match header does not name the game's current ETag. `version` is the current one.";
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "The body is too large",
        "The body is longer than this operation takes.";
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The body must be application/json",
        "Send the body as JSON in UTF-8, with `Content-Type: application/json` and no content coding.";
    InvalidState = "invalid_state", UNPROCESSABLE_ENTITY, "The state is not possible",
        "The posted state can't occur in a game. `errors` gives every reason, each with a JSON pointer.";
    InvalidOptions = "invalid_options", UNPROCESSABLE_ENTITY, "The game can't be started so",
        "The seats or options do not fit the rules. `errors` gives every reason, each with a JSON pointer.";
    IllegalMove = "illegal_move", UNPROCESSABLE_ENTITY, "The move is not allowed",
        "The rules forbid the move: `clause` cites the rule, `legal_moves` lists what is allowed. Nothing was changed.";
    IdempotencyKeyReused = "idempotency_key_reused", UNPROCESSABLE_ENTITY, "The key was used for another body",
        "This Idempotency-Key was sent before on this path with a different body. Use a new key for a new request.";
    PreconditionRequired = "precondition_required", PRECONDITION_REQUIRED, "The request must be conditional",
        "This portal is in strict mode: send If-Match, `expected_version` or an Idempotency-Key, so that a retry can't count twice.";
    RateLimited = "rate_limited", TOO_MANY_REQUESTS, "Too many requests",
        "This credential has used up its budget. Retry-After says when to try again.";
    Internal = "internal", INTERNAL_SERVER_ERROR, "The service failed",
        "An error on the service's side. It is in its log under the `request_id`; please report that.";
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "The service can't answer right now",
        "The database can't be reached or the service is overloaded or stopping. Nothing half-done remains: repeat the request after Retry-After, with the same Idempotency-Key.";
}

/// A failure, as it is sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
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
    #[schema(nullable = false)]
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
    #[schema(nullable = false)]
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
        Self {
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
        }
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
        self.kind
    }

    /// With a sentence about this occurrence.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// With one thing wrong with the input.
    #[must_use]
    pub fn error(mut self, pointer: impl Into<String>, code: &str, message: impl Into<String>) -> Self {
        self.errors.push(FieldError {
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
        self.version = Some(version);
        self
    }

    /// With whose turn it is.
    #[must_use]
    pub fn to_move(mut self, seat: Seat) -> Self {
        self.to_move = Some(seat);
        self
    }

    /// With the `Allow` header that a wrong method is due.
    #[must_use]
    pub fn allow(mut self, methods: &[Method]) -> Self {
        let list = methods.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
        self.headers.push((header::ALLOW, list));
        self
    }

    /// With a header of its own, such as the rate limit's.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: impl fmt::Display) -> Self {
        self.headers.push((name, value.to_string()));
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
        let mut problem = Self::new(Code::IllegalMove)
            .detail(illegal.message)
            .error(pointer, illegal.code, illegal.message)
            .to_move(view.state.to_move);
        problem.clause = illegal.clause;
        problem.legal_moves = (view.phase != Phase::Over)
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
        f.write_str(self.code)
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.kind.status()
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        for (name, value) in &self.headers {
            response.insert_header((name.clone(), value.as_str()));
        }
        response
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .content_type(MEDIA_TYPE)
            .body(serde_json::to_string(self).unwrap_or_default())
    }
}
