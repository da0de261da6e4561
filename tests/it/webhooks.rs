//! Webhooks, as the portal that manages them and the receiver that takes them meet them.

mod deliver;
mod log;
mod manage;
pub(crate) mod receiver;
mod store;
mod world;

use crate::app::{Database, TestApp};
use receiver::Receiver;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use world::Clock;

/// A service that may post to loopback, at a time that stands still until it is moved.
fn start(database: Database) -> (TestApp, Arc<Clock>) {
    let clock = Arc::new(Clock::default());
    let app = TestApp::start(database, |config| config.webhook_allow_loopback = true, clock.clone());
    (app, clock)
}

/// Makes an endpoint; its path and its secret.
async fn endpoint(app: &TestApp, receiver: &Receiver, more: &Value) -> (String, String) {
    let mut body = more.clone();
    body["url"] = receiver.url().into();
    let reply = app.post("/webhooks", &body).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    (reply.header("location").to_owned(), reply.json()["secret"].as_str().unwrap().to_owned())
}

async fn patch(app: &TestApp, path: &str, body: &Value) -> crate::app::Reply {
    let headers = [("content-type", "application/json")];
    app.send(Method::PATCH, path, &headers, Some(body.to_string().into_bytes())).await
}

/// Has an endpoint looked at, as when its time has come.
fn poke(app: &TestApp, path: &str) {
    app.context.webhooks.poke(path.rsplit('/').next().unwrap().parse().unwrap());
}

/// A game of Kauri; its path.
async fn new_game(app: &TestApp) -> String {
    let reply = app.post("/games", &json!({"rules": "kauri"})).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.header("location").to_owned()
}

/// Makes the first legal step, so many times.
async fn play(app: &TestApp, game: &str, steps: usize) {
    for _ in 0..steps {
        let now = app.get(game).await.json();
        let choice = &now["position"]["legal_moves"][0];
        let taken = app.post(&format!("{game}/moves"), &json!({"move": choice})).await;
        assert_eq!(taken.status, 201, "{taken:?}");
    }
}

async fn deliveries(app: &TestApp, path: &str) -> Vec<Value> {
    let page = app.get(&format!("{path}/deliveries?limit=100")).await;
    assert_eq!(page.status, 200, "{page:?}");
    page.json()["items"].as_array().unwrap().clone()
}

/// Waits until what the service says of an endpoint's deliveries is as wanted; what it says then.
async fn settled(app: &TestApp, path: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let mut progress = app.context.webhooks.progress();
    receiver::within("deliveries to settle", async {
        loop {
            progress.mark_unchanged();
            let found = deliveries(app, path).await;
            if wanted(&found) {
                return found;
            }
            progress.changed().await.unwrap();
        }
    })
    .await
}

fn all_are(status: &'static str, count: usize) -> impl Fn(&[Value]) -> bool {
    move |found| found.len() == count && found.iter().all(|delivery| delivery["status"] == status)
}
