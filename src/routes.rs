//! The table of routes, read off the spec: which paths there are, with which methods and media types.
//!
//! Routing itself is actix's. This table answers what actix doesn't: the methods a path has, for a 405; what an
//! operation can answer with, for a 406; whether it looks at a credential, for the budgets; and the label of a path,
//! before anything has been routed.

use crate::api::{self, Register};
use actix_web::dev::HttpServiceFactory;
use actix_web::http::Method;
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa_actix_web::OpenApiFactory;

/// More parts than any path of an operation has.
const MOST_PARTS: usize = 8;

/// Every path of the service.
#[derive(Debug)]
pub struct Routes(Vec<Route>);

/// One path.
#[derive(Debug)]
pub struct Route {
    /// The path with its parameters in braces.
    pub pattern: &'static str,
    segments: Vec<Segment>,
    operations: Vec<Operation>,
}

/// One method of a path.
#[derive(Debug)]
struct Operation {
    method: Method,
    media_types: Vec<String>,
    /// Whether it looks at a credential.
    asks: bool,
}

#[derive(Debug)]
enum Segment {
    Literal(&'static str),
    /// One segment, whatever it says.
    Parameter,
    /// The rest of the path.
    Tail,
}

impl Routes {
    /// The paths of the operations, and those of the reference page, which no document lists.
    ///
    /// The table lives as long as the process: requests refer to it, and metrics are labelled with its patterns.
    #[must_use]
    pub fn new() -> &'static Self {
        let mut operations = Operations::default();
        api::operations(&mut operations);
        Self::of(operations)
    }

    fn of(operations: Operations) -> &'static Self {
        let listed = operations.0.into_iter().map(|(pattern, operations)| Route::new(pattern, operations));
        let pages = ["/docs", "/docs/{file...}"].map(|pattern| {
            Route::new(
                pattern.to_owned(),
                vec![Operation { method: Method::GET, media_types: Vec::new(), asks: false }],
            )
        });
        Box::leak(Box::new(Self(listed.chain(pages).collect())))
    }

    /// The route a path belongs to.
    #[must_use]
    pub fn find(&'static self, path: &str) -> Option<&'static Route> {
        let mut parts = [""; MOST_PARTS];
        let mut number = 0;
        for part in path.split('/') {
            // No path is longer but what a tail takes, which asks for no more than that there is something.
            if number < MOST_PARTS {
                parts[number] = part;
            }
            number += 1;
        }
        self.0.iter().find(|route| route.matches(&parts, number))
    }
}

/// The operations by path, as they are listed.
#[derive(Default)]
struct Operations(BTreeMap<String, Vec<Operation>>);

impl Operations {
    /// Adds those of one OpenAPI paths object.
    fn add(&mut self, paths: &Value) {
        for (pattern, item) in paths.as_object().into_iter().flatten() {
            self.0.entry(pattern.clone()).or_default().extend(operations(item));
        }
    }
}

impl Register for Operations {
    fn service<F: HttpServiceFactory + OpenApiFactory + 'static>(&mut self, operation: F) -> &mut Self {
        self.add(&serde_json::to_value(operation.paths()).unwrap_or_default());
        self
    }
}

fn operations(item: &Value) -> Vec<Operation> {
    let operation = |(method, operation): (&String, &Value)| {
        let responses = operation["responses"].as_object()?;
        let media_types = responses
            .iter()
            .filter(|(status, _)| status.starts_with('2'))
            .filter_map(|(_, response)| response["content"].as_object())
            .flat_map(|content| content.keys().cloned())
            .collect();
        let schemes = operation["security"].as_array().into_iter().flatten();
        let asks = schemes.filter_map(Value::as_object).any(|scheme| !scheme.is_empty());
        Some(Operation { method: method.to_uppercase().parse().ok()?, media_types, asks })
    };
    item.as_object().into_iter().flatten().filter_map(operation).collect()
}

impl Route {
    fn new(pattern: String, operations: Vec<Operation>) -> Self {
        let pattern: &'static str = pattern.leak();
        let segment = |text: &'static str| match text {
            _ if text.ends_with("...}") => Segment::Tail,
            _ if text.starts_with('{') => Segment::Parameter,
            _ => Segment::Literal(text),
        };
        let segments: Vec<Segment> = pattern.split('/').map(segment).collect();
        debug_assert!(segments.len() <= MOST_PARTS, "{pattern} is longer than a path is looked at");
        Self { pattern, segments, operations }
    }

    /// Whether a path of so many parts, of which these are the first, is of this route.
    fn matches(&self, parts: &[&str; MOST_PARTS], number: usize) -> bool {
        let tail = matches!(self.segments.last(), Some(Segment::Tail));
        let fits = if tail { number >= self.segments.len() } else { number == self.segments.len() };
        fits && self.segments.iter().zip(parts).all(|(segment, part)| match segment {
            Segment::Literal(literal) => literal == part,
            Segment::Parameter => !part.is_empty(),
            Segment::Tail => true,
        })
    }

    /// The methods this path has; HEAD wherever GET is.
    #[must_use]
    pub fn methods(&self) -> Vec<Method> {
        let mut methods: Vec<Method> =
            self.operations.iter().map(|operation| operation.method.clone()).collect();
        if methods.contains(&Method::GET) {
            methods.push(Method::HEAD);
        }
        methods
    }

    /// The media types an operation answers with when all goes well; none where it is not known.
    #[must_use]
    pub fn media_types(&self, method: &Method) -> &[String] {
        self.operation(method).map_or(&[], |operation| &operation.media_types)
    }

    /// Whether an operation looks at the caller's credential.
    #[must_use]
    pub fn asks_for_credential(&self, method: &Method) -> bool {
        self.operation(method).is_some_and(|operation| operation.asks)
    }

    fn operation(&self, method: &Method) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.method == *method)
    }
}

#[cfg(test)]
mod tests {
    use super::{Method, Operations, Routes};
    use serde_json::json;

    fn routes() -> &'static Routes {
        let json = json!({"200": {"content": {"application/json": {}}}});
        let mut operations = Operations::default();
        operations.add(&json!({
            "/rules": {"get": {"responses": json}},
            "/rules/{rules}/apply": {"post": {"responses": json, "security": [{}]}},
            "/games": {"post": {"responses": json, "security": [{"bearer": []}, {}]}},
        }));
        Routes::of(operations)
    }

    #[test]
    fn a_path_is_found_by_its_segments() {
        let pattern = |path| routes().find(path).map(|route| route.pattern);
        assert_eq!(pattern("/rules"), Some("/rules"));
        assert_eq!(pattern("/rules/x/apply"), Some("/rules/{rules}/apply"));
        assert_eq!(pattern("/docs/"), Some("/docs/{file...}"));
        assert_eq!(pattern("/docs/a/b"), Some("/docs/{file...}"));
        assert_eq!(pattern("/docs/1/2/3/4/5/6/7/8/9"), Some("/docs/{file...}"));
        assert_eq!(pattern("/rules/x/apply/4/5/6/7/8/9"), None);
        for unknown in ["", "/", "/rules/", "/rules/x", "/rules//apply", "/rules/x/apply/", "/RULES"] {
            assert_eq!(pattern(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_route_tells_its_methods_and_media_types() {
        let routes = routes();
        let rules = routes.find("/rules").unwrap();
        assert_eq!(rules.methods(), [Method::GET, Method::HEAD]);
        assert_eq!(rules.media_types(&Method::GET), ["application/json"]);
        assert!(rules.media_types(&Method::PUT).is_empty());
        let asks = |path| routes.find(path).unwrap().asks_for_credential(&Method::POST);
        assert!(asks("/games") && !asks("/rules/x/apply"));
    }
}
