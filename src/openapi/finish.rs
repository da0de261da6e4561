//! Adds to the document what is the same for every operation.

use super::failures::CODES;
use crate::limits;
use crate::problem::{self, Code};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use utoipa::PartialSchema;

/// Completes every response; a document is finished once.
pub(super) fn finish(document: &mut Value) {
    declare(document);
    let mut told = HashSet::new();
    for (path, item) in members(&mut document["paths"]) {
        for (_, operation) in members(item) {
            let common = common(path, operation);
            conditional(operation);
            optional_body(operation);
            let responses = &mut operation["responses"];
            for code in common {
                add(responses, code);
            }
            for (status, response) in members(responses) {
                if let Some(codes) = codes(response) {
                    explain(response, &codes);
                    told.extend(codes);
                }
                for (_, header) in response.get_mut("headers").into_iter().flat_map(members) {
                    presence(header);
                }
                for (name, header) in headers(status) {
                    response["headers"][name] = reference("headers", header);
                }
                response["headers"]["x-request-id"] = reference("headers", "RequestId");
            }
        }
    }
    for code in told {
        let example = json!({"summary": code.title(), "value": example(code)});
        document["components"]["examples"][code.as_str()] = example;
    }
}

fn members(value: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    value.as_object_mut().into_iter().flatten()
}

fn reference(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// What the responses refer to.
fn declare(document: &mut Value) {
    let components = &mut document["components"];
    components["schemas"]["Problem"] = schema::<problem::Document>();
    components["schemas"]["FieldError"] = schema::<problem::FieldError>();
    let header = |required: bool, example: &str, description: &str| {
        json!({
            "required": required,
            "schema": {"type": "string"},
            "example": example,
            "description": description,
        })
    };
    components["headers"] = json!({
        "RequestId": header(true, "4f1c2d9a7b3e-2a", "Names this request in the service's log."),
        "RetryAfter": {
            "required": true,
            "schema": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 86_400},
            "example": 1,
            "description": "Seconds to wait before trying again.",
        },
        "ETag": header(true, "\"v12\"", "Changes when what is answered does."),
        "CacheControl": header(true, "no-cache", "Whether and how long a copy may be used unasked."),
        "Location": header(true, "/games/0198c5a8-1f6e-7cc3-8d39-3f1d6f0a9b11", "Where what was made can be read."),
        "Challenge": header(true, "Bearer", "The scheme of the credential that is needed."),
        "RateLimitPolicy": header(true, "\"requests\";q=100;w=1", "The budget: `q` requests in `w` seconds."),
        "RateLimit": header(true, "\"requests\";r=0;t=1", "What is left: `r` requests for the next `t` seconds."),
    });
}

fn schema<T: PartialSchema>() -> Value {
    serde_json::to_value(T::schema()).unwrap_or_default()
}

/// The failures an operation has because of its nature.
fn common(path: &str, operation: &Value) -> Vec<Code> {
    let mut codes = vec![Code::NotAcceptable, Code::Internal, Code::Unavailable];
    let has = |place: &str| {
        let parameters = operation["parameters"].as_array();
        parameters.into_iter().flatten().any(|parameter| parameter["in"] == place)
    };
    if operation.get("requestBody").is_some() {
        codes.extend([Code::MalformedBody, Code::InvalidBody, Code::RequestTimeout]);
        codes.extend([Code::BodyTooLarge, Code::UnsupportedMediaType]);
    }
    if has("path") {
        codes.push(Code::InvalidPath);
    }
    if has("query") {
        codes.push(Code::InvalidQuery);
    }
    if !limits::EXEMPT.contains(&path) {
        codes.push(Code::RateLimited);
    }
    codes
}

fn add(responses: &mut Value, code: Code) {
    let response = &mut responses[code.status().as_str()];
    let mut all = codes(response).unwrap_or_default();
    if !all.contains(&code) {
        all.push(code);
    }
    response[CODES] = all.iter().map(|code| code.as_str()).collect();
}

/// The codes of a response; none for a response that is no failure.
fn codes(response: &Value) -> Option<Vec<Code>> {
    let named = response.get(CODES)?.as_array()?;
    let code = |name: &Value| Code::ALL.iter().copied().find(|code| name == code.as_str());
    Some(named.iter().filter_map(code).collect())
}

/// Says in prose, by example and by schema what a failure looks like.
fn explain(response: &mut Value, codes: &[Code]) {
    let lines: Vec<String> =
        codes.iter().map(|code| format!("- `{}`: {}.", code.as_str(), code.title())).collect();
    response["description"] = lines.join("\n").into();
    let examples: Map<String, Value> =
        codes.iter().map(|code| (code.as_str().to_owned(), reference("examples", code.as_str()))).collect();
    let content = json!({"schema": reference("schemas", "Problem"), "examples": examples});
    response["content"][problem::MEDIA_TYPE] = content;
}

/// An operation that can say that nothing has changed, and how it is asked.
fn conditional(operation: &mut Value) {
    if operation["responses"].get("304").is_none() {
        return;
    }
    let asked = json!({
        "name": "If-None-Match",
        "in": "header",
        "required": false,
        "schema": {"type": "string", "format": "entity-tags"},
        "description": "The ETags of copies at hand; when one is current the answer is 304 without a body.",
    });
    match operation["parameters"].as_array_mut() {
        Some(parameters) => {
            parameters.retain(|parameter| parameter["name"] != asked["name"]);
            parameters.push(asked);
        }
        None => operation["parameters"] = json!([asked]),
    }
    for status in ["200", "304"] {
        for (name, header) in [("ETag", "ETag"), ("Cache-Control", "CacheControl")] {
            operation["responses"][status]["headers"][name] = reference("headers", header);
        }
    }
}

/// A body declared as an `Option` may be left out, rather than being `null`: a choice with null breaks generators.
fn optional_body(operation: &mut Value) {
    let Some(body) = operation.get_mut("requestBody") else { return };
    let schema = &mut body["content"]["application/json"]["schema"];
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    if let Some(choice) = choices.clone().find(|choice| choice.get("$ref").is_some()) {
        *schema = choice.clone();
        body["required"] = false.into();
    }
}

/// Says whether a header is always there: one declared as an `Option` isn't, rather than being `null` at times.
fn presence(header: &mut Value) {
    if header.get("$ref").is_some() {
        return;
    }
    let schema = &mut header["schema"];
    let sometimes =
        schema["type"].as_array().and_then(|types| types.iter().find(|name| *name != "null").cloned());
    let always = sometimes.is_none();
    if let Some(only) = sometimes {
        schema["type"] = only;
    }
    header["required"] = always.into();
}

/// The headers that answers of a status have.
fn headers(status: &str) -> &'static [(&'static str, &'static str)] {
    match status {
        "201" => &[("Location", "Location")],
        "401" => &[("WWW-Authenticate", "Challenge")],
        "429" => &[
            ("Retry-After", "RetryAfter"),
            ("RateLimit-Policy", "RateLimitPolicy"),
            ("RateLimit", "RateLimit"),
        ],
        "503" => &[("Retry-After", "RetryAfter")],
        _ => &[],
    }
}

fn example(code: Code) -> Value {
    let mut example = json!({
        "type": format!("/problems/{}", code.as_str()),
        "title": code.title(),
        "status": code.status().as_u16(),
        "code": code.as_str(),
        "request_id": "4f1c2d9a7b3e-2a",
    });
    if let Some(error) = error_example(code) {
        example["errors"] = json!([error]);
    }
    example
}

fn error_example(code: Code) -> Option<Value> {
    let (pointer, code, message) = match code {
        Code::InvalidBody => ("/state/to_move", "missing_member", "This member is needed."),
        Code::InvalidQuery => ("/limit", "malformed", "The value is malformed."),
        Code::InvalidState => {
            ("/state/kauri/south/pits/2/beads", "bead_count", "There are 60 beads in all (K2).")
        }
        Code::InvalidOptions => ("/seats", "seat_count", "Kauri is played by two (K1)."),
        Code::InvalidRecord => {
            ("/moves/12/move", "no_cowrie", "A pit without a cowrie can't be played (K3).")
        }
        Code::InvalidWebhook => ("/url", "not_https", "The URL must begin with https://."),
        Code::IllegalMove => ("/move", "no_cowrie", "A pit without a cowrie can't be played (K3)."),
        _ => return None,
    };
    Some(json!({"pointer": pointer, "code": code, "message": message}))
}
