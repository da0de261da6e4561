//! The document in OpenAPI 3.0, for the many generators that read no newer one.

use crate::problem;
use serde_json::{Map, Value, json};

/// The same document in OpenAPI 3.0.
///
/// What 3.0 has no word for is said its way: licences by name alone, one example for a schema, a reference with
/// neighbours wrapped in `allOf`, exclusive bounds as flags. Some of its readers have types for JSON by its own name
/// alone, so that failures, which are sent as problems, are listed as JSON too.
#[must_use]
pub fn downgrade(document: &Value) -> Value {
    let mut older = document.clone();
    older["openapi"] = "3.0.3".into();
    if let Some(licence) = older.pointer_mut("/info/license").and_then(Value::as_object_mut) {
        licence.remove("identifier");
        // A reader may choose either of the two; 3.0 has room for one address.
        licence.insert("url".to_owned(), "https://spdx.org/licenses/MIT.html".into());
    }
    if let Some(about) = older.pointer_mut("/info/description") {
        *about = format!("{}\n- {LISTED_TWICE}", about.as_str().unwrap_or_default()).into();
    }
    if let Some(top) = older.as_object_mut() {
        top.remove("jsonSchemaDialect");
        top.remove("webhooks");
    }
    for (_, schema) in members(&mut older["components"]["schemas"]) {
        rewrite(schema);
    }
    for (_, header) in members(&mut older["components"]["headers"]) {
        rewrite(&mut header["schema"]);
    }
    for (_, item) in members(&mut older["paths"]) {
        for (_, operation) in members(item) {
            rewrite_operation(operation);
        }
    }
    older
}

const LISTED_TWICE: &str = "In this document failures are listed as `application/json` too, although they are sent as \
                            `application/problem+json`: some generators have types for nothing else.";

fn members(value: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    value.as_object_mut().into_iter().flatten()
}

fn rewrite_operation(operation: &mut Value) {
    for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
        rewrite(&mut parameter["schema"]);
    }
    if operation["parameters"].is_null() {
        remove(operation, "parameters");
    }
    if let Some(body) = operation.get_mut("requestBody") {
        rewrite_content(body);
    }
    // Some of its readers take one type of success for an operation; only who asks for a stream is told that there is
    // nothing to stream.
    if operation["responses"].get("200").is_some() {
        remove(&mut operation["responses"], "204");
    }
    for (_, response) in members(&mut operation["responses"]) {
        rewrite_content(response);
        // Some of this document's readers take no body of a link but a single expression.
        if let Some(links) = response.get_mut("links").and_then(Value::as_object_mut) {
            links.retain(|_, link| link.get("requestBody").is_none());
            if links.is_empty() {
                remove(response, "links");
            }
        }
        for (_, header) in response.get_mut("headers").into_iter().flat_map(members) {
            if let Some(schema) = header.get_mut("schema") {
                rewrite(schema);
            }
        }
    }
}

fn rewrite_content(body: &mut Value) {
    let Some(content) = body.get_mut("content") else { return };
    for (_, media) in members(content) {
        if let Some(schema) = media.get_mut("schema") {
            rewrite(schema);
        }
    }
    if let Some(problem) = content.get(problem::MEDIA_TYPE) {
        content["application/json"] = json!({"schema": problem["schema"]});
    }
}

fn remove(value: &mut Value, name: &str) -> Option<Value> {
    value.as_object_mut()?.remove(name)
}

/// Rewrites one schema and those within.
fn rewrite(schema: &mut Value) {
    for name in ["items", "additionalProperties", "not"] {
        if let Some(inner) = schema.get_mut(name) {
            rewrite(inner);
        }
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        for inner in schema.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten() {
            rewrite(inner);
        }
    }
    for (_, inner) in schema.get_mut("properties").into_iter().flat_map(members) {
        rewrite(inner);
    }
    nullable(schema);
    remove(schema, "propertyNames");
    if let Some(constant) = remove(schema, "const") {
        schema["enum"] = json!([constant]);
    }
    if let Some(first) = remove(schema, "examples").and_then(|examples| examples.get(0).cloned()) {
        schema["example"] = first;
    }
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if let Some(limit) = remove(schema, exclusive) {
            schema[bound] = limit;
            schema[exclusive] = true.into();
        }
    }
    wrap_reference(schema);
}

fn nullable(schema: &mut Value) {
    let Some(types) = schema.get("type").and_then(Value::as_array) else { return };
    let nullable = types.iter().any(|name| name == "null");
    let first = types.iter().find(|name| *name != "null").cloned();
    if let Some(first) = first {
        schema["type"] = first;
    }
    if nullable {
        schema["nullable"] = true.into();
    }
}

/// In 3.0 a reference's neighbours are ignored.
fn wrap_reference(schema: &mut Value) {
    let Some(members) = schema.as_object_mut().filter(|members| members.len() > 1) else { return };
    if let Some(reference) = members.remove("$ref") {
        let only: Map<String, Value> = [("$ref".to_owned(), reference)].into_iter().collect();
        members.insert("allOf".to_owned(), json!([only]));
    }
}

#[cfg(test)]
mod tests {
    use super::rewrite;
    use serde_json::json;

    #[test]
    fn what_3_0_has_no_word_for_is_said_its_way() {
        let mut schema = json!({
            "type": ["object", "null"],
            "properties": {
                "seat": {"$ref": "#/components/schemas/Seat", "description": "Who."},
                "plain": {"$ref": "#/components/schemas/Seat"},
                "n": {"type": "integer", "exclusiveMinimum": 0, "examples": [3, 4]},
                "k": {"const": "a"},
            },
        });
        rewrite(&mut schema);
        let expected = json!({
            "type": "object",
            "nullable": true,
            "properties": {
                "seat": {"allOf": [{"$ref": "#/components/schemas/Seat"}], "description": "Who."},
                "plain": {"$ref": "#/components/schemas/Seat"},
                "n": {"type": "integer", "minimum": 0, "exclusiveMinimum": true, "example": 3},
                "k": {"enum": ["a"]},
            },
        });
        assert_eq!(schema, expected);
    }
}
