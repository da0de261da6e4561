//! The spec: current, complete, and true to its own examples.

use crate::app::{SPEC, TestApp, is_json};
use kauri::problem::Code;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;

#[test]
fn the_documents_in_the_repository_are_current() {
    for (name, text) in kauri::openapi::texts() {
        let kept = std::fs::read_to_string(Path::new("openapi").join(name)).unwrap();
        assert!(kept == text, "openapi/{name} is not current: write it with `cargo run -- openapi`");
    }
}

#[tokio::test]
async fn the_documents_are_served_and_not_sent_twice() {
    let app = TestApp::sqlite().await;
    for (name, text) in kauri::openapi::texts() {
        let path = format!("/{name}");
        let reply = app.get(&path).await;
        assert!(reply.body == text, "{path}");
        let etag = reply.header("etag").to_owned();
        assert!(reply.header("cache-control").contains("max-age"));
        for known in [etag.as_str(), "*", &format!("\"x\", W/{etag}")] {
            let again = app.get_with(&path, &[("if-none-match", known)]).await;
            assert_eq!((again.status, again.header("etag"), again.body.as_str()), (304, etag.as_str(), ""));
        }
        assert_eq!(app.get_with(&path, &[("if-none-match", "\"x\"")]).await.status, 200);
    }
}

#[tokio::test]
async fn the_page_is_served_from_the_binary_alone() {
    let app = TestApp::sqlite().await;
    let moved = app.get("/docs").await;
    assert_eq!((moved.status, moved.header("location")), (308, "/docs/"));
    let page = app.get("/docs/").await;
    assert!(page.header("content-security-policy").starts_with("default-src 'none'; script-src 'self';"));
    assert_eq!(page.header("x-frame-options"), "DENY");
    assert!(!page.body.contains("<style") && !page.body.contains("<script>"), "{}", page.body);
    assert_eq!((page.status, page.header("content-type")), (200, "text/html"));
    let extension = |part: &&str| Path::new(part).extension().is_some_and(|end| end == "js" || end == "css");
    for part in page.body.split('"').filter(extension) {
        assert!(!part.contains("//"), "{part}");
        assert_eq!(app.get(&format!("/docs/{}", part.trim_start_matches("./"))).await.status, 200, "{part}");
    }
    let settings = app.get("/docs/swagger-initializer.js").await.body;
    assert!(
        settings.contains("\"/openapi.json\"") && settings.contains("\"validatorUrl\": \"none\""),
        "{settings}"
    );
}

#[test]
fn the_document_says_what_it_is() {
    let info = &SPEC.document["info"];
    assert_eq!(SPEC.document["openapi"], "3.1.0");
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(info["license"]["identifier"], "MIT OR Apache-2.0");
    assert!(info["description"].as_str().unwrap().len() > 100);
}

#[test]
fn every_operation_is_complete() {
    let mut ids = HashSet::new();
    for operation in SPEC.operations() {
        let (name, value) = (format!("{} {}", operation.method, operation.path), operation.value);
        let id = value["operationId"].as_str().unwrap_or_else(|| panic!("{name} has no id"));
        assert!(
            ids.insert(id) && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
            "{id}"
        );
        let summary = value["summary"].as_str().unwrap_or_default();
        assert!(summary.ends_with('.') && summary.len() < 80, "{name}: {summary}");
        assert_eq!(value["tags"].as_array().map(Vec::len), Some(1), "{name}");
        assert!(value["security"].is_array(), "{name} says nothing of credentials");
        for parameter in value["parameters"].as_array().into_iter().flatten() {
            assert!(parameter["description"].is_string(), "{name}: {parameter}");
        }
        let body = &value["requestBody"];
        assert!(
            body.is_null() || body["content"]["application/json"]["examples"].is_object(),
            "{name} has no example"
        );
        check_responses(&name, &value["responses"]);
    }
}

fn check_responses(name: &str, responses: &Value) {
    for (status, response) in responses.as_object().unwrap() {
        let place = format!("{name} {status}");
        assert!(status.parse::<u16>().is_ok(), "{place}");
        assert!(!response["description"].as_str().unwrap().is_empty(), "{place}");
        assert!(response["headers"]["x-request-id"].is_object(), "{place}");
        if status.starts_with('2') && status != "204" {
            for (_, media) in
                response["content"].as_object().unwrap_or_else(|| panic!("{place} has no content"))
            {
                assert!(
                    media["example"].is_string() || media["example"].is_object(),
                    "{place} has no example"
                );
            }
        }
        if status.starts_with(['4', '5']) {
            let content = &response["content"]["application/problem+json"];
            assert_eq!(content["schema"]["$ref"], "#/components/schemas/Problem", "{place}");
            assert!(content["examples"].is_object(), "{place} has no example");
        }
    }
    for status in ["406", "500", "503"] {
        assert!(responses[status].is_object(), "{name} {status}");
    }
}

#[test]
fn every_code_is_in_the_document_and_no_other() {
    let listed = SPEC.document["components"]["examples"].as_object().unwrap();
    let documented: HashSet<&str> = SPEC
        .operations()
        .flat_map(|operation| operation.value["responses"].as_object().unwrap().values())
        .filter_map(|response| response["x-problem-codes"].as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let listed: HashSet<&str> = listed.keys().map(String::as_str).collect();
    assert_eq!(listed, documented, "each code that an operation answers has its example");
    let nowhere: Vec<&str> =
        Code::ALL.iter().map(|code| code.as_str()).filter(|code| !documented.contains(code)).collect();
    // These belong to no operation: they are what a path or method that isn't one is told.
    let elsewhere = ["unknown_route", "method_not_allowed"];
    assert!(nowhere.iter().all(|code| elsewhere.contains(code)), "{nowhere:?}");
}

#[test]
fn nothing_in_the_document_breaks_a_generator() {
    walk(&SPEC.document, "", &mut |place, value| {
        for word in ["oneOf", "anyOf", "prefixItems", "discriminator", "nullable", "default"] {
            let named =
                value.get(word).is_some() && !place.ends_with("/properties") && !place.contains("/example");
            assert!(!named, "{place} has {word}");
        }
        assert!(!value["type"].is_array() || place.contains("/example"), "{place} has several types");
        let integer = value["type"] == "integer";
        assert!(!integer || value["minimum"].is_number(), "{place} has no minimum");
        // A game can go on for as long as it likes, so the log in its record has no bound.
        let log = place == "/components/schemas/GameRecord/properties/moves";
        let array = value["type"] == "array" && !place.contains("/example") && !log;
        assert!(!array || value["maxItems"].is_number(), "{place} has no bound");
        let properties = value.get("properties").and_then(Value::as_object);
        assert!(properties.is_none_or(|properties| !properties.contains_key("d")), "{place} has a member d");
    });
}

fn walk(value: &Value, place: &str, check: &mut impl FnMut(&str, &Value)) {
    check(place, value);
    let members = value.as_object().into_iter().flatten();
    for (name, inner) in members {
        walk(inner, &format!("{place}/{name}"), check);
    }
    for (index, inner) in value.as_array().into_iter().flatten().enumerate() {
        walk(inner, &format!("{place}/{index}"), check);
    }
}

#[test]
fn every_example_fits_its_schema() {
    for operation in SPEC.operations() {
        let name = format!("{} {}", operation.method, operation.path);
        let body = operation.value["requestBody"]["content"].as_object();
        for (media_type, media) in body.into_iter().flatten() {
            check_examples(&format!("{name} body {media_type}"), media);
        }
        for (status, response) in operation.value["responses"].as_object().unwrap() {
            for (media_type, media) in response["content"].as_object().into_iter().flatten() {
                if is_json(media_type) {
                    check_examples(&format!("{name} {status} {media_type}"), media);
                }
            }
        }
    }
}

fn check_examples(name: &str, media: &Value) {
    for example in media["examples"].as_object().into_iter().flat_map(|examples| examples.values()) {
        SPEC.check_schema(name, &media["schema"], &SPEC.resolve(example)["value"]);
    }
    if let Some(example) = media.get("example") {
        SPEC.check_schema(name, &media["schema"], example);
    }
}

/// Sends every example of every operation; each must be answered with the success it documents.
#[tokio::test]
async fn every_example_does_what_it_says() {
    let app = TestApp::sqlite().await;
    for operation in SPEC.operations() {
        let responses = operation.value["responses"].as_object().unwrap();
        let success: Vec<u16> =
            responses.keys().filter(|s| s.starts_with('2')).map(|s| s.parse().unwrap()).collect();
        let content = &operation.value["requestBody"]["content"]["application/json"];
        let examples = content["examples"].as_object().into_iter().flatten();
        let bodies: Vec<(String, Option<Value>)> =
            examples.map(|(name, example)| (name.clone(), Some(example["value"].clone()))).collect();
        for (name, body) in if bodies.is_empty() { vec![("kauri".to_owned(), None)] } else { bodies } {
            let path = fill(&app, operation.path, operation.value, &name).await;
            let headers: &[(&str, &str)] =
                if body.is_some() { &[("content-type", "application/json")] } else { &[] };
            let body = body.map(|body| body.to_string().into_bytes());
            let reply = app.send(operation.method.clone(), &path, headers, body).await;
            assert!(success.contains(&reply.status), "{} {path} ({name}): {reply:?}", operation.method);
        }
    }
}

/// Has something happen and waits until it is taken up for an endpoint; the delivery's id.
async fn a_delivery(app: &TestApp, webhook: &str) -> String {
    let mut progress = app.context.webhooks.progress();
    app.post("/games", &json!({"rules": "kauri"})).await;
    loop {
        let page = app.get(&format!("{webhook}/deliveries")).await.json();
        if let Some(delivery) = page["items"].get(0) {
            return delivery["id"].as_str().unwrap().to_owned();
        }
        progress.changed().await.unwrap();
    }
}

/// The path with its parameters in place: the rules an example is named after, a game made for it, else examples.
async fn fill(app: &TestApp, path: &str, operation: &Value, example: &str) -> String {
    let mut filled = path.to_owned();
    if path.starts_with("/webhooks/{id}") {
        let webhook = app.post("/webhooks", &json!({"url": "https://portal.example/kauri"})).await;
        filled = filled.replace("/webhooks/{id}", webhook.header("location"));
        if path.contains("{delivery}") {
            let delivery = a_delivery(app, webhook.header("location")).await;
            filled = filled.replace("{delivery}", &delivery);
        }
    } else if path.contains("{id}") {
        let game = app.post("/games", &json!({"rules": "kauri"})).await;
        filled = filled.replace("/games/{id}", game.header("location"));
        if path.contains("{ply}") {
            let moves = format!("{}/moves", game.header("location"));
            app.send(
                Method::POST,
                &moves,
                &[("content-type", "application/json")],
                Some(br#"{"move":"a"}"#.to_vec()),
            )
            .await;
        }
    }
    if path.starts_with("/rules/") {
        filled = filled.replace("{rules}", example);
    }
    for parameter in
        operation["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == "path")
    {
        let (name, value) = (parameter["name"].as_str().unwrap(), &parameter["example"]);
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        filled = filled.replace(&format!("{{{name}}}"), &value);
    }
    filled
}

#[test]
fn the_older_document_has_the_same_operations() {
    let older = kauri::openapi::downgrade::downgrade(&SPEC.document);
    assert_eq!(older["openapi"], "3.0.3");
    assert!(older["info"]["license"].get("identifier").is_none());
    for operation in SPEC.operations() {
        let method = operation.method.as_str().to_lowercase();
        let same = &older["paths"][operation.path][&method];
        assert_eq!(same["operationId"], operation.value["operationId"]);
        let statuses =
            |value: &Value| value["responses"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let mut expected = statuses(operation.value);
        if expected.contains(&"200".to_owned()) {
            expected.retain(|status| status != "204");
        }
        assert_eq!(statuses(same), expected);
    }
    walk(&older["components"]["schemas"], "", &mut |place, value| {
        let neighbours =
            value.as_object().is_some_and(|members| members.contains_key("$ref") && members.len() > 1);
        assert!(!neighbours, "{place}");
    });
}
