//! The failures of operations: each states its codes once, as a list.

use crate::problem::Code;
use std::collections::BTreeMap;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::{RefOr, Response, ResponseBuilder};

/// The member that carries the codes of a response. It stays in the document, for whoever reads it.
pub(super) const CODES: &str = "x-problem-codes";

/// Declares a type that stands for failures in `responses(…)`: `failures! { struct Name: CodeA, CodeB }`.
///
/// Codes that any such operation can give (those of a body, of path parameters, of limits) are added by
/// `finish`; only the operation's own are listed.
macro_rules! failures {
    ($vis:vis struct $name:ident: $($code:ident),* $(,)?) => {
        #[doc = "The failures of an operation."]
        $vis struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses()
            -> std::collections::BTreeMap<String, utoipa::openapi::RefOr<utoipa::openapi::Response>> {
                $crate::openapi::failures::responses(&[$($crate::problem::Code::$code),*])
            }
        }
    };
}
pub(crate) use failures;

/// One response for each status of the codes.
pub(crate) fn responses(codes: &[Code]) -> BTreeMap<String, RefOr<Response>> {
    let mut statuses: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for code in codes {
        statuses.entry(code.status().as_str().to_owned()).or_default().push(code.as_str());
    }
    let response = |codes| {
        let extensions = ExtensionsBuilder::new().add(CODES, codes).build();
        ResponseBuilder::new().extensions(Some(extensions)).build().into()
    };
    statuses.into_iter().map(|(status, codes)| (status, response(codes))).collect()
}
