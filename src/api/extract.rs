//! What handlers take from a request: bodies, path and query parameters, each failing with a [`Problem`].
//!
//! Nothing of the input is ever said back: the messages of parsers quote it, so they are put in other words.

mod fault;
mod lines;
mod parameters;
mod strict;

pub(crate) use lines::{Line, Lines};
pub use parameters::{Path, Query};

use crate::limits::{self, Limits};
use crate::problem::{Code, Problem};
use actix_web::dev::Payload;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{self, Bytes, BytesMut};
use actix_web::{FromRequest, HttpRequest};
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

/// Longest body taken where the service sets no limit.
const MAX_BODY: usize = 1 << 20;

/// A JSON body.
#[derive(Debug)]
pub struct Json<T> {
    /// What it says.
    pub value: T,
    /// The very bytes that were sent.
    pub raw: Bytes,
}

impl<T: DeserializeOwned + 'static> FromRequest for Json<T> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let media_type = media_type(request.headers());
        let body = body(request, payload);
        Box::pin(async move {
            media_type?;
            let raw = body.await?;
            Ok(Self { value: parse(&raw)?, raw })
        })
    }
}

/// A JSON body that may be left out.
#[derive(Debug)]
pub struct JsonOrNothing<T> {
    /// What it says; the default when there is none.
    pub value: T,
    /// The very bytes that were sent, if any.
    pub raw: Bytes,
}

impl<T: DeserializeOwned + Default + 'static> FromRequest for JsonOrNothing<T> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let media_type = media_type(request.headers());
        let body = body(request, payload);
        Box::pin(async move {
            let raw = body.await?;
            if raw.is_empty() {
                return Ok(Self { value: T::default(), raw });
            }
            media_type?;
            Ok(Self { value: parse(&raw)?, raw })
        })
    }
}

/// The body as one JSON document, where an operation takes other bodies too.
pub(crate) async fn one_json<T: DeserializeOwned>(
    request: &HttpRequest,
    payload: &mut Payload,
) -> Result<T, Problem> {
    media_type(request.headers())?;
    parse(&body(request, payload).await?)
}

/// Whether the body is JSON documents, one a line, in UTF-8 with no content coding.
pub(crate) fn streams_json(headers: &HeaderMap) -> bool {
    fits(headers, "application/x-ndjson")
}

/// The body's bytes, within the limits.
fn body(
    request: &HttpRequest,
    payload: &mut Payload,
) -> impl Future<Output = Result<Bytes, Problem>> + use<> {
    let max = request.app_data::<web::Data<Limits>>().map_or(MAX_BODY, |limits| limits.max_body);
    let checked = announced_size(request.headers(), max);
    let payload = payload.take();
    async move {
        checked?;
        limits::reading(read(payload, max)).await
    }
}

/// JSON in UTF-8 with no content coding is all that is read.
fn media_type(headers: &HeaderMap) -> Result<(), Problem> {
    if fits(headers, "application/json") { Ok(()) } else { Err(Problem::new(Code::UnsupportedMediaType)) }
}

fn fits(headers: &HeaderMap, wanted: &str) -> bool {
    let identity = headers.get_all(header::CONTENT_ENCODING).all(|coding| coding == "identity");
    let media_type = headers.get(header::CONTENT_TYPE).is_some_and(|media_type| {
        let media_type = media_type.as_bytes();
        media_type == wanted.as_bytes() || std::str::from_utf8(media_type).is_ok_and(|text| is(text, wanted))
    });
    identity && media_type
}

fn is(media_type: &str, wanted: &str) -> bool {
    let mut parts = media_type.split(';').map(str::trim);
    parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case(wanted))
        && parts.filter(|parameter| !parameter.is_empty()).all(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            !name.eq_ignore_ascii_case("charset") || value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        })
}

fn announced_size(headers: &HeaderMap, max: usize) -> Result<(), Problem> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > max) { Err(too_large(max)) } else { Ok(()) }
}

fn too_large(max: usize) -> Problem {
    Problem::new(Code::BodyTooLarge).detail(format!("A body may have at most {max} bytes."))
}

/// The whole body. One that comes in a single piece, as most do, is not copied.
async fn read(mut payload: Payload, max: usize) -> Result<Bytes, Problem> {
    let broken = |_| Problem::new(Code::MalformedBody).detail("The body broke off.");
    let Some(first) = payload.next().await.transpose().map_err(broken)? else { return Ok(Bytes::new()) };
    if first.len() > max {
        return Err(too_large(max));
    }
    let Some(second) = payload.next().await.transpose().map_err(broken)? else { return Ok(first) };
    let mut body = BytesMut::from(first);
    let mut next = Some(second);
    while let Some(piece) = next {
        if body.len() + piece.len() > max {
            return Err(too_large(max));
        }
        body.extend_from_slice(&piece);
        next = payload.next().await.transpose().map_err(broken)?;
    }
    Ok(body.freeze())
}

/// Reads one JSON document. What is wrong with it is looked for only when something is.
pub(crate) fn parse<T: DeserializeOwned>(raw: &[u8]) -> Result<T, Problem> {
    let text = std::str::from_utf8(raw).map_err(|error| {
        let at = error.valid_up_to();
        Problem::new(Code::MalformedBody).detail(format!("The body is not UTF-8 from byte {at} on."))
    })?;
    if holds_nul(text) {
        return Err(Problem::new(Code::InvalidBody).error("", "nul", "A string holds the character U+0000."));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    match T::deserialize(strict::Objects(&mut json)) {
        Ok(value) if json.end().is_ok() => Ok(value),
        _ => Err(fault::of_body::<T>(text)),
    }
}

/// Whether a string in the JSON text spells U+0000: the escape, with its own backslash not escaped.
///
/// Postgres can't keep that character, so it is refused before it gets anywhere.
fn holds_nul(text: &str) -> bool {
    text.contains('\\')
        && text.match_indices("u0000").any(|(at, _)| {
            let backslashes = text.as_bytes()[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
            backslashes % 2 == 1
        })
}

/// Reads an optional member that may be absent but not `null`.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads an optional list that may be absent or, which is the same, empty: some generated clients send an
/// empty list for what their user left out.
pub fn listed<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    Vec::deserialize(deserializer).map(|list| (!list.is_empty()).then_some(list))
}

#[cfg(test)]
mod tests {
    use super::{holds_nul, is, listed, parse, present};
    use crate::problem::Problem;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[serde(default, deserialize_with = "present")]
        name: Option<String>,
        #[serde(default)]
        inner: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        count: u8,
        seat: kauri_rules::Seat,
    }

    /// Code, and of each error pointer, code and message.
    fn refusal(text: &str) -> String {
        let problem: Problem = parse::<Outer>(text.as_bytes()).unwrap_err();
        let json = serde_json::to_value(&problem).unwrap();
        let errors = json["errors"].as_array().into_iter().flatten();
        let errors = errors.map(|e| {
            format!(
                " {} {} {}",
                e["pointer"].as_str().unwrap(),
                e["code"].as_str().unwrap(),
                e["message"].as_str().unwrap()
            )
        });
        let detail = json["detail"].as_str().map(|detail| format!(" {detail}")).unwrap_or_default();
        format!("{}{detail}{}", problem.code().as_str(), errors.collect::<String>())
    }

    #[test]
    fn a_body_that_fits_is_read() {
        let outer: Outer = parse(br#" {"name":"a","inner":[{"count":3,"seat":"west"}]} "#).unwrap();
        assert_eq!((outer.name.as_deref(), outer.inner[0].count), (Some("a"), 3));
        assert_eq!(outer.inner[0].seat, kauri_rules::Seat::West);
    }

    #[test]
    fn an_empty_list_is_the_same_as_none() {
        #[derive(Deserialize)]
        struct Lists {
            #[serde(default, deserialize_with = "listed")]
            list: Option<Vec<u8>>,
        }
        for (text, expected) in [("{}", None), (r#"{"list":[]}"#, None), (r#"{"list":[1]}"#, Some(vec![1]))] {
            assert_eq!(parse::<Lists>(text.as_bytes()).unwrap().list, expected);
        }
        assert!(parse::<Lists>(br#"{"list":null}"#).is_err());
    }

    #[test]
    fn each_member_that_does_not_fit_is_named_by_a_pointer() {
        for (text, expected) in [
            (r#"{"nmae":1}"#, "invalid_body /nmae unknown_member There is no such member here."),
            (r#"{"<b>":1}"#, "invalid_body  unknown_member There is no such member here."),
            (
                r#"{"inner":[{"count":1}]}"#,
                "invalid_body /inner/0/seat missing_member This member is needed.",
            ),
            (r#"{"name":null}"#, "invalid_body /name wrong_type A string is needed."),
            (r#"{"name":["<i>, expected <b>"]}"#, "invalid_body /name wrong_type A string is needed."),
            (r#"{"name":"a","name":"b"}"#, "invalid_body /name duplicate_member This member is there twice."),
            (
                r#"{"inner":[{"count":256,"seat":"west"}]}"#,
                "invalid_body /inner/0/count out_of_range A whole number from 0 to 255 is needed.",
            ),
            (
                r#"{"inner":[{"count":1e999,"seat":"west"}]}"#,
                "invalid_body /inner/0/count out_of_range The number is out of range.",
            ),
            (
                r#"{"inner":[{"count":1.5,"seat":"west"}]}"#,
                "invalid_body /inner/0/count wrong_type A whole number from 0 to 255 is needed.",
            ),
            (
                r#"{"inner":[{"count":1,"seat":"`, expected <b>"}]}"#,
                "invalid_body /inner/0/seat unknown_value One of south, west, north, east is needed.",
            ),
            (r#"{"inner":[[1,"west"]]}"#, "invalid_body /inner/0 wrong_type An object is needed."),
            (r#"{"inner":{}}"#, "invalid_body /inner wrong_type An array is needed."),
            ("[]", "invalid_body  wrong_type An object is needed."),
            ("null", "invalid_body  wrong_type An object is needed."),
            (r#"{"name":"\u0000"}"#, "invalid_body  nul A string holds the character U+0000."),
        ] {
            assert_eq!(refusal(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_malformed() {
        let deep = format!(r#"{{"inner":{}"#, "[".repeat(500));
        for text in [
            "",
            "{",
            "nonsense",
            r#"{"name":"a"} x"#,
            r#"{"name":NaN}"#,
            "{'name':1}",
            "\u{feff}{}",
            "{\"name\":\"\0\"}",
            &deep,
        ] {
            let refusal = refusal(text);
            let fits = refusal.starts_with("malformed_body ") || text == deep;
            assert!(fits, "{text}: {refusal}");
        }
        let broken = parse::<Outer>(b"{\"name\":\"\xff\"}").unwrap_err();
        assert_eq!(broken.code().as_str(), "malformed_body");
    }

    #[test]
    fn only_an_escape_that_is_none_itself_spells_nul() {
        assert!(holds_nul(r#""\u0000""#) && holds_nul(r#""\\\u0000""#));
        assert!(!holds_nul(r#""\\u0000""#) && !holds_nul("u0000") && !holds_nul(r"\u0001"));
    }

    #[test]
    fn json_is_told_by_its_media_type() {
        for good in
            ["application/json", "Application/JSON; Charset=UTF-8", "application/json;charset=\"utf-8\""]
        {
            assert!(is(good, "application/json"), "{good}");
        }
        for bad in ["", "text/plain", "application/json; charset=latin1", "application/jsonx", "json"] {
            assert!(!is(bad, "application/json"), "{bad}");
        }
    }
}
