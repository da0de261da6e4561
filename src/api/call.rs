//! The headers that say who calls, on what condition, and under which key.

use crate::credential::{Credential, hash};
use crate::games::{Call, Condition, IdempotencyKey};
use crate::problem::{Code, Problem};
use actix_web::http::header::{self, HeaderName};
use actix_web::{FromRequest, HttpRequest, dev::Payload};
use std::future::{Ready, ready};

/// The header of an Idempotency-Key.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

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
pub(crate) fn call(request: &HttpRequest, body: &[u8]) -> Result<Call, Problem> {
    let headers = request.headers();
    let key =
        headers.get(IDEMPOTENCY_KEY).map(|value| IdempotencyKey::parse(value.as_bytes())).transpose()?;
    let condition = condition(request, &header::IF_MATCH)?;
    Ok(Call {
        credential: credential(request)?,
        target: format!("{} {}", request.method(), request.path()),
        key,
        condition,
        body_hash: hash(body),
    })
}

/// An If-Match or If-None-Match header.
pub(crate) fn condition(request: &HttpRequest, name: &HeaderName) -> Result<Option<Condition>, Problem> {
    let value = request.headers().get(name);
    value.map(|value| Condition::parse(name.as_str(), value.as_bytes())).transpose()
}

fn credential(request: &HttpRequest) -> Result<Credential, Problem> {
    let value = request.headers().get(header::AUTHORIZATION).map(header::HeaderValue::as_bytes);
    Credential::from_header(value).map_err(|_| Problem::new(Code::Unauthorized))
}
