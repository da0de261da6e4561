//! What is refused, and how that is told.

use super::{import, kauri};
use crate::app::{TestApp, on_both_databases};
use crate::portal::{NewKey, key};
use reqwest::Method;
use serde_json::{Value, json};

/// The record of a game that south has resigned after three steps.
async fn record(app: &TestApp) -> Value {
    let game = kauri(app, "ann", &["a", "A", "b"]).await;
    assert_eq!(app.post(&format!("{game}/resignation"), &json!({"seat": "south"})).await.status, 200);
    app.get(&format!("{game}/record")).await.json()
}

/// The same under another id, changed.
fn changed(record: &Value, pointer: &str, value: Value) -> Value {
    let mut record = record.clone();
    record["id"] = json!("01937a5e-0000-7000-8000-00000000abcd");
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = record.pointer_mut(parent).unwrap();
    match (parent, name.parse::<usize>()) {
        (Value::Array(list), Ok(index)) => list[index] = value,
        (parent, _) if value.is_null() => drop(parent.as_object_mut().unwrap().remove(name)),
        (parent, _) => parent[name] = value,
    }
    record
}

on_both_databases! {
    async fn a_record_is_believed_nothing(app: TestApp) {
        let record = record(&app).await;
        for (pointer, value, expected, code) in [
            ("/moves/1/move", json!("a"), "/moves/1/move", "not_your_pit"),
            ("/moves/2/move", json!("no move"), "/moves/2/move", "unknown_move"),
            ("/moves/0/seat", json!("north"), "/moves/0/seat", "wrong_seat"),
            ("/moves/0/shells", json!([true, true, true, true]), "/moves/0/shells", "other_throw"),
            ("/start/kauri/south/store", json!(7), "/start", "bead_count"),
            ("/rules", json!("chess"), "/rules", "unknown_rules"),
            ("/throws", json!("nobody"), "/throws", "unknown_value"),
            ("/status", json!("over"), "/status", "unknown_value"),
            ("/status", json!("active"), "/result", "other_status"),
            ("/status", json!("aborted"), "/result", "other_result"),
            ("/result", Value::Null, "/result", "other_status"),
            ("/result/winner", json!("south"), "/result", "other_result"),
            ("/result/seat", json!("west"), "/result", "other_result"),
            ("/result/reason", json!("majority"), "/result", "other_result"),
            ("/finished_at", Value::Null, "/finished_at", "other_status"),
            ("/seats/1/seat", json!("south"), "/seats", "other_seats"),
            ("/seats/0/player", json!("x".repeat(201)), "/seats/0/player", "length"),
            ("/tags", json!([""]), "/tags/0", "length"),
            ("/tags", json!(vec!["x"; 17]), "/tags", "length"),
        ] {
            let reply = app.post("/games/import", &changed(&record, pointer, value.clone())).await;
            assert_eq!((reply.status, reply.code()), (422, "invalid_record".to_owned()), "{pointer} {value}: {reply:?}");
            let error = &reply.json()["errors"][0];
            assert!(error["pointer"].as_str().unwrap().starts_with(expected), "{pointer} {value}: {error}");
            assert!(error["code"] == code || expected == "/start" || code == "unknown_move", "{pointer} {value}: {error}");
        }
        let illegal = app.post("/games/import", &changed(&record, "/moves/1/move", json!("a"))).await.json();
        assert_eq!((&illegal["clause"], &illegal["to_move"]), (&json!("K3"), &json!("north")));
        for (pointer, value, at) in [
            ("/created_at", json!("yesterday"), "/created_at"),
            ("/id", json!("17"), "/id"),
            ("/more", json!(1), "/more"),
            ("/moves/0/at", Value::Null, "/moves/0/at"),
            ("/external_ref", json!("a\u{0}"), ""),
        ] {
            let reply = app.post("/games/import", &changed(&record, pointer, value)).await;
            assert_eq!((reply.status, reply.code(), reply.pointers()), (400, "invalid_body".to_owned(), vec![at.to_owned()]), "{pointer}");
        }
    }

    async fn of_many_records_each_is_taken_or_refused_by_itself(app: TestApp) {
        let record = record(&app).await;
        let good = |number: u32| changed(&record, "/id", json!(format!("01937a5e-0000-7000-8000-{number:012}")));
        let bad = changed(&record, "/moves/1/move", json!("a"));
        let long = "x".repeat(1 << 20);
        let body = [good(1).to_string(), String::new(), bad.to_string(), "{".to_owned(), format!("{{\"{long}\":1}}"), good(2).to_string(), good(1).to_string(), json!({"end": true, "count": 5}).to_string()].join("\r\n");
        let report = import(&app, &body).await;
        assert_eq!((&report["imported"], &report["present"], &report["refused"]), (&json!(2), &json!(1), &json!(3)));
        let told: Vec<_> = report["failures"].as_array().unwrap().iter().map(|failure| (failure["line"].as_u64().unwrap(), failure["problem"]["code"].as_str().unwrap())).collect();
        assert_eq!(told, [(3, "invalid_record"), (4, "malformed_body"), (5, "body_too_large")]);
        let first = &report["failures"][0];
        assert_eq!((&first["game"], &first["problem"]["clause"]), (&bad["id"], &json!("K3")));
        assert_eq!(first["problem"]["errors"][0]["pointer"], "/moves/1/move");
        let many = "{\n".repeat(300);
        let report = import(&app, &many).await;
        assert_eq!((&report["refused"], report["failures"].as_array().unwrap().len()), (&json!(300), 100));
        assert_eq!(import(&app, "").await, json!({"imported": 0, "present": 0, "refused": 0}));
    }

    async fn a_game_is_taken_once(app: TestApp) {
        let record = record(&app).await;
        let same = app.post("/games/import", &record).await.json();
        assert_eq!((&same["imported"], &same["present"]), (&json!(0), &json!(1)));
        let mut other = record.clone();
        other["moves"][0]["at"] = json!("2020-01-01T00:00:00Z");
        let refused = app.post("/games/import", &other).await;
        assert_eq!((refused.status, refused.code()), (409, "game_exists".to_owned()));
        let named = changed(&record, "/external_ref", json!("match 1"));
        assert_eq!(app.post("/games/import", &named).await.json()["imported"], 1);
        let mut again = named.clone();
        again["id"] = json!("01937a5e-0000-7000-8000-00000000dcba");
        let refused = app.post("/games/import", &again).await;
        assert_eq!((refused.status, refused.code()), (409, "external_ref_taken".to_owned()));
        // The same body as ever, in another portal: a game of its own, the same each time.
        let (_, club) = key(&app, NewKey::play("club")).await;
        let headers: &[(&str, &str)] = &[("authorization", &club)];
        for (imported, present) in [(1, 0), (0, 1)] {
            let report = app.post_with("/games/import", &record, headers).await.json();
            assert_eq!((&report["imported"], &report["present"]), (&json!(imported), &json!(present)));
        }
        let games = app.get_with("/games?player=ann", headers).await.json();
        assert_eq!(games["items"].as_array().unwrap().len(), 1);
        assert_ne!(games["items"][0]["id"], record["id"]);
    }
}

#[tokio::test]
async fn an_import_takes_json_and_lines_of_it_and_nothing_else() {
    let app = TestApp::sqlite().await;
    for media_type in ["text/plain", "application/x-ndjson; charset=latin1", "application/ndjson"] {
        let reply = app
            .send(Method::POST, "/games/import", &[("content-type", media_type)], Some(b"{}".to_vec()))
            .await;
        assert_eq!((reply.status, reply.code()), (415, "unsupported_media_type".to_owned()), "{media_type}");
    }
    for method in [Method::GET, Method::PUT] {
        let reply = app.send(method, "/games/import", &[], None).await;
        assert_eq!((reply.status, reply.header("allow")), (405, "POST"));
    }
    let reply = app.send(Method::POST, "/games/export", &[], None).await;
    assert_eq!((reply.status, reply.header("allow")), (405, "GET, HEAD"));
}

#[tokio::test]
async fn a_line_is_waited_for_so_long_and_no_longer() {
    let app = TestApp::with(|config| config.request_timeout = std::time::Duration::from_millis(50)).await;
    for media_type in ["application/x-ndjson", "application/json"] {
        let head = format!(
            "POST /games/import HTTP/1.1\r\nhost: x\r\ncontent-type: {media_type}\r\ncontent-length: 10\r\n\
             connection: close\r\n\r\n{{"
        );
        let answer = app.raw(head.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }
}
