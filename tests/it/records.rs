//! Whole games: records as JSON and as text, exports, imports.

mod import;
mod round_trip;

use crate::app::{Database, TestApp, on_both_databases};
use crate::beside::Beside;
use crate::portal::{NewKey, key, seat_tokens};
use kauri::context::{Context, SystemWorld};
use kauri::games::{Export, ListGames, notation};
use kauri::problem::Code;
use kauri::stopping::Stopping;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;

/// A game of Kauri with these steps; its path.
async fn kauri(app: &TestApp, player: &str, steps: &[&str]) -> String {
    let seats = json!([{"seat": "south", "player": player}, {"seat": "north"}]);
    let reply = app.post("/games", &json!({"rules": "kauri", "seats": seats})).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let game = reply.header("location").to_owned();
    for step in steps {
        assert_eq!(app.post(&format!("{game}/moves"), &json!({"move": step})).await.status, 201);
    }
    game
}

/// The lines of an export, the last one apart.
fn lines(body: &str) -> (Vec<Value>, Value) {
    assert!(body.ends_with('\n'), "{body}");
    let mut lines: Vec<Value> = body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = lines.pop().unwrap();
    (lines, end)
}

/// Sends records, one a line.
async fn import(app: &TestApp, lines: &str) -> Value {
    let headers = [("content-type", "application/x-ndjson")];
    let reply = app.send(Method::POST, "/games/import", &headers, Some(lines.as_bytes().to_vec())).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

on_both_databases! {
    async fn a_record_is_the_whole_game_as_json_or_text(app: TestApp) {
        let game = kauri(&app, "ann", &["a", "A"]).await;
        let path = format!("{game}/record");
        let record = app.get(&path).await;
        assert_eq!((record.header("content-type"), record.header("vary")), ("application/json", "accept"));
        let record = record.json();
        let log = app.get(&format!("{game}/moves")).await.json();
        for (step, logged) in record["moves"].as_array().unwrap().iter().zip(log["items"].as_array().unwrap()) {
            assert_eq!([&step["seat"], &step["move"], &step["at"]], [&logged["seat"], &logged["move"], &logged["at"]]);
        }
        assert_eq!((&record["status"], record["moves"].as_array().unwrap().len()), (&json!("active"), 2));
        assert_eq!(record["start"], app.get(&format!("{game}/states/0")).await.json()["position"]["state"]);
        for (query, accept, text) in [
            ("?format=text", "*/*", true),
            ("", "text/plain", true),
            ("", "application/json;q=0.5, text/*", true),
            ("?format=json", "text/plain, */*", false),
            ("", "*/*", false),
            ("", "application/json, text/plain", false),
        ] {
            let reply = app.get_with(&format!("{path}{query}"), &[("accept", accept)]).await;
            assert_eq!(reply.header("content-type") == "text/plain; charset=utf-8", text, "{query} {accept}");
            if text {
                assert_eq!(json!(notation::read(&reply.body).unwrap()), record);
            }
        }
        let wrong = app.get(&format!("{path}?format=pgn")).await;
        assert_eq!((wrong.status, wrong.pointers()), (400, vec!["/format".to_owned()]));
        assert_eq!(app.get_with(&path, &[("accept", "image/png")]).await.code(), "not_acceptable");
    }

    async fn an_export_is_every_game_and_an_end_and_goes_on_from_any_line(app: TestApp) {
        let mut games = Vec::new();
        for number in 0..5 {
            games.push(kauri(&app, if number == 3 { "ben" } else { "ann" }, &["a", "A"][..number % 3]).await);
        }
        let reply = app.get("/games/export?order=oldest").await;
        assert_eq!(reply.header("content-type"), "application/x-ndjson");
        let (records, end) = lines(&reply.body);
        assert_eq!(end, json!({"end": true, "count": 5}));
        for (record, game) in records.iter().zip(&games) {
            let mut alone = app.get(&format!("{game}/record")).await.json();
            alone["cursor"] = record["cursor"].clone();
            assert_eq!(*record, alone);
        }
        for (index, record) in records.iter().enumerate() {
            let cursor = record["cursor"].as_str().unwrap();
            let (rest, end) = lines(&app.get(&format!("/games/export?order=oldest&cursor={cursor}")).await.body);
            assert_eq!(rest, records[index + 1..]);
            assert_eq!(end["count"], 4 - index);
            let other = app.get(&format!("/games/export?cursor={cursor}")).await;
            assert_eq!((other.status, other.pointers()), (400, vec!["/cursor".to_owned()]));
        }
        assert_eq!(lines(&app.get("/games/export?player=ann&status=active").await.body).0.len(), 4);
        assert_eq!(lines(&app.get("/games/export?player=nobody").await.body).1, json!({"end": true, "count": 0}));
        assert_eq!(app.get("/games/export?limit=3").await.pointers(), ["/limit"]);
    }

    async fn an_export_goes_over_many_pages(app: TestApp) {
        let record = app.get(&format!("{}/record", kauri(&app, "ann", &["a"]).await)).await.json();
        let many = (0..230_u128).map(|number| {
            let mut record = record.clone();
            record["id"] = json!(Uuid::from_u128(number));
            record.to_string()
        });
        let many = many.collect::<Vec<_>>().join("\n");
        assert_eq!(import(&app, &many).await["imported"], 230);
        let (records, end) = lines(&app.get("/games/export?order=newest").await.body);
        assert_eq!(end["count"], 231);
        let mut ids: Vec<&str> = records.iter().map(|record| record["id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 231);
    }

    async fn records_are_the_portals_own(app: TestApp) {
        let created = app.post("/games", &json!({"rules": "kauri"})).await.json();
        let other = app.post("/games", &json!({"rules": "kauri"})).await.header("location").to_owned();
        let token = seat_tokens(&created).remove(0);
        let own = format!("/games/{}/record", created["id"].as_str().unwrap());
        let (_, reader) = key(&app, NewKey { scope: "read", ..NewKey::play("club") }).await;
        assert_eq!(app.get_with(&own, &[("authorization", &token)]).await.status, 200);
        assert_eq!(app.get_with(&format!("{other}/record"), &[("authorization", &token)]).await.code(), "game_not_found");
        assert_eq!(app.get_with(&own, &[("authorization", &reader)]).await.code(), "game_not_found");
        assert_eq!(app.get("/games/export").await.code(), "unauthorized");
        assert_eq!(app.get_with("/games/export", &[("authorization", &token)]).await.code(), "portal_only");
        let none = app.get_with("/games/export", &[("authorization", &reader)]).await;
        assert_eq!(lines(&none.body).1["count"], 0);
        for media_type in ["application/json", "application/x-ndjson"] {
            for (authorization, code) in [("", "unauthorized"), (&token, "portal_only"), (&reader, "read_only")] {
                let headers: &[(&str, &str)] = &[("content-type", media_type), ("authorization", authorization)];
                let headers = if authorization.is_empty() { &headers[..1] } else { headers };
                let body = json!(kauri::games::sample::record()).to_string().into_bytes();
                assert_eq!(app.send(Method::POST, "/games/import", headers, Some(body)).await.code(), code);
            }
        }
    }

    async fn an_export_that_fails_on_its_way_breaks_off(database: Database) {
        let mut beside = Beside::open(&database).await;
        let app = TestApp::start(database, |_| {}, Arc::new(SystemWorld));
        let path = kauri(&app, "ann", &["a", "A"]).await;
        kauri(&app, "ann", &["a"]).await;
        let spoilt = beside.id(path.trim_start_matches("/games/").parse().unwrap());
        let ask = "GET /games/export HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        let whole = app.raw(ask.as_bytes()).await;
        assert!(whole.contains("\"end\":true") && whole.ends_with("\r\n0\r\n\r\n"), "{whole}");
        beside.run(format!("DELETE FROM steps WHERE game_id = {spoilt} AND ply = 2")).await;
        let broken = app.raw(ask.as_bytes()).await;
        assert!(!broken.contains("\"end\":true") && !broken.ends_with("\r\n0\r\n\r\n"), "{broken}");
        let at_once = app.get("/games/export?order=oldest").await;
        assert_eq!((at_once.status, at_once.code()), (500, "internal".to_owned()), "nothing was sent yet");
        beside.close().await;
    }

    async fn an_export_that_can_not_go_on_has_no_end(app: TestApp) {
        let games = [kauri(&app, "ann", &["a"]).await, kauri(&app, "ann", &["a", "A"]).await];
        // A service that stops.
        let (stop, stopping) = Stopping::channel();
        let context = Context { stopping, ..app.beside().await };
        let mut export = Export::of(&context, Uuid::nil(), &ListGames::default()).await.unwrap();
        assert!(export.next_line().await.unwrap().unwrap().contains(games[1].trim_start_matches("/games/")));
        stop.set();
        assert_eq!(export.next_line().await.unwrap_err().code(), Code::Unavailable);
        // A database that goes away.
        let context = app.beside().await;
        let mut export = Export::of(&context, Uuid::nil(), &ListGames::default()).await.unwrap();
        export.next_line().await.unwrap();
        context.store.close().await;
        assert_eq!(export.next_line().await.unwrap_err().code(), Code::Unavailable);
    }
}
