//! The headers that say who calls, on what condition, and under which key.

use crate::credential::{Credential, hash};
use crate::games::{Call, Condition, IdempotencyKey};
use crate::problem::{Code, Problem};
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{FromRequest, HttpRequest, dev::Payload};
use std::future::{Ready, ready};

/// The header of an Idempotency-Key.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The header that says from which event on a stream goes.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Who calls; not yet believed.
#[derive(Debug)]
pub(crate) struct Shown(pub Credential);

impl FromRequest for Shown {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(credential(request).map(Self))
    }
}

/// What a state-changing request says in its headers.
///
/// Read in the handler, after the body: what can't be read (400) is said before who may not ask (401).
/// `target` is the operation with the ids that were understood, so that another spelling is not another target.
pub(crate) fn call(request: &HttpRequest, target: String, body: &[u8]) -> Result<Call, Problem> {
    let key =
        only(request, &IDEMPOTENCY_KEY)?.map(|value| IdempotencyKey::parse(value.as_bytes())).transpose()?;
    let condition = condition(request, &header::IF_MATCH)?;
    Ok(Call { credential: credential(request)?, target, key, condition, body_hash: hash(body) })
}

/// An If-Match or If-None-Match header.
pub(crate) fn condition(request: &HttpRequest, name: &HeaderName) -> Result<Option<Condition>, Problem> {
    let lines: Vec<&[u8]> = request.headers().get_all(name).map(HeaderValue::as_bytes).collect();
    (!lines.is_empty()).then(|| Condition::parse(name.as_str(), &lines.join(&b','))).transpose()
}

/// A Last-Event-ID header.
pub(crate) fn last_event_id(request: &HttpRequest) -> Result<Option<String>, Problem> {
    let Some(value) = only(request, &LAST_EVENT_ID)? else { return Ok(None) };
    let id = value.to_str().map(str::to_owned);
    id.map(Some).map_err(|_| Problem::new(Code::InvalidHeader).detail("Last-Event-ID is no id of an event."))
}

/// A header that makes sense once only.
fn only<'r>(request: &'r HttpRequest, name: &HeaderName) -> Result<Option<&'r HeaderValue>, Problem> {
    let mut lines = request.headers().get_all(name);
    match (lines.next(), lines.next()) {
        (_, Some(_)) => {
            Err(Problem::new(Code::InvalidHeader)
                .detail(format!("{} may be there once only.", name.as_str())))
        }
        (first, None) => Ok(first),
    }
}

/// The credential in the headers.
pub(crate) fn credential(request: &HttpRequest) -> Result<Credential, Problem> {
    let value = only(request, &header::AUTHORIZATION)?.map(HeaderValue::as_bytes);
    Credential::from_header(value).map_err(|_| Problem::new(Code::Unauthorized))
}
