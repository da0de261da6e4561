//! The delivery log, redelivery and tests.

use super::receiver::{Answer, BROKEN, OK, Receiver};
use super::{all_are, deliveries, endpoint, new_game, patch, play, settled, start};
use crate::app::{Database, TestApp, on_both_databases};
use serde_json::{Value, json};
use std::time::Duration;

async fn redeliver(app: &TestApp, path: &str, delivery: &str) -> crate::app::Reply {
    app.post_nothing(&format!("{path}/deliveries/{delivery}/redeliver")).await
}

fn numbers(page: &Value) -> Vec<i64> {
    page["items"].as_array().unwrap().iter().map(|one| one["number"].as_i64().unwrap()).collect()
}

on_both_databases! {
    async fn deliveries_are_paged_newest_first_and_filtered(database: Database) {
        let (app, _) = start(database);
        let receiver = Receiver::start(|heard| if heard.number() == 5 { BROKEN } else { OK }).await;
        let (path, _) = endpoint(&app, &receiver, &json!({})).await;
        let game = new_game(&app).await;
        play(&app, &game, 4).await;
        settled(&app, &path, |found| found.len() == 5 && found[0]["attempts"] == 1).await;
        let first = app.get(&format!("{path}/deliveries?limit=2")).await;
        assert_eq!(numbers(&first.json()), [5, 4]);
        let second = app.get(&first.link_next().unwrap()).await;
        assert_eq!(numbers(&second.json()), [3, 2]);
        let cursor = second.json()["next"].as_str().unwrap().to_owned();
        let third = app.get(&format!("{path}/deliveries?limit=2&cursor={cursor}")).await;
        assert_eq!((numbers(&third.json()), third.link_next()), (vec![1], None));
        for (status, expected) in [("delivered", vec![4, 3, 2, 1]), ("pending", vec![5]), ("failed", vec![])] {
            let page = app.get(&format!("{path}/deliveries?status={status}")).await;
            assert_eq!(numbers(&page.json()), expected, "{status}");
        }
        let page = app.get(&format!("{path}/deliveries?status=delivered&limit=2")).await;
        let page = app.get(&page.link_next().unwrap()).await;
        assert_eq!((numbers(&page.json()), page.link_next()), (vec![2, 1], None));
        for (query, pointer) in [("status=done", "/status"), ("limit=0", "/limit"), ("limit=101", "/limit"), ("cursor=x", "/cursor"), ("x=1", "/x")] {
            let reply = app.get(&format!("{path}/deliveries?{query}")).await;
            assert_eq!((reply.status, reply.code().as_str(), reply.pointers()), (400, "invalid_query", vec![pointer.to_owned()]));
        }
    }

    async fn what_was_delivered_comes_again_when_asked_for(database: Database) {
        let (app, _) = start(database);
        let receiver = Receiver::ok().await;
        let (path, _) = endpoint(&app, &receiver, &json!({})).await;
        new_game(&app).await;
        let found = settled(&app, &path, all_are("delivered", 1)).await;
        let id = found[0]["id"].as_str().unwrap();
        let again = redeliver(&app, &path, id).await;
        assert_eq!((again.status, &again.json()["status"], &again.json()["attempts"]), (202, &json!("pending"), &json!(0)));
        let heard = receiver.heard(2).await;
        assert_eq!((heard[0].id(), &heard[0].text), (heard[1].id(), &heard[1].text));
        settled(&app, &path, all_are("delivered", 1)).await;
        patch(&app, &path, &json!({"enabled": false})).await;
        let refused = redeliver(&app, &path, id).await;
        assert_eq!((refused.status, refused.code().as_str()), (409, "webhook_disabled"));
        for unknown in ["x", "msg_1", &id.replace("msg_", "msg_0"), &format!("{id}9"), "%20"] {
            let reply = redeliver(&app, &path, unknown).await;
            assert_eq!((reply.status, reply.code().as_str()), (404, "delivery_not_found"), "{unknown}");
        }
    }

    async fn what_waits_can_be_hurried(database: Database) {
        let (app, _) = start(database);
        let receiver = Receiver::start(|_| BROKEN).await;
        let (path, _) = endpoint(&app, &receiver, &json!({})).await;
        let game = new_game(&app).await;
        play(&app, &game, 1).await;
        let found = settled(&app, &path, |found| found.len() == 2 && found[1]["attempts"] == 1).await;
        receiver.answer(|_| OK);
        // The second passes the first, which is delivered next; nothing is left waiting behind either.
        redeliver(&app, &path, found[0]["id"].as_str().unwrap()).await;
        settled(&app, &path, |found| found[0]["status"] == "delivered").await;
        redeliver(&app, &path, found[1]["id"].as_str().unwrap()).await;
        settled(&app, &path, all_are("delivered", 2)).await;
        play(&app, &game, 1).await;
        settled(&app, &path, all_are("delivered", 3)).await;
    }

    async fn a_test_tells_what_came_of_it(database: Database) {
        let (app, _) = start(database);
        let receiver = Receiver::ok().await;
        let (path, secret) = endpoint(&app, &receiver, &json!({"enabled": false})).await;
        let test = async || app.post_nothing(&format!("{path}/test")).await.json();
        let tested = test().await;
        assert_eq!((&tested["delivered"], &tested["response_status"], tested.get("error")), (&json!(true), &json!(200), None));
        let heard = receiver.heard(1).await.remove(0);
        assert_eq!((heard.id(), heard.signed_by(&secret)), (tested["id"].as_str().unwrap(), 1));
        assert_eq!((&heard.json()["type"], heard.json()["data"]["webhook_id"].as_str()), (&json!("webhook.test"), path.rsplit('/').next()));
        receiver.answer(|_| Answer::Status("404 Not Found", ""));
        let tested = test().await;
        assert_eq!((&tested["delivered"], &tested["response_status"], &tested["error"]), (&json!(false), &json!(404), &json!("status")));
        drop(receiver);
        let tested = test().await;
        assert_eq!((tested.get("response_status"), &tested["error"]), (None, &json!("connect")));
        assert_eq!(deliveries(&app, &path).await.len(), 0);
    }

    async fn what_is_finished_is_forgotten_after_a_while(database: Database) {
        let (app, clock) = start(database);
        let receiver = Receiver::start(|heard| if heard.number() == 2 { BROKEN } else { OK }).await;
        let (path, _) = endpoint(&app, &receiver, &json!({})).await;
        let game = new_game(&app).await;
        play(&app, &game, 1).await;
        settled(&app, &path, |found| found.len() == 2 && found[0]["attempts"] == 1).await;
        patch(&app, &path, &json!({"enabled": false})).await;
        clock.advance(Duration::from_hours(24 * 30));
        let context = app.beside().await;
        kauri::chores::once(&context).await;
        let left = deliveries(&app, &path).await;
        assert_eq!(left.iter().map(|one| one["number"].as_i64().unwrap()).collect::<Vec<_>>(), [2], "what is pending stays");
        assert_eq!(app.send(reqwest::Method::DELETE, &path, &[], None).await.status, 204);
        kauri::chores::once(&context).await;
        assert_eq!(context.store.sweep_webhooks().await.unwrap(), 0, "nothing is left to be swept");
    }

    async fn deliveries_are_counted(database: Database) {
        let (app, clock) = start(database);
        let receiver = Receiver::start(|_| BROKEN).await;
        let (path, _) = endpoint(&app, &receiver, &json!({})).await;
        new_game(&app).await;
        settled(&app, &path, |found| found.len() == 1 && found[0]["attempts"] == 1).await;
        clock.advance(Duration::from_secs(3));
        let context = app.beside().await;
        assert_eq!(context.store.oldest_delivery().await.unwrap().map(|at| at.plus(Duration::from_secs(3))), Some(kauri::context::World::now(&*clock)));
        let counts = app.get("/metrics").await.body;
        assert!(counts.contains("webhook_deliveries_total{status=\"pending\"}"), "{counts}");
    }
}
