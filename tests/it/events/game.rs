//! Following one game.

use super::{NDJSON, new_game, numbers, play_out, resign, step, types};
use crate::app::{Database, TestApp, on_both_databases};
use crate::chance::SplitMix64;
use crate::portal::{NewKey, bearer, key, revoke, seat_tokens};
use kauri::context::SystemWorld;
use serde_json::{Value, json};
use std::sync::Arc;

on_both_databases! {
    async fn begins_with_a_snapshot_tells_each_step_and_ends_with_the_game(app: TestApp) {
        let game = new_game(&app, "kauri").await;
        step(&app, &game).await;
        let mut stream = app.stream(&format!("{game}/events"), &[]).await;
        assert_eq!([&stream.headers()["cache-control"], &stream.headers()["last-event-id"]], ["no-store", "2"]);
        let first = stream.next().await.unwrap();
        assert_eq!((&first["type"], &first["id"]), (&json!("game.snapshot"), &json!("2")));
        assert_eq!(first["game"], app.get(&game).await.json());
        step(&app, &game).await;
        let second = stream.next().await.unwrap();
        assert_eq!((&second["type"], &second["number"], &second["version"]), (&json!("game.step"), &json!(3), &json!(2)));
        assert_eq!(second["step"], app.get(&format!("{game}/moves/2")).await.json());
        assert_eq!(second["position"], app.get(&format!("{game}/states/2")).await.json()["position"]);
        resign(&app, &game).await;
        let rest = stream.rest().await;
        assert_eq!((types(&rest), numbers(&rest)), (vec!["game.ended"], vec![4]));
        let now = app.get(&game).await.json();
        assert_eq!((&rest[0]["status"], &rest[0]["result"]["reason"]), (&json!("finished"), &json!("resignation")));
        assert_eq!((&rest[0]["position"], &rest[0]["at"]), (&now["position"], &now["finished_at"]));
    }

    async fn tells_a_whole_game_from_the_beginning(app: TestApp) {
        let game = new_game(&app, "ashta-kashte").await;
        play_out(&app, &game).await;
        let now = app.get(&game).await.json();
        let version = now["version"].as_i64().unwrap();
        let events = app.stream(&format!("{game}/events?after=0"), &[NDJSON]).await.rest().await;
        assert_eq!(numbers(&events), (1..=version + 2).collect::<Vec<_>>());
        assert_eq!((types(&events)[0], types(&events)[events.len() - 1]), ("game.created", "game.ended"));
        assert_eq!(events[0]["seats"], now["seats"]);
        for event in &events[1..events.len() - 1] {
            let ply = event["version"].as_i64().unwrap();
            assert_eq!((event["type"].as_str(), &event["step"]["ply"]), (Some("game.step"), &json!(ply)));
        }
        let positions: Vec<&Value> = events.iter().filter_map(|event| event.get("position")).collect();
        let past = app.get(&format!("{game}/states/7")).await.json();
        assert_eq!((positions[6], positions[positions.len() - 1]), (&past["position"], &now["position"]));
    }

    async fn who_reconnects_anywhere_misses_nothing(app: TestApp) {
        let game = new_game(&app, "kauri").await;
        let mut chance = SplitMix64::new(7);
        let (mut seen, mut last): (Vec<Value>, Option<String>) = (Vec::new(), None);
        let reading = async {
            loop {
                let resume: Vec<(&str, &str)> = last.iter().map(|id| ("last-event-id", id.as_str())).collect();
                let framing = if chance.below(2) == 0 { NDJSON } else { ("accept", "text/event-stream") };
                // The address is that of the first connection, as with an EventSource.
                let mut stream = app.stream(&format!("{game}/events?after=0"), &[&resume[..], &[framing]].concat()).await;
                for _ in 0..=chance.below(7) {
                    let Some(event) = stream.next().await else { return };
                    last = event["id"].as_str().map(str::to_owned);
                    let ended = event["type"] == "game.ended";
                    seen.push(event);
                    if ended {
                        assert!(stream.next().await.is_none());
                        return;
                    }
                }
            }
        };
        tokio::join!(reading, play_out(&app, &game));
        let now = app.get(&game).await.json();
        assert_eq!(numbers(&seen), (1..=now["version"].as_i64().unwrap() + 2).collect::<Vec<_>>());
        assert_eq!(seen[seen.len() - 1]["position"], now["position"]);
    }
}

#[tokio::test]
async fn who_knows_all_is_told_that_nothing_will_come() {
    let app = TestApp::sqlite().await;
    let game = new_game(&app, "kauri").await;
    let events = format!("{game}/events");
    step(&app, &game).await;
    let open = app.get_with(&format!("{events}?after=2&timeout=0"), &[NDJSON]).await;
    assert_eq!((open.status, open.body.as_str()), (200, ""));
    resign(&app, &game).await;
    for accept in [NDJSON, ("accept", "text/event-stream")] {
        let done = app.get_with(&events, &[accept, ("last-event-id", "3")]).await;
        assert_eq!((done.status, done.body.as_str()), (204, ""));
    }
    let fresh = app.stream(&events, &[NDJSON]).await.rest().await;
    assert_eq!(types(&fresh), ["game.snapshot"]);
    assert_eq!(fresh[0]["game"]["status"], "finished");
}

#[tokio::test]
async fn who_does_not_ask_for_a_stream_gets_pages() {
    let app = TestApp::sqlite().await;
    let game = new_game(&app, "kauri").await;
    let page = async |query: &str| app.get(&format!("{game}/events{query}")).await.json();
    let first = page("").await;
    assert_eq!(
        (types(first["items"].as_array().unwrap()), &first["next"]),
        (vec!["game.snapshot"], &json!("1"))
    );
    let (waited, _) = tokio::join!(page("?after=1&timeout=60"), step(&app, &game));
    assert_eq!(
        (types(waited["items"].as_array().unwrap()), &waited["next"]),
        (vec!["game.step"], &json!("2"))
    );
    assert_eq!(page("?after=2").await, json!({"items": [], "next": "2", "ended": false}));
    resign(&app, &game).await;
    let last = page("?after=2").await;
    assert_eq!(
        (types(last["items"].as_array().unwrap()), &last["ended"]),
        (vec!["game.ended"], &json!(true))
    );
    assert_eq!(page("?after=3").await, json!({"items": [], "next": "3", "ended": true}));
    let feed = app.get("/events?after=0.0").await.json();
    assert_eq!(numbers(feed["items"].as_array().unwrap()), [1, 2, 3]);
    let empty = app.get("/events").await;
    assert_eq!(
        (&empty.json()["next"], empty.header("last-event-id")),
        (&feed["next"], feed["next"].as_str().unwrap())
    );
}

#[tokio::test]
async fn a_long_game_comes_in_pages_that_join() {
    let app = TestApp::sqlite().await;
    let game = new_game(&app, "ashta-kashte").await;
    play_out(&app, &game).await;
    let (mut seen, mut next, mut pages) = (Vec::new(), "0".to_owned(), 0);
    loop {
        let page = app.get(&format!("{game}/events?after={next}")).await.json();
        seen.extend(numbers(page["items"].as_array().unwrap()));
        page["next"].as_str().unwrap().clone_into(&mut next);
        pages += 1;
        if page["ended"] == true {
            break;
        }
    }
    let version = app.get(&game).await.json()["version"].as_i64().unwrap();
    assert_eq!(seen, (1..=version + 2).collect::<Vec<_>>());
    assert!(pages > 1);
}

#[tokio::test]
async fn what_can_not_be_asked_for_is_refused() {
    let app = TestApp::sqlite().await;
    let game = new_game(&app, "kauri").await;
    for (query, pointer) in [
        ("after=2", "/after"),
        ("after=-1", "/after"),
        ("after=1.0", "/after"),
        ("after=x", "/after"),
        ("timeout=-1", "/timeout"),
        ("timeout=86401", "/timeout"),
        ("since=1", "/since"),
    ] {
        let reply = app.get(&format!("{game}/events?{query}")).await;
        assert_eq!(
            (reply.status, reply.code(), reply.pointers()),
            (400, "invalid_query".into(), vec![pointer.into()])
        );
    }
    let accept = app.get_with(&format!("{game}/events"), &[("accept", "text/html")]).await;
    assert_eq!(accept.status, 406);
    let unknown = app.get("/games/01937a5e-0000-7000-8000-000000000001/events").await;
    assert_eq!((unknown.status, unknown.code()), (404, "game_not_found".to_owned()));
}

#[tokio::test]
async fn the_head_of_a_stream_keeps_nobody_waiting() {
    let app = TestApp::sqlite().await;
    let game = new_game(&app, "kauri").await;
    let head = app
        .send(reqwest::Method::HEAD, &format!("{game}/events"), &[("accept", "text/event-stream")], None)
        .await;
    assert_eq!((head.status, head.header("content-type")), (200, "text/event-stream"));
}

#[tokio::test]
async fn a_seat_follows_its_own_game_alone_and_a_revoked_key_no_longer() {
    let app = TestApp::sqlite().await;
    let (id, ours) = key(&app, NewKey { scope: "read", ..NewKey::play("ours") }).await;
    let (_, other) = key(&app, NewKey::play("ours")).await;
    let (_, theirs) = key(&app, NewKey::play("theirs")).await;
    let create = async || {
        let created = app.post_with("/games", &json!({"rules": "kauri"}), &[("authorization", &other)]).await;
        (created.header("location").to_owned(), seat_tokens(&created.json()))
    };
    let ((game, tokens), (another, _)) = (create().await, create().await);
    let events = format!("{game}/events?timeout=0");
    let status = async |path: &str, by: &str| app.get_with(path, &[("authorization", by)]).await.status;
    assert_eq!((status(&events, &ours).await, status(&events, &tokens[0]).await), (200, 200));
    assert_eq!(status(&events, &theirs).await, 404);
    assert_eq!(status(&format!("{another}/events?timeout=0"), &tokens[0]).await, 404);
    assert_eq!(status(&events, &bearer("kauri_pk_x")).await, 401);
    assert_eq!(app.get(&events).await.status, 401);
    let mut stream = app.stream(&format!("{game}/events"), &[NDJSON, ("authorization", &ours)]).await;
    stream.next().await.unwrap();
    revoke(&app, &id).await;
    let moved =
        app.post_with(&format!("{game}/moves"), &json!({"move": "a"}), &[("authorization", &other)]).await;
    assert_eq!(moved.status, 201);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_stop_ends_streams() {
    let app = TestApp::sqlite().await;
    let game = new_game(&app, "kauri").await;
    let mut streams = [app.stream(&format!("{game}/events"), &[]).await, app.stream("/events", &[]).await];
    assert_eq!(streams[0].next().await.unwrap()["type"], "game.snapshot");
    drop(app);
    for mut stream in streams {
        assert!(stream.next().await.is_none());
    }
}

#[tokio::test]
async fn another_process_on_the_database_tells_the_same() {
    let one = TestApp::postgres().await;
    let other = TestApp::start(
        Database::sqlite().await,
        |config| config.database = one.database.config(),
        Arc::new(SystemWorld),
    );
    let game = new_game(&one, "kauri").await;
    let mut stream = other.stream(&format!("{game}/events"), &[]).await;
    let mut feed = other.stream("/events?after=0.0", &[]).await;
    assert_eq!(stream.next().await.unwrap()["type"], "game.snapshot");
    assert_eq!(feed.next().await.unwrap()["type"], "game.created");
    for ply in 1..=5 {
        step(&one, &game).await;
        assert_eq!(stream.next().await.unwrap()["version"], ply);
        assert_eq!(feed.next().await.unwrap()["version"], ply);
    }
}
