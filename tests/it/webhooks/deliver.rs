//! What is posted, in which order, and what happens when it is not taken.

use super::receiver::{Answer, BROKEN, Heard, OK, Receiver};
use super::{all_are, deliveries, endpoint, new_game, patch, play, poke, settled, start};
use crate::app::{Database, SPEC, TestApp, on_both_databases};
use kauri::context::World;
use kauri::timestamp::Timestamp;
use serde_json::json;
use std::collections::HashSet;
use std::time::Duration;

/// The waits of the schedule, in seconds.
const WAITS: [i64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

fn micros(time: &serde_json::Value) -> i64 {
    Timestamp::parse(time.as_str().unwrap()).unwrap().0
}

/// Lets the time of the only delivery that is pending come.
async fn next_attempt(app: &TestApp, clock: &super::Clock, path: &str) {
    let found = deliveries(app, path).await;
    clock.advance_to(found[0]["next_attempt_at"].as_str().unwrap());
    poke(app, path);
}

on_both_databases! {
    async fn events_are_posted_as_standard_webhooks(database: Database) {
        let (app, clock) = start(database);
        let receiver = Receiver::ok().await;
        let game = new_game(&app).await;
        let (path, secret) = endpoint(&app, &receiver, &json!({})).await;
        play(&app, &game, 2).await;
        let resigned = app.post(&format!("{game}/resignation"), &json!({"seat": "north"})).await;
        assert_eq!(resigned.status, 200);
        let heard = receiver.heard(3).await;
        let types: Vec<_> = heard.iter().map(|heard| heard.json()["type"].as_str().unwrap().to_owned()).collect();
        assert_eq!(types, ["game.step", "game.step", "game.ended"], "what was before the endpoint is not told");
        for heard in &heard {
            assert_eq!((heard.path.as_str(), heard.headers["content-type"].as_str()), ("/hook", "application/json"));
            assert_eq!(heard.headers["webhook-timestamp"], (clock.now().0 / 1_000_000).to_string());
            assert_eq!(heard.signed_by(&secret), 1);
            assert!(!heard.id().contains('.') && heard.id().starts_with("msg_"));
            let json = heard.json();
            assert_eq!((&json["type"], &json["timestamp"]), (&json["data"]["type"], &json["data"]["at"]));
            let posted = &SPEC.document["webhooks"]["event"]["post"]["requestBody"]["content"]["application/json"];
            SPEC.check_schema("webhook", &posted["schema"], &json);
            SPEC.check_schema("webhook", &posted["schema"], &posted["examples"]["ended"]["value"]);
        }
        let settled = settled(&app, &path, all_are("delivered", 3)).await;
        let mut ids: Vec<_> = heard.iter().map(|heard| heard.id().to_owned()).collect();
        ids.reverse();
        assert_eq!(settled.iter().map(|one| one["id"].as_str().unwrap()).collect::<Vec<_>>(), ids, "newest first");
        assert!(settled.iter().all(|one| one["response_status"] == 200 && one["attempts"] == 1));
    }

    async fn what_is_not_taken_is_tried_on_a_schedule_under_one_id(database: Database) {
        let (app, clock) = start(database);
        let receiver = Receiver::start(|_| BROKEN).await;
        let (path, _) = endpoint(&app, &receiver, &json!({"events": ["game.created"]})).await;
        new_game(&app).await;
        for (attempt, wait) in (1..).zip(WAITS) {
            receiver.heard(attempt).await;
            let found = settled(&app, &path, |found| found.len() == 1 && found[0]["attempts"] == attempt).await;
            let spread = micros(&found[0]["next_attempt_at"]) - micros(&found[0]["last_attempt_at"]) - wait * 1_000_000;
            assert!((0..=wait * 200_000).contains(&spread), "{attempt}: {found:?}");
            assert_eq!((&found[0]["status"], &found[0]["error"]), (&json!("pending"), &json!("status")));
            next_attempt(&app, &clock, &path).await;
        }
        let found = settled(&app, &path, all_are("failed", 1)).await;
        assert_eq!((&found[0]["attempts"], found[0].get("next_attempt_at")), (&json!(10), None));
        let ids: HashSet<_> = receiver.so_far().iter().map(|heard| heard.id().to_owned()).collect();
        assert_eq!((receiver.so_far().len(), ids.len()), (10, 1));
    }

    async fn a_receiver_may_ask_for_time(database: Database) {
        let (app, _) = start(database);
        let receiver = Receiver::start(|_| Answer::Status("503 Later", "retry-after: 600\r\n")).await;
        let (path, _) = endpoint(&app, &receiver, &json!({})).await;
        new_game(&app).await;
        let found = settled(&app, &path, |found| found.len() == 1 && found[0]["attempts"] == 1).await;
        let wait = micros(&found[0]["next_attempt_at"]) - micros(&found[0]["last_attempt_at"]);
        assert!((600_000_000..=720_000_000).contains(&wait), "{wait}");
    }

    async fn a_games_events_wait_for_each_other_and_other_games_do_not(database: Database) {
        let (app, _) = start(database);
        let receiver = Receiver::start(|heard| if heard.number() == 1 { Answer::Gate } else { OK }).await;
        let (path, _) = endpoint(&app, &receiver, &json!({})).await;
        let mut games = Vec::new();
        for _ in 0..3 {
            let game = new_game(&app).await;
            play(&app, &game, 3).await;
            games.push(game);
        }
        // The first event of each is in flight, and nothing else was begun.
        let first = receiver.heard(3).await;
        assert!(first.iter().all(|heard| heard.number() == 1), "{first:?}");
        assert_eq!(deliveries(&app, &path).await.iter().filter(|one| one.get("next_attempt_at").is_some()).count(), 3);
        receiver.open_gate();
        let all = receiver.heard(12).await;
        for game in games {
            let numbers: Vec<_> = all.iter().filter(|heard| game.ends_with(&heard.game())).map(Heard::number).collect();
            assert_eq!(numbers, [1, 2, 3, 4]);
        }
    }

    async fn after_three_attempts_later_events_pass(database: Database) {
        let (app, clock) = start(database);
        let receiver = Receiver::start(|heard| if heard.number() == 1 { BROKEN } else { OK }).await;
        let (path, _) = endpoint(&app, &receiver, &json!({})).await;
        let game = new_game(&app).await;
        play(&app, &game, 2).await;
        for attempts in 1..3 {
            let found = settled(&app, &path, |found| found.len() == 3 && found[2]["attempts"] == attempts).await;
            assert!(found[..2].iter().all(|one| one["attempts"] == 0 && one.get("next_attempt_at").is_none()), "{found:?}");
            clock.advance_to(found[2]["next_attempt_at"].as_str().unwrap());
            poke(&app, &path);
        }
        let found = settled(&app, &path, |found| found[0]["status"] == "delivered").await;
        assert_eq!((&found[1]["status"], &found[2]["status"]), (&json!("delivered"), &json!("pending")));
        let numbers: Vec<_> = receiver.so_far().iter().map(Heard::number).collect();
        assert_eq!(numbers, [1, 1, 1, 2, 3]);
    }

    async fn a_dead_endpoint_delays_nobody_else(database: Database) {
        let (app, _) = start(database);
        let (dead, live) = (Receiver::start(|_| Answer::Never).await, Receiver::ok().await);
        endpoint(&app, &dead, &json!({})).await;
        let (path, _) = endpoint(&app, &live, &json!({})).await;
        for _ in 0..12 {
            let game = new_game(&app).await;
            play(&app, &game, 2).await;
        }
        // The dead one has all it gets at once in flight, long before any of that is given up.
        dead.heard(8).await;
        settled(&app, &path, all_are("delivered", 36)).await;
        assert_eq!(live.so_far().len(), 36);
        assert_eq!(dead.so_far().len(), 8);
    }

    async fn a_redirect_is_not_followed(database: Database) {
        let (app, _) = start(database);
        let elsewhere = Receiver::ok().await;
        let header: &'static str = format!("location: {}\r\n", elsewhere.url()).leak();
        let receiver = Receiver::start(move |_| Answer::Status("307 Temporary Redirect", header)).await;
        let (path, _) = endpoint(&app, &receiver, &json!({})).await;
        new_game(&app).await;
        let found = settled(&app, &path, |found| found.len() == 1 && found[0]["attempts"] == 1).await;
        assert_eq!((&found[0]["error"], &found[0]["response_status"]), (&json!("redirect"), &json!(307)));
        assert_eq!(elsewhere.so_far().len(), 0);
    }

    async fn who_is_gone_is_disabled_and_goes_on_when_enabled(database: Database) {
        let (app, clock) = start(database);
        let receiver = Receiver::start(|_| Answer::Status("410 Gone", "")).await;
        let (path, _) = endpoint(&app, &receiver, &json!({})).await;
        let game = new_game(&app).await;
        receiver.heard(1).await;
        settled(&app, &path, |found| found.len() == 1 && found[0]["attempts"] == 1).await;
        let webhook = app.get(&path).await.json();
        assert_eq!((&webhook["enabled"], &webhook["disabled_reason"]), (&json!(false), &json!("gone")));
        play(&app, &game, 2).await;
        receiver.answer(|_| OK);
        clock.advance(Duration::from_hours(1));
        let enabled = patch(&app, &path, &json!({"enabled": true})).await.json();
        assert_eq!((&enabled["enabled"], enabled.get("disabled_reason"), enabled.get("failing_since")), (&json!(true), None, None));
        settled(&app, &path, all_are("delivered", 3)).await;
        let numbers: Vec<_> = receiver.so_far().iter().map(Heard::number).collect();
        assert_eq!(numbers, [1, 1, 2, 3]);
    }

    async fn who_takes_nothing_for_four_days_is_disabled(database: Database) {
        let (app, clock) = start(database);
        let receiver = Receiver::start(|_| BROKEN).await;
        let (path, _) = endpoint(&app, &receiver, &json!({"events": ["game.created"]})).await;
        new_game(&app).await;
        settled(&app, &path, |found| found.len() == 1 && found[0]["attempts"] == 1).await;
        assert!(app.get(&path).await.json()["failing_since"].is_string());
        clock.advance(Duration::from_hours(4 * 24));
        poke(&app, &path);
        settled(&app, &path, |found| found[0]["attempts"] == 2).await;
        let webhook = app.get(&path).await.json();
        assert_eq!((&webhook["enabled"], &webhook["disabled_reason"]), (&json!(false), &json!("failing")));
    }

    async fn only_what_is_wanted_is_posted_and_only_while_enabled(database: Database) {
        let (app, _) = start(database);
        let receiver = Receiver::ok().await;
        let (path, _) = endpoint(&app, &receiver, &json!({"events": ["game.step"], "enabled": false})).await;
        let game = new_game(&app).await;
        play(&app, &game, 2).await;
        assert_eq!(deliveries(&app, &path).await.len(), 0);
        patch(&app, &path, &json!({"enabled": true})).await;
        let numbers = async |count| {
            settled(&app, &path, all_are("delivered", count)).await;
            receiver.so_far().iter().map(Heard::number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(2).await, [2, 3], "what happened meanwhile is made good");
        patch(&app, &path, &json!({"events": []})).await;
        app.post(&format!("{game}/resignation"), &json!({"seat": "north"})).await;
        assert_eq!(numbers(3).await, [2, 3, 4]);
    }

    async fn an_endpoint_that_moves_gets_what_is_pending(database: Database) {
        let (app, clock) = start(database);
        let (broken, live) = (Receiver::start(|_| BROKEN).await, Receiver::ok().await);
        let (path, _) = endpoint(&app, &broken, &json!({})).await;
        new_game(&app).await;
        settled(&app, &path, |found| found.len() == 1 && found[0]["attempts"] == 1).await;
        patch(&app, &path, &json!({"url": live.url()})).await;
        next_attempt(&app, &clock, &path).await;
        settled(&app, &path, all_are("delivered", 1)).await;
        assert_eq!(live.so_far()[0].id(), broken.so_far()[0].id());
        assert!(app.get(&path).await.json().get("failing_since").is_none());
    }

    async fn many_events_of_many_games_come_once_each(database: Database) {
        let (app, _) = start(database);
        let receiver = Receiver::ok().await;
        let game = new_game(&app).await;
        let (path, _) = endpoint(&app, &receiver, &json!({"enabled": false})).await;
        // More than one batch, at once.
        for _ in 0..120 {
            new_game(&app).await;
        }
        play(&app, &game, 3).await;
        patch(&app, &path, &json!({"enabled": true})).await;
        let heard = receiver.heard(123).await;
        let ids: HashSet<_> = heard.iter().map(|heard| heard.id().to_owned()).collect();
        assert_eq!((heard.len(), ids.len()), (123, 123));
    }
}
