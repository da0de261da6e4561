//! Following all games of a portal.

use super::{NDJSON, new_game, numbers, play_out, resign, step, types};
use crate::app::{TestApp, on_both_databases};
use crate::chance::SplitMix64;
use crate::portal::{NewKey, key, seat_tokens};
use futures_util::future::join_all;
use kauri::store::Position;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use std::collections::HashMap;

/// The first so many events. On Postgres an event may come a little after its effect: when all that was being written
/// to any database of the server has been.
async fn first(app: &TestApp, count: usize) -> Vec<Value> {
    app.stream("/events?after=0.0", &[NDJSON]).await.take(count).await
}

on_both_databases! {
    async fn tells_of_every_effect_in_order(app: TestApp) {
        let game = new_game(&app, "kauri").await;
        step(&app, &game).await;
        let body = json!({"rules": "ashta-kashte", "external_ref": "r-1", "throws": "supplied"});
        let other = app.post("/games", &body).await;
        let again = app.post("/games", &body).await;
        assert_eq!((other.status, again.status), (201, 200));
        resign(&app, &game).await;
        let aborted = app.post(&format!("{}/abort", other.header("location")), &json!({})).await;
        assert_eq!(aborted.status, 200);
        let refused = app.post(&format!("{game}/moves"), &json!({"move": "a"})).await;
        assert_eq!(refused.status, 409);
        let events = first(&app, 5).await;
        assert_eq!(types(&events), ["game.created", "game.step", "game.created", "game.ended", "game.ended"]);
        assert_eq!(numbers(&events), [1, 2, 1, 3, 2]);
        let versions: Vec<&Value> = events.iter().map(|event| &event["version"]).collect();
        assert_eq!(versions, [0, 1, 0, 1, 0]);
        assert_eq!(events[1]["step"], app.get(&format!("{game}/moves/1")).await.json());
        assert_eq!((&events[2]["external_ref"], &events[2]["rules"]), (&json!("r-1"), &json!("ashta-kashte")));
        assert_eq!((&events[3]["result"]["reason"], &events[4]["status"]), (&json!("resignation"), &json!("aborted")));
        let ids: Vec<Position> = events.iter().map(|event| event["id"].as_str().unwrap().parse().unwrap()).collect();
        assert!(ids.is_sorted(), "{ids:?}");
    }

    async fn a_game_that_is_over_at_once_has_its_end_told(app: TestApp) {
        let played = new_game(&app, "kauri").await;
        play_out(&app, &played).await;
        let state = app.get(&played).await.json()["position"]["state"].clone();
        let created = app.post("/games", &json!({"rules": "kauri", "state": state})).await;
        assert_eq!((created.status, &created.json()["status"]), (201, &json!("finished")));
        let played = usize::try_from(app.get(&played).await.json()["version"].as_u64().unwrap()).unwrap() + 2;
        let events = first(&app, played + 2).await.split_off(played);
        assert_eq!((types(&events), numbers(&events)), (vec!["game.created", "game.ended"], vec![1, 2]));
        let own = app.stream(&format!("{}/events?after=0", created.header("location")), &[NDJSON]).await.rest().await;
        assert_eq!(numbers(&own), [1, 2]);
    }

    async fn many_at_once_are_each_told_once_and_in_order_to_who_reconnects(app: TestApp) {
        let playing = join_all((0..6).map(async |_| {
            let game = new_game(&app, "kauri").await;
            play_out(&app, &game).await;
            game
        }));
        let mut chance = SplitMix64::new(11);
        let mut seen: Vec<Value> = Vec::new();
        let reading = async {
            let mut last = "0.0".to_owned();
            let mut ended = 0;
            while ended < 6 {
                let mut stream = app.stream(&format!("/events?after={last}"), &[NDJSON]).await;
                for _ in 0..=chance.below(9) {
                    if ended == 6 {
                        break;
                    }
                    let event = stream.next().await.unwrap();
                    event["id"].as_str().unwrap().clone_into(&mut last);
                    ended += usize::from(event["type"] == "game.ended");
                    seen.push(event);
                }
            }
        };
        let (games, ()) = tokio::join!(playing, reading);
        let mut of: HashMap<&str, Vec<i64>> = HashMap::new();
        for event in &seen {
            of.entry(event["game_id"].as_str().unwrap()).or_default().push(event["number"].as_i64().unwrap());
        }
        assert_eq!(of.len(), 6);
        for game in games {
            let version = app.get(&game).await.json()["version"].as_i64().unwrap();
            assert_eq!(of[game.strip_prefix("/games/").unwrap()], (1..=version + 2).collect::<Vec<_>>());
        }
        assert_eq!(seen, first(&app, seen.len()).await);
    }
}

#[tokio::test]
async fn begins_now_and_says_where_that_is() {
    let app = TestApp::sqlite().await;
    let game = new_game(&app, "kauri").await;
    let mut stream = app.stream("/events", &[]).await;
    let place = stream.headers()["last-event-id"].to_str().unwrap().to_owned();
    step(&app, &game).await;
    let event = stream.next().await.unwrap();
    assert_eq!((&event["type"], &event["version"]), (&json!("game.step"), &json!(1)));
    assert!(event.get("position").is_none());
    let resumed = app.stream(&format!("/events?after={place}&timeout=0"), &[]).await.rest().await;
    assert_eq!(resumed, [event]);
}

#[tokio::test]
async fn what_no_event_has_had_is_refused() {
    let app = TestApp::sqlite().await;
    for after in ["x", "1", "0.1", "9.9", "-1.0", "00.0"] {
        let reply = app.get(&format!("/events?after={after}")).await;
        assert_eq!((reply.status, reply.pointers()), (400, vec!["/after".to_owned()]), "{after}");
        let header = app.get_with("/events?after=0.0", &[("last-event-id", after)]).await;
        assert_eq!(header.status, 400, "{after}");
    }
    let twice = [("last-event-id", "0.0"), ("last-event-id", "0.0")];
    assert_eq!(app.get_with("/events", &twice).await.code(), "invalid_header");
}

#[tokio::test]
async fn a_portal_hears_of_its_own_games_alone() {
    let app = TestApp::sqlite().await;
    let (_, ours) = key(&app, NewKey::play("ours")).await;
    let (_, theirs) = key(&app, NewKey { scope: "read", ..NewKey::play("theirs") }).await;
    let created = app.post_with("/games", &json!({"rules": "kauri"}), &[("authorization", &ours)]).await;
    let feed = async |by: &str| {
        app.stream("/events?after=0.0&timeout=0", &[NDJSON, ("authorization", by)]).await.rest().await
    };
    assert_eq!(types(&feed(&ours).await), ["game.created"]);
    assert!(feed(&theirs).await.is_empty());
    let by_seat = app.get_with("/events", &[("authorization", &seat_tokens(&created.json())[0])]).await;
    assert_eq!((by_seat.status, by_seat.code()), (403, "portal_only".to_owned()));
}

/// The url of a Postgres app's database.
async fn connect(app: &TestApp) -> PgConnection {
    PgConnection::connect(&app.database.config().database_url).await.unwrap()
}

#[tokio::test]
async fn nothing_is_told_before_what_may_still_appear_before_it() {
    let app = TestApp::postgres().await;
    let game = new_game(&app, "kauri").await;
    let mut slow = connect(&app).await;
    let mut transaction = slow.begin().await.unwrap();
    // A writer that began before the step, told of its event, and has not been heard of since.
    sqlx::query(
        "INSERT INTO events (portal_id, game_id, number, type, at)
         SELECT portal_id, id, 99, 'game.step', 0 FROM games",
    )
    .execute(&mut *transaction)
    .await
    .unwrap();
    let mut followed = app.stream(&format!("{game}/events"), &[NDJSON]).await;
    followed.next().await.unwrap();
    let mut stream = app.stream("/events?after=0.0", &[NDJSON]).await;
    assert_eq!(stream.next().await.unwrap()["type"], "game.created");
    step(&app, &game).await;
    assert_eq!(followed.next().await.unwrap()["version"], 1, "the game's own stream need not wait");
    let page = app.get("/events?after=0.0").await.json();
    assert_eq!(types(page["items"].as_array().unwrap()), ["game.created"]);
    transaction.commit().await.unwrap();
    assert_eq!(numbers(&stream.take(2).await), [99, 2]);
}

#[tokio::test]
async fn a_restored_database_tells_what_is_new_after_what_is_old() {
    let app = TestApp::postgres().await;
    let game = new_game(&app, "kauri").await;
    // As if it came from a cluster that had seen many more transactions.
    let mut connection = connect(&app).await;
    sqlx::query("UPDATE events SET tx = tx + 1000000000").execute(&mut connection).await.unwrap();
    let again = app.beside().await;
    step(&app, &game).await;
    let events = first(&app, 2).await;
    assert_eq!(numbers(&events), [1, 2]);
    let (old, new): (Position, Position) = (
        events[0]["id"].as_str().unwrap().parse().unwrap(),
        events[1]["id"].as_str().unwrap().parse().unwrap(),
    );
    assert!(old.tx > 1_000_000_000 && old < new);
    again.store.close().await;
}
