//! Once, however often asked.

use crate::app::{Database, Reply, TestApp, on_both_databases};
use crate::portal::{NewKey, key, seat_tokens};
use kauri::context::{NoEntropy, SystemWorld, World};
use kauri::timestamp::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use uuid::Uuid;

/// The real world with a clock that is set by hand.
#[derive(Debug)]
struct SetClock(AtomicI64);

impl World for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    fn throw(&self) -> Result<[bool; 4], NoEntropy> {
        SystemWorld.throw()
    }

    fn secret(&self) -> Result<[u8; 32], NoEntropy> {
        SystemWorld.secret()
    }

    fn id(&self) -> Uuid {
        SystemWorld.id()
    }
}

async fn with_key(app: &TestApp, path: &str, body: &Value, key: &str) -> Reply {
    app.post_with(path, body, &[("idempotency-key", key)]).await
}

/// The second answer is the first, but for saying so.
fn assert_replayed(first: &Reply, second: &Reply) {
    assert_eq!((second.status, &second.body), (first.status, &first.body));
    assert_eq!(second.header("idempotency-replayed"), "true");
    assert_eq!(first.header("idempotency-replayed"), "");
    for header in ["etag", "location", "content-type"] {
        assert_eq!(second.header(header), first.header(header), "{header}");
    }
}

on_both_databases! {
    async fn every_change_is_answered_the_same_under_its_key(app: TestApp) {
        let body = json!({"rules": "ashta-kashte"});
        let created = with_key(&app, "/games", &body, "k").await;
        assert_eq!(created.status, 201);
        assert_replayed(&created, &with_key(&app, "/games", &body, "k").await);
        assert_eq!(app.get("/games").await.json()["items"].as_array().unwrap().len(), 1);

        let game = created.header("location").to_owned();
        let moves = format!("{game}/moves");
        let thrown = with_key(&app, &moves, &json!({"move": "throw"}), "k").await;
        assert_eq!(thrown.status, 201, "the same key on another path is another key");
        let enter = with_key(&app, &moves, &json!({"move": "enter"}), "l").await;
        assert_replayed(&thrown, &with_key(&app, &moves, &json!({"move": "throw"}), "k").await);
        assert_replayed(&enter, &with_key(&app, &moves, &json!({"move": "enter"}), "l").await);
        assert_eq!(app.get(&game).await.json()["version"], 2);

        for end in ["abort", "resignation"] {
            let game = with_key(&app, "/games", &body, end).await.header("location").to_owned();
            let path = format!("{game}/{end}");
            let body = if end == "abort" { json!({}) } else { json!({"seat": "south"}) };
            let ended = with_key(&app, &path, &body, "k").await;
            assert_eq!(ended.status, 200);
            assert_replayed(&ended, &with_key(&app, &path, &body, "k").await);
            assert_eq!(app.post(&path, &body).await.code(), "game_over");
        }
    }

    async fn a_key_is_good_for_one_body(app: TestApp) {
        let game = with_key(&app, "/games", &json!({"rules": "kauri"}), "k").await.header("location").to_owned();
        let moves = format!("{game}/moves");
        with_key(&app, &moves, &json!({"move": "a"}), "k").await;
        for (path, body) in [("/games", json!({"rules": "ashta-kashte"})), (moves.as_str(), json!({"move": "A"}))] {
            let reply = with_key(&app, path, &body, "k").await;
            assert_eq!((reply.status, reply.code()), (422, "idempotency_key_reused".to_owned()), "{path}");
        }
        for bad in ["", &"k".repeat(256)] {
            let reply = with_key(&app, &moves, &json!({"move": "A"}), bad).await;
            assert_eq!((reply.status, reply.code()), (400, "invalid_header".to_owned()));
        }
    }

    async fn two_keys_are_none(app: TestApp) {
        let headers = [("idempotency-key", "a"), ("idempotency-key", "b")];
        let reply = app.post_with("/games", &json!({"rules": "kauri"}), &headers).await;
        assert_eq!((reply.status, reply.code()), (400, "invalid_header".to_owned()));
    }

    async fn a_refusal_uses_no_key_up(app: TestApp) {
        let game = app.post("/games", &json!({"rules": "kauri"})).await.header("location").to_owned();
        let moves = format!("{game}/moves");
        assert_eq!(with_key(&app, &moves, &json!({"move": "zz"}), "k").await.code(), "illegal_move");
        assert_eq!(with_key(&app, &moves, &json!({"move": "a", "expected_version": 5}), "k").await.code(), "version_conflict");
        assert_eq!(with_key(&app, &moves, &json!({"move": "a"}), "k").await.status, 201);
    }

    async fn a_repeat_on_the_same_version_is_answered_again_without_a_key(app: TestApp) {
        let game = app.post("/games", &json!({"rules": "ashta-kashte"})).await.header("location").to_owned();
        let moves = format!("{game}/moves");
        let throw = json!({"move": "throw", "expected_version": 0});
        let first = app.post(&moves, &throw).await;
        assert_eq!(first.status, 201);
        let entered = app.post(&moves, &json!({"move": "enter", "expected_version": 1})).await;
        assert_eq!(entered.status, 201);
        for _ in 0..3 {
            let again = app.post(&moves, &throw).await;
            assert_eq!((again.status, again.header("idempotency-replayed"), &again.body), (200, "true", &first.body));
            assert_eq!((again.header("etag"), again.header("location")), (first.header("etag"), first.header("location")));
        }
        let drawn = first.json()["step"]["move"].clone();
        let stated = app.post(&moves, &json!({"move": drawn, "expected_version": 0})).await;
        assert_eq!(stated.code(), "version_conflict", "what the service threw is not for others to state");
        let other_seat = app.post(&moves, &json!({"move": "throw", "seat": "north", "expected_version": 0})).await;
        assert_eq!(other_seat.code(), "version_conflict");
        assert_eq!(app.get(&game).await.json()["version"], 2);
    }

    async fn a_repeat_of_the_last_move_says_how_the_game_ended(app: TestApp) {
        // South to move with everything but the last bead won.
        let state = json!({"rules": "kauri", "to_move": "south", "kauri": {
            "south": {"pits": [{"beads": 0, "cowries": 0}, {"beads": 0, "cowries": 0}, {"beads": 0, "cowries": 0},
                {"beads": 0, "cowries": 0}, {"beads": 0, "cowries": 0}, {"beads": 0, "cowries": 1}], "store": 30},
            "north": {"pits": [{"beads": 1, "cowries": 0}, {"beads": 0, "cowries": 11}, {"beads": 0, "cowries": 0},
                {"beads": 0, "cowries": 0}, {"beads": 0, "cowries": 0}, {"beads": 0, "cowries": 0}], "store": 29}}});
        let created = app.post("/games", &json!({"rules": "kauri", "state": state})).await;
        let moves = format!("{}/moves", created.header("location"));
        let body = json!({"move": "f", "expected_version": 0});
        let first = app.post(&moves, &body).await;
        assert_eq!((first.status, &first.json()["status"]), (201, &json!("finished")), "{first:?}");
        assert_eq!(first.json()["position"]["result"]["winner"], "south");
        let again = app.post(&moves, &body).await;
        assert_eq!((again.status, &again.body), (200, &first.body));
    }

    async fn seats_keep_their_keys_apart(app: TestApp) {
        let seats = seat_tokens(&app.post("/games", &json!({"rules": "ashta-kashte"})).await.json());
        let game = app.get("/games").await.json()["items"][0]["id"].as_str().unwrap().to_owned();
        let moves = format!("/games/{game}/moves");
        let post = async |seat: usize, step: &str| {
            let headers = [("authorization", seats[seat].as_str()), ("idempotency-key", "1")];
            app.post_with(&moves, &json!({"move": step}), &headers).await
        };
        assert_eq!(post(0, "throw").await.status, 201);
        let other = post(1, "throw").await;
        assert_eq!((other.status, other.code()), (409, "not_your_turn".to_owned()), "not South's throw again");
    }

    async fn of_many_creations_under_one_key_one_counts(app: TestApp) {
        let body = json!({"rules": "kauri", "external_ref": "match 7"});
        let posts = (0..8).map(|_| with_key(&app, "/games", &body, "k"));
        let replies = futures_util::future::join_all(posts).await;
        assert!(replies.iter().all(|reply| reply.status == 201 && reply.body == replies[0].body), "{replies:?}");
        assert_eq!(replies.iter().filter(|reply| reply.header("idempotency-replayed").is_empty()).count(), 1);
        assert_eq!(app.get("/games").await.json()["items"].as_array().unwrap().len(), 1);
        let seat = &seat_tokens(&replies[0].json())[1];
        let reply = app.get_with(replies[0].header("location"), &[("authorization", seat)]).await;
        assert_eq!(reply.status, 200, "the token that every answer tells is the seat's");
    }

    async fn portals_keep_their_keys_apart(app: TestApp) {
        let (_, club) = key(&app, NewKey::play("club")).await;
        let (_, cafe) = key(&app, NewKey::play("cafe")).await;
        let post = async |authorization: &str| {
            let headers = [("authorization", authorization), ("idempotency-key", "k")];
            app.post_with("/games", &json!({"rules": "kauri", "external_ref": "match 7"}), &headers).await
        };
        let (one, two) = (post(&club).await, post(&cafe).await);
        assert_eq!((one.status, two.status), (201, 201));
        assert_ne!(one.header("location"), two.header("location"));
    }

    async fn an_answer_is_kept_for_a_day(database: Database) {
        let clock = Arc::new(SetClock(AtomicI64::new(1_796_029_200_000_000)));
        let app = TestApp::start(database, |_| {}, clock.clone());
        let body = json!({"rules": "kauri"});
        let first = with_key(&app, "/games", &body, "k").await;
        let day = 24 * 60 * 60 * 1_000_000;
        clock.0.fetch_add(day - 1, Ordering::SeqCst);
        assert_replayed(&first, &with_key(&app, "/games", &body, "k").await);
        clock.0.fetch_add(1, Ordering::SeqCst);
        let later = with_key(&app, "/games", &json!({"rules": "ashta-kashte"}), "k").await;
        assert_eq!((later.status, later.header("idempotency-replayed")), (201, ""));
        kauri::chores::once(&app.beside().await).await;
        assert_replayed(&later, &with_key(&app, "/games", &json!({"rules": "ashta-kashte"}), "k").await);
    }
}
