//! Managing endpoints.

use super::receiver::{BROKEN, Receiver};
use super::{endpoint, new_game, patch, start};
use crate::app::{Database, TestApp, on_both_databases};
use crate::portal::{NewKey, key, seat_tokens};
use kauri::context::SystemWorld;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const URL: &str = "https://portal.example/kauri";
const PARTS: [(Method, &str, Option<&str>); 7] = [
    (Method::GET, "", None),
    (Method::PATCH, "", Some("{}")),
    (Method::POST, "/secret", Some("{}")),
    (Method::POST, "/test", None),
    (Method::GET, "/deliveries", None),
    (Method::POST, "/deliveries/x/redeliver", None),
    (Method::DELETE, "", None),
];

on_both_databases! {
    async fn an_endpoint_is_made_read_changed_and_deleted(app: TestApp) {
        let made = app.post("/webhooks", &json!({"url": URL, "description": "x", "events": ["game.step"]})).await;
        assert_eq!((made.status, made.header("cache-control")), (201, "no-store"));
        let path = made.header("location").to_owned();
        let mut made = made.json();
        let secret = made.as_object_mut().unwrap().remove("secret").unwrap();
        assert!(secret.as_str().unwrap().starts_with("whsec_") && secret.as_str().unwrap().len() == 50);
        assert_eq!((&made["url"], &made["description"], &made["events"], &made["enabled"]), (&json!(URL), &json!("x"), &json!(["game.step"]), &json!(true)));
        assert_eq!(app.get(&path).await.json(), made);
        assert_eq!(app.get("/webhooks").await.json(), json!({"items": [made]}));
        let changed = patch(&app, &path, &json!({"description": "", "events": [], "enabled": false})).await.json();
        assert_eq!((changed.get("description"), &changed["events"], &changed["disabled_reason"]), (None, &json!([]), &json!("portal")));
        assert_eq!(patch(&app, &path, &json!({})).await.json()["url"], URL);
        assert_eq!(app.send(Method::DELETE, &path, &[], None).await.status, 204);
        for (method, part, body) in PARTS {
            let headers = if body.is_some() { vec![("content-type", "application/json")] } else { vec![] };
            let reply = app.send(method.clone(), &format!("{path}{part}"), &headers, body.map(Into::into)).await;
            assert_eq!((reply.status, reply.code().as_str()), (404, "webhook_not_found"), "{method} {part}");
        }
        assert_eq!(app.get("/webhooks").await.json(), json!({"items": []}));
    }

    async fn a_retry_makes_one_endpoint_and_gets_its_secret(app: TestApp) {
        let body = json!({"url": URL});
        let key = [("idempotency-key", "k-1")];
        let first = app.post_with("/webhooks", &body, &key).await;
        let again = app.post_with("/webhooks", &body, &key).await;
        assert_eq!((first.status, again.status, again.header("idempotency-replayed")), (201, 201, "true"));
        assert_eq!((first.json(), first.header("location")), (again.json(), again.header("location")));
        assert_eq!(app.get("/webhooks").await.json()["items"].as_array().unwrap().len(), 1);
        let other = app.post_with("/webhooks", &json!({"url": "https://other.example/"}), &key).await;
        assert_eq!((other.status, other.code().as_str()), (422, "idempotency_key_reused"));
    }

    async fn a_portal_has_twenty_and_deleting_makes_room(app: TestApp) {
        for _ in 0..20 {
            assert_eq!(app.post("/webhooks", &json!({"url": URL})).await.status, 201);
        }
        let refused = app.post("/webhooks", &json!({"url": URL})).await;
        assert_eq!((refused.status, refused.code().as_str()), (409, "too_many_webhooks"));
        let listed = app.get("/webhooks").await.json();
        let path = format!("/webhooks/{}", listed["items"][19]["id"].as_str().unwrap());
        assert_eq!(app.send(Method::DELETE, &path, &[], None).await.status, 204);
        assert_eq!(app.post("/webhooks", &json!({"url": URL})).await.status, 201);
    }

    async fn only_the_portal_itself_may(app: TestApp) {
        let (_, owner) = key(&app, NewKey::play("one")).await;
        let (_, other) = key(&app, NewKey::play("two")).await;
        let (_, reader) = key(&app, NewKey { scope: "read", ..NewKey::play("one") }).await;
        let by = |credential: &str| [("authorization".to_owned(), credential.to_owned())];
        let made = app.post_with("/webhooks", &json!({"url": URL}), &[("authorization", &owner)]).await;
        let path = made.header("location").to_owned();
        let game = app.post_with("/games", &json!({"rules": "kauri"}), &[("authorization", &owner)]).await;
        let seat = seat_tokens(&game.json()).remove(0);
        for (method, part, body) in PARTS {
            let ask = async |credential: &str| {
                let [(_, credential)] = by(credential);
                let mut headers = vec![("authorization", credential.as_str())];
                if body.is_some() {
                    headers.push(("content-type", "application/json"));
                }
                let reply = app.send(method.clone(), &format!("{path}{part}"), &headers, body.map(Into::into)).await;
                (reply.status, if reply.status < 400 { String::new() } else { reply.code() })
            };
            assert_eq!(ask(&other).await, (404, "webhook_not_found".to_owned()), "{method} {part}");
            assert_eq!(ask(&seat).await, (403, "portal_only".to_owned()), "{method} {part}");
            let expected = if method == Method::GET { (200, "") } else { (403, "read_only") };
            assert_eq!(ask(&reader).await, (expected.0, expected.1.to_owned()), "{method} {part}");
            assert_eq!(ask("Bearer x").await, (401, "unauthorized".to_owned()), "{method} {part}");
        }
        let listed = app.get_with("/webhooks", &[("authorization", &other)]).await;
        assert_eq!(listed.json(), json!({"items": []}));
        let refused = app.post_with("/webhooks", &json!({"url": URL}), &[("authorization", &reader)]).await;
        assert_eq!((refused.status, refused.code().as_str()), (403, "read_only"));
        assert_eq!(app.get_with(&path, &[("authorization", &owner)]).await.status, 200);
    }

    async fn an_old_secret_signs_for_a_while(database: Database) {
        let (app, clock) = start(database);
        let receiver = Receiver::start(|_| BROKEN).await;
        let (path, first) = endpoint(&app, &receiver, &json!({"enabled": false})).await;
        let rotated = app.post(&format!("{path}/secret"), &json!({"overlap_seconds": 60})).await;
        let second = rotated.json()["secret"].as_str().unwrap().to_owned();
        let signatures = async |posts| {
            app.post_nothing(&format!("{path}/test")).await;
            let heard = receiver.heard(posts).await.pop().unwrap();
            [&first, &second].map(|secret| heard.signed_by(secret))
        };
        assert_eq!(signatures(1).await, [1, 1]);
        clock.advance(Duration::from_mins(1));
        assert_eq!(signatures(2).await, [0, 1]);
        let third = app.post_nothing(&format!("{path}/secret")).await.json();
        assert_eq!(signatures(3).await, [0, 1], "a day is the default");
        assert!(third["old_until"].as_str().unwrap().starts_with("2026-12-01T"), "{third}");
        for bad in [-1, 604_801] {
            let reply = app.post(&format!("{path}/secret"), &json!({"overlap_seconds": bad})).await;
            assert_eq!((reply.status, reply.pointers()), (400, vec!["/overlap_seconds".to_owned()]));
        }
    }
}

#[tokio::test]
async fn what_may_not_be_posted_to_is_refused() {
    let app = TestApp::sqlite().await;
    let told = async |body: &Value| {
        let reply = app.post("/webhooks", body).await;
        let json = reply.json();
        let reasons: Vec<_> = json["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|error| {
                format!("{} {}", error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())
            })
            .collect();
        format!("{} {}", reply.status, reasons.join(", "))
    };
    for url in ["http://127.0.0.1/", "http://portal.example/", "ftp://portal.example/"] {
        assert_eq!(told(&json!({"url": url})).await, "422 /url not_https", "{url}");
    }
    for url in [
        "https://127.0.0.1/",
        "https://10.1.2.3/",
        "https://[::1]/",
        "https://169.254.169.254/",
        "https://localhost/",
        "https://[::ffff:1.2.3.4]/",
    ] {
        assert_eq!(told(&json!({"url": url})).await, "422 /url refused_address", "{url}");
    }
    for (body, expected) in [
        (json!({"url": "no url"}), "422 /url malformed"),
        (json!({"url": "https://a:b@portal.example/"}), "422 /url credentials"),
        (json!({"url": "https://portal.example:22/"}), "422 /url refused_port"),
        (json!({"url": "x", "events": ["game.step", "nope"]}), "422 /url malformed, /events/1 unknown_value"),
        (json!({"url": ""}), "400 /url length"),
        (json!({"url": format!("{URL}/{}", "x".repeat(2_000))}), "400 /url length"),
        (json!({"url": URL, "description": "x".repeat(201)}), "400 /description length"),
        (json!({"url": URL, "events": [""]}), "400 /events/0 length"),
        (json!({"url": URL, "events": vec!["game.step"; 17]}), "400 /events length"),
        (json!({}), "400 /url missing_member"),
        (json!({"url": URL, "secret": "x"}), "400 /secret unknown_member"),
        (json!({"url": URL, "enabled": null}), "400 /enabled wrong_type"),
    ] {
        assert_eq!(told(&body).await, expected, "{body}");
    }
    let path = app.post("/webhooks", &json!({"url": URL})).await.header("location").to_owned();
    let reply = patch(&app, &path, &json!({"url": "https://127.0.0.1/"})).await;
    assert_eq!((reply.status, reply.code().as_str()), (422, "invalid_webhook"));
}

/// What was made while loopback was allowed is not posted to once it no longer is.
#[tokio::test]
async fn a_stored_address_is_checked_at_every_attempt() {
    let (receiver, database) = (Receiver::ok().await, Database::sqlite().await);
    let url = database.config().database_url;
    let (app, _) = start(database);
    let (path, _) = endpoint(&app, &receiver, &json!({})).await;
    let strict = TestApp::start(
        Database::sqlite().await,
        |config| config.database.database_url = url,
        Arc::new(SystemWorld),
    );
    let tested = strict.post_nothing(&format!("{path}/test")).await.json();
    assert_eq!((&tested["delivered"], &tested["error"]), (&json!(false), &json!("refused_address")));
    assert_eq!(receiver.so_far().len(), 0);
    drop((strict, new_game(&app).await));
}
