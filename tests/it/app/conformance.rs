//! Whether an answer is one that the spec documents.

use super::Reply;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// The spec of this build; that the service serves the same is a test of its own.
pub(crate) static SPEC: LazyLock<Spec> =
    LazyLock::new(|| Spec { document: kauri::openapi::document(), schemas: Mutex::default() });

pub(crate) struct Spec {
    pub(crate) document: Value,
    schemas: Mutex<HashMap<String, Arc<jsonschema::Validator>>>,
}

/// One operation.
pub(crate) struct Operation<'a> {
    pub(crate) path: &'a str,
    pub(crate) method: Method,
    pub(crate) value: &'a Value,
}

impl Spec {
    pub(crate) fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        self.document["paths"].as_object().unwrap().iter().flat_map(|(path, item)| {
            item.as_object().unwrap().iter().map(move |(method, value)| Operation {
                path,
                method: method.to_uppercase().parse().unwrap(),
                value,
            })
        })
    }

    /// Follows a reference, where there is one.
    pub(crate) fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')).unwrap(),
            None => value,
        }
    }

    /// Fails the test unless the spec documents the answer.
    pub(super) fn check(&self, method: &Method, path: &str, reply: &Reply) {
        let path = path.split('?').next().unwrap();
        assert!(!reply.header("x-request-id").is_empty(), "no x-request-id: {reply:?}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{reply:?}");
        let asked = if method == Method::HEAD { &Method::GET } else { method };
        // A path that is there as it stands belongs to no template.
        let literal = self.document["paths"].get(path).is_some();
        let belongs = |template: &str| if literal { template == path } else { matches(template, path) };
        let operation = self.operations().find(|o| o.method == *asked && belongs(o.path));
        match operation {
            Some(operation) => self.check_documented(&operation, method, reply),
            None if path.starts_with("/docs") && reply.status < 400 => {}
            None => {
                assert!(
                    matches!(reply.status, 404 | 405 | 429),
                    "{method} {path} has no such answer: {reply:?}"
                );
                self.check_problem(method, reply);
            }
        }
    }

    fn check_documented(&self, operation: &Operation<'_>, method: &Method, reply: &Reply) {
        let responses = &operation.value["responses"];
        let name = format!("{method} {} {}", operation.path, reply.status);
        let response =
            responses.get(reply.status.to_string()).unwrap_or_else(|| panic!("{name} is undocumented"));
        for (header, definition) in response["headers"].as_object().into_iter().flatten() {
            let definition = self.resolve(definition);
            let value = reply.headers.get(header).map(|value| value.to_str().unwrap());
            assert!(value.is_some() || definition["required"] != true, "{name} lacks {header}: {reply:?}");
            if let Some(value) = value {
                let number = definition["schema"]["type"] == "integer";
                let value = if number { json!(value.parse::<i64>().unwrap()) } else { json!(value) };
                self.check_schema(&format!("{name} {header}"), &definition["schema"], &value);
            }
        }
        let Some(content) = response["content"].as_object() else {
            assert!(reply.body.is_empty(), "{name} has a body: {reply:?}");
            return;
        };
        let media_type = media_type(reply);
        let media = content.get(media_type).unwrap_or_else(|| panic!("{name} is no {media_type}: {reply:?}"));
        if method == Method::HEAD {
            assert!(reply.body.is_empty(), "{name} has a body: {reply:?}");
        } else if media_type == "application/x-ndjson" {
            self.check_schema(&format!("{name} {media_type}"), &media["schema"], &json!(reply.body));
        } else if is_json(media_type) {
            self.check_schema(&format!("{name} {media_type}"), &media["schema"], &reply.json());
        }
        if reply.status >= 400 && method != Method::HEAD {
            let codes = response["x-problem-codes"].as_array().unwrap();
            assert!(codes.contains(&reply.json()["code"]), "{name} with another code: {reply:?}");
        }
    }

    fn check_problem(&self, method: &Method, reply: &Reply) {
        assert_eq!(media_type(reply), "application/problem+json", "{reply:?}");
        if method != Method::HEAD {
            let schema = json!({"$ref": "#/components/schemas/Problem"});
            self.check_schema("Problem", &schema, &reply.json());
        }
    }

    /// Fails the test unless the value fits the schema, whose validator is kept under the name.
    pub(crate) fn check_schema(&self, name: &str, schema: &Value, value: &Value) {
        let kept = self.schemas.lock().unwrap().get(name).cloned();
        let validator = kept.unwrap_or_else(|| {
            let mut whole = schema.clone();
            whole["components"] = self.document["components"].clone();
            let built = Arc::new(jsonschema::draft202012::new(&whole).unwrap());
            self.schemas.lock().unwrap().insert(name.to_owned(), Arc::clone(&built));
            built
        });
        let errors: Vec<String> = validator
            .iter_errors(value)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name} breaks its schema: {errors:#?}\n{value:#}");
    }
}

/// Whether it is one JSON text, and not a line each.
pub(crate) fn is_json(media_type: &str) -> bool {
    media_type.ends_with("/json") || media_type.ends_with("+json")
}

fn media_type(reply: &Reply) -> &str {
    reply.header("content-type").split(';').next().unwrap_or_default()
}

/// Whether a path belongs to a template.
fn matches(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template.iter().zip(&path).all(|(t, p)| t == p || (t.starts_with('{') && !p.is_empty()))
}
