//! The table of codes: the one place that says which failures there are and how each is answered.

use actix_web::http::StatusCode;

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
    WebhookNotFound = "webhook_not_found", NOT_FOUND, "There is no such endpoint of webhooks",
        "No endpoint of this portal has this id. An endpoint of another portal is answered the same way.";
    DeliveryNotFound = "delivery_not_found", NOT_FOUND, "There is no such delivery",
        "No delivery to this endpoint has this id, or it was forgotten.";
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
    GameExists = "game_exists", CONFLICT, "The game is here with another history",
        "The portal has a game with the id of the record that is imported, and it is not the same in every step and member.";
    TooLateToAbort = "too_late_to_abort", CONFLICT, "Every seat has moved",
        "A game can be aborted only until every seat has made a step; after that a seat may resign.";
    TooManyWebhooks = "too_many_webhooks", CONFLICT, "The portal has as many endpoints as it may",
        "A portal can have 20 endpoints of webhooks. Delete one that is no longer needed.";
    WebhookDisabled = "webhook_disabled", CONFLICT, "The endpoint is disabled",
        "Nothing is posted to a disabled endpoint. Enable it first; what it has missed is delivered then.";
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
    InvalidRecord = "invalid_record", UNPROCESSABLE_ENTITY, "The record is no game's",
        "A record that is imported can't be of a game by these rules. `errors` names the member, such as `/moves/12/move` for the first step that is not allowed, `clause` the rule. Nothing of the game was taken.";
    InvalidWebhook = "invalid_webhook", UNPROCESSABLE_ENTITY, "The endpoint can't be posted to so",
        "The URL is not one that may be posted to, or a type of events is unknown. `errors` gives every reason, each with a JSON pointer. A URL must be HTTPS and on the public internet.";
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
