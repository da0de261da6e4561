//! Whether a caller will take what an operation answers with.

use crate::problem;
use actix_web::HttpMessage;
use actix_web::http::header::{self, Accept, Header, Quality};

/// Whether the Accept header leaves any of the media types, or that of problems.
///
/// A malformed header excludes nothing.
pub(crate) fn takes<M: HttpMessage>(request: &M, media_types: &[String]) -> bool {
    let Some(accept) = request.headers().get(header::ACCEPT) else { return true };
    let plainly = accept == "*/*" || media_types.iter().any(|offer| accept == offer.as_str());
    if media_types.is_empty() || plainly {
        return true;
    }
    let Ok(accept) = Accept::parse(request) else { return true };
    let mut offers = media_types.iter().map(String::as_str).chain([problem::MEDIA_TYPE]);
    accept.is_empty() || offers.any(|offer| quality(&accept, offer) > Quality::ZERO)
}

/// The one of these media types that the caller likes best; the first, if it says nothing.
pub(crate) fn preferred<M: HttpMessage, const N: usize>(
    request: &M,
    offers: [&'static str; N],
) -> &'static str {
    let accept = Accept::parse(request).ok().filter(|accept| !accept.is_empty());
    let liked = |offer: &&str| accept.as_ref().map_or(Quality::MAX, |accept| quality(accept, offer));
    // Of several that are liked the same, the last is the greatest.
    offers.into_iter().rev().max_by_key(liked).unwrap_or_default()
}

/// Whether a caller would rather have the first media type than the second; not when it does not say.
pub(crate) fn prefers<M: HttpMessage>(request: &M, first: &str, second: &str) -> bool {
    if !request.headers().contains_key(header::ACCEPT) {
        return false;
    }
    Accept::parse(request).is_ok_and(|accept| quality(&accept, first) > quality(&accept, second))
}

/// What the most specific range that covers the media type says of it.
fn quality(accept: &Accept, offer: &str) -> Quality {
    let essence = offer.split(';').next().unwrap_or(offer);
    let (kind, subtype) = essence.split_once('/').unwrap_or((essence, ""));
    accept
        .iter()
        .filter_map(|range| {
            let whole = range.item.type_() == "*";
            let exact = range.item.essence_str() == essence;
            let half = range.item.type_() == kind && range.item.subtype() == "*";
            let specificity = u8::from(half) + 2 * u8::from(exact && !subtype.is_empty());
            (whole || half || exact).then_some((specificity, range.quality))
        })
        .max_by_key(|&(specificity, quality)| (specificity, quality))
        .map_or(Quality::ZERO, |(_, quality)| quality)
}

#[cfg(test)]
mod tests {
    use super::{preferred, takes};
    use actix_web::test::TestRequest;

    #[test]
    fn the_media_type_that_is_liked_best_is_preferred() {
        let of = |accept: &str| {
            let request = TestRequest::default().insert_header(("accept", accept)).to_srv_request();
            preferred(&request, ["text/event-stream", "application/x-ndjson"])
        };
        for (accept, expected) in [
            ("*/*", "text/event-stream"),
            ("", "text/event-stream"),
            ("application/x-ndjson", "application/x-ndjson"),
            ("application/*, text/*;q=0.5", "application/x-ndjson"),
            ("application/x-ndjson;q=0.5, text/event-stream", "text/event-stream"),
        ] {
            assert_eq!(of(accept), expected, "{accept}");
        }
        assert_eq!(preferred(&TestRequest::default().to_srv_request(), ["a/a", "b/b"]), "a/a");
    }

    #[test]
    fn an_accept_header_takes_what_it_does_not_exclude() {
        let json = ["application/json".to_owned()];
        for accept in [
            "*/*",
            "application/json",
            "application/*",
            "application/problem+json",
            "text/html, */*;q=0.1",
            "application/json; charset=utf-8",
            "",
            "nonsense",
        ] {
            let request = TestRequest::default().insert_header(("accept", accept)).to_srv_request();
            assert!(takes(&request, &json), "{accept}");
        }
        for accept in ["text/html", "image/*", "application/xml", "application/*;q=0", "*/*;q=0"] {
            let request = TestRequest::default().insert_header(("accept", accept)).to_srv_request();
            assert!(!takes(&request, &json), "{accept}");
        }
        let exact = "application/json;q=0, application/problem+json;q=0, */*";
        let request = TestRequest::default().insert_header(("accept", exact)).to_srv_request();
        assert!(!takes(&request, &json));
        assert!(takes(&TestRequest::default().to_srv_request(), &json));
    }
}
