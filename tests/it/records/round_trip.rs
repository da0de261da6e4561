//! Export, import, and every row is the same: from each database into each.

use super::{import, kauri, lines};
use crate::app::TestApp;
use kauri::store::{Clock, GameFilter, GameRow, Held, StepRow};
use serde_json::{Value, json};
use uuid::Uuid;

/// Plays legal moves, at most so many.
async fn play(app: &TestApp, new: &Value, most: usize) -> String {
    let created = app.post("/games", new).await;
    assert_eq!(created.status, 201, "{created:?}");
    let game = created.header("location").to_owned();
    let mut position = created.json()["position"].clone();
    for number in 0..most {
        let legal = position["legal_moves"].as_array().unwrap();
        if legal.is_empty() {
            break;
        }
        let step = &legal[(number * 7 + 3) % legal.len()];
        let taken = app.post(&format!("{game}/moves"), &json!({"move": step})).await;
        assert_eq!(taken.status, 201, "{taken:?}");
        position = taken.json()["position"].clone();
    }
    game
}

/// Games of every kind of beginning, middle and end.
async fn fill(app: &TestApp) {
    let three = json!([{"seat": "west", "player": "ann", "name": "Ann \"A\""}, {"seat": "south"}, {"seat": "east", "player": "é"}]);
    play(app, &json!({"rules": "kauri", "tags": ["ladder", "a \\ b"], "external_ref": "match 1"}), 999).await;
    let race =
        json!({"rules": "ashta-kashte", "seats": three, "options": {"extra_turn": true, "places": true}});
    play(app, &json!({"rules": "ashta-kashte", "seats": three, "options": {"route": "reversing"}}), 9_999)
        .await;
    let supplied = json!({"rules": "ashta-kashte", "throws": "supplied"});
    play(app, &supplied, 40).await;
    let resigned = play(app, &race, 30).await;
    assert_eq!(app.post(&format!("{resigned}/resignation"), &json!({"seat": "south"})).await.status, 200);
    let resigned = kauri(app, "ann", &["a", "A"]).await;
    assert_eq!(app.post(&format!("{resigned}/resignation"), &json!({"seat": "north"})).await.status, 200);
    let aborted = kauri(app, "ann", &["a"]).await;
    assert_eq!(app.post_nothing(&format!("{aborted}/abort")).await.status, 200);
    let state = app.get(&kauri(app, "ben", &["b", "B", "c"]).await).await.json()["position"]["state"].clone();
    play(app, &json!({"rules": "kauri", "state": state}), 3).await;
}

/// Everything there is of the portal's games.
async fn everything(app: &TestApp) -> Vec<(GameRow, Vec<StepRow>)> {
    let store = app.beside().await.store;
    let mut all = Vec::new();
    for row in store
        .games(Uuid::nil(), &GameFilter { limit: 100, ..GameFilter::default() }, &mut Held::default())
        .await
        .unwrap()
    {
        let steps = store.steps(row.id, 0, i64::MAX, &mut Held::default()).await.unwrap();
        all.push((row, steps));
    }
    all
}

async fn everything_goes(from: TestApp, into: TestApp) {
    fill(&from).await;
    let export = app_export(&from).await;
    let games = everything(&from).await;
    let count = games.len();
    assert_eq!(import(&into, &export).await, json!({"imported": count, "present": 0, "refused": 0}));
    assert_eq!(everything(&into).await, games);
    // Once more is nothing more, and what comes out is what went in.
    assert_eq!(import(&into, &export).await, json!({"imported": 0, "present": count, "refused": 0}));
    let again = app_export(&into).await;
    let bare = |export: &str| {
        let mut records = lines(export).0;
        for record in &mut records {
            record["cursor"] = Value::Null;
        }
        records
    };
    assert_eq!(bare(&again), bare(&export));
    // They are found as if they had been played here.
    for (filter, found) in [
        (GameFilter { player: Some("ann".to_owned()), result: Some("won"), ..GameFilter::default() }, 1),
        (GameFilter { tag: Some("ladder".to_owned()), ..GameFilter::default() }, 1),
        (GameFilter { clock: Clock::Finished, ..GameFilter::default() }, 5),
    ] {
        for app in [&from, &into] {
            let filter = GameFilter { limit: 100, ..filter.clone() };
            let rows =
                app.beside().await.store.games(Uuid::nil(), &filter, &mut Held::default()).await.unwrap();
            assert!(rows.len() >= found, "{filter:?}: {}", rows.len());
        }
    }
    // And they go on.
    let going = games.iter().find(|(row, _)| row.status == "active" && row.rules == "kauri").unwrap();
    let game = format!("/games/{}", going.0.id);
    let step = into.get(&game).await.json()["position"]["legal_moves"][0].clone();
    assert_eq!(into.post(&format!("{game}/moves"), &json!({"move": step})).await.status, 201);
}

async fn app_export(app: &TestApp) -> String {
    let reply = app.get("/games/export").await;
    assert_eq!(reply.status, 200);
    reply.body
}

#[tokio::test]
async fn from_sqlite_into_sqlite() {
    everything_goes(TestApp::sqlite().await, TestApp::sqlite().await).await;
}

#[tokio::test]
async fn from_sqlite_into_postgres() {
    everything_goes(TestApp::sqlite().await, TestApp::postgres().await).await;
}

#[tokio::test]
async fn from_postgres_into_sqlite() {
    everything_goes(TestApp::postgres().await, TestApp::sqlite().await).await;
}

#[tokio::test]
async fn from_postgres_into_postgres() {
    everything_goes(TestApp::postgres().await, TestApp::postgres().await).await;
}
