//! Path and query parameters.

use super::fault;
use crate::problem::{Code, Problem};
use actix_router::PathDeserializer;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use serde::de::DeserializeOwned;
use std::future::{Ready, ready};

/// The parameters in the path, by name.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned> FromRequest for Path<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(path(request).map(Self))
    }
}

fn path<T: DeserializeOwned>(request: &HttpRequest) -> Result<T, Problem> {
    if request.path().contains("%00") {
        return Err(Problem::new(Code::InvalidPath).error(
            "",
            "nul",
            "A parameter holds the character U+0000.",
        ));
    }
    serde_path_to_error::deserialize(PathDeserializer::new(request.match_info()))
        .map_err(|error| fault::invalid(Code::InvalidPath, error.path(), &error.inner().to_string()))
}

/// The parameters after the question mark. Unknown ones are refused where `T` denies them.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(query(request.query_string()).map(Self))
    }
}

fn query<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    let pairs = form_urlencoded::parse(text.as_bytes());
    if pairs.clone().any(|(name, value)| name.contains('\0') || value.contains('\0')) {
        return Err(Problem::new(Code::InvalidQuery).error(
            "",
            "nul",
            "A parameter holds the character U+0000.",
        ));
    }
    serde_path_to_error::deserialize(serde_urlencoded::Deserializer::new(pairs))
        .map_err(|error| fault::invalid(Code::InvalidQuery, error.path(), &error.inner().to_string()))
}

#[cfg(test)]
mod tests {
    use super::query;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Page {
        after: Option<i64>,
        seat: Option<kauri_rules::Seat>,
    }

    #[test]
    fn a_query_that_fits_is_read_and_another_is_not_said_back() {
        let page: Page = query("after=3&seat=west").unwrap();
        assert_eq!((page.after, page.seat), (Some(3), Some(kauri_rules::Seat::West)));
        for (text, pointer, code) in [
            ("afte=3", "/afte", "unknown_member"),
            ("%3Cb%3E=3", "", "unknown_member"),
            ("after=%3Cb%3E", "/after", "malformed"),
            ("after=1&after=2", "/after", "duplicate_member"),
            ("seat=%3Cb%3E", "/seat", "unknown_value"),
            ("after=%00", "", "nul"),
        ] {
            let problem = serde_json::to_value(query::<Page>(text).unwrap_err()).unwrap();
            assert_eq!(problem["code"], "invalid_query");
            let error = &problem["errors"][0];
            assert_eq!(
                (error["pointer"].as_str(), error["code"].as_str()),
                (Some(pointer), Some(code)),
                "{text}"
            );
            assert!(!problem.to_string().contains("<b>"), "{problem}");
        }
    }
}
