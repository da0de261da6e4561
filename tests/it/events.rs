//! What happens, as it happens: streams of a game and of a portal, and waiting for a version.

mod feed;
mod game;
mod wait;

use crate::app::TestApp;
use serde_json::{Value, json};

const NDJSON: (&str, &str) = ("accept", "application/x-ndjson");

/// A game; its path.
async fn new_game(app: &TestApp, rules: &str) -> String {
    let reply = app.post("/games", &json!({"rules": rules})).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.header("location").to_owned()
}

/// Makes a step, any that is legal; whether the game goes on.
async fn step(app: &TestApp, game: &str) -> bool {
    let now = app.get(game).await.json();
    let legal = now["position"]["legal_moves"].as_array().unwrap();
    let version = now["version"].as_u64().unwrap();
    let Some(choice) = legal.get(usize::try_from(version).unwrap() % legal.len().max(1)) else {
        return false;
    };
    let taken =
        app.post(&format!("{game}/moves"), &json!({"move": choice, "expected_version": version})).await;
    assert_eq!(taken.status, 201, "{taken:?}");
    taken.json()["status"] == "active"
}

/// Plays a game to its end.
async fn play_out(app: &TestApp, game: &str) {
    while step(app, game).await {}
}

async fn resign(app: &TestApp, game: &str) {
    let reply = app.post(&format!("{game}/resignation"), &json!({"seat": "north"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

fn numbers(events: &[Value]) -> Vec<i64> {
    events.iter().map(|event| event["number"].as_i64().unwrap()).collect()
}
