//! Waiting for a version.

use super::{new_game, resign, step};
use crate::app::{TestApp, on_both_databases};

on_both_databases! {
    async fn an_answer_waits_until_the_game_has_gone_on(app: TestApp) {
        let game = new_game(&app, "kauri").await;
        let path = format!("{game}?wait_version=2&timeout=60");
        let waiting = app.get(&path);
        let playing = async {
            step(&app, &game).await;
            step(&app, &game).await;
        };
        let (waited, ()) = tokio::join!(waiting, playing);
        assert_eq!((waited.status, waited.header("etag")), (200, "\"v2\""));
    }
}

#[tokio::test]
async fn an_answer_does_not_wait_for_what_is_there_or_can_not_come() {
    let app = TestApp::sqlite().await;
    let game = new_game(&app, "kauri").await;
    step(&app, &game).await;
    assert_eq!(app.get(&format!("{game}?wait_version=1&timeout=60")).await.header("etag"), "\"v1\"");
    let none = app.get(&format!("{game}?wait_version=2&timeout=0")).await;
    assert_eq!((none.status, none.header("etag")), (200, "\"v1\""));
    let known =
        app.get_with(&format!("{game}?wait_version=2&timeout=0"), &[("if-none-match", "\"v1\"")]).await;
    assert_eq!(known.status, 304);
    let path = format!("{game}?wait_version=9&timeout=60");
    let (waited, ()) = tokio::join!(app.get(&path), resign(&app, &game));
    assert_eq!(waited.json()["status"], "finished");
    assert_eq!(app.get(&path).await.status, 200);
}

#[tokio::test]
async fn waiting_may_take_longer_than_a_request() {
    let app = TestApp::with(|config| config.request_timeout = std::time::Duration::from_millis(300)).await;
    let game = new_game(&app, "kauri").await;
    let waited = app.get(&format!("{game}?wait_version=1&timeout=1")).await;
    assert_eq!((waited.status, waited.header("etag")), (200, "\"v0\""));
}

#[tokio::test]
async fn a_stop_ends_waiting() {
    let app = TestApp::sqlite().await;
    let game = new_game(&app, "kauri").await;
    let url = format!("http://{}{game}?wait_version=1&timeout=60", app.address);
    let waiting = tokio::spawn(async move { reqwest::get(url).await.map(|reply| reply.status()) });
    // Whether the stop finds it waiting or not yet sent, it is over at once.
    drop(app);
    drop(waiting.await.unwrap());
}

#[tokio::test]
async fn what_can_not_be_waited_for_is_refused() {
    let app = TestApp::sqlite().await;
    let game = new_game(&app, "kauri").await;
    for (query, pointer) in [
        ("wait_version=-1", "/wait_version"),
        ("wait_version=1&timeout=61", "/timeout"),
        ("wait_version=1&timeout=-1", "/timeout"),
        ("timeout=1", "/timeout"),
        ("wait=1", "/wait"),
    ] {
        let reply = app.get(&format!("{game}?{query}")).await;
        assert_eq!((reply.status, reply.pointers()), (400, vec![pointer.to_owned()]), "{query}");
    }
}
