//! Who may do what: every operation of the spec with every kind of credential.

use crate::app::{Reply, SPEC, TestApp, on_both_databases};
use crate::portal::{NewKey, bearer, key, revoke, seat_tokens};
use kauri::timestamp::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};

/// An operation to be tried, on a game that is there.
struct Try {
    id: String,
    method: Method,
    path: String,
    body: Option<Value>,
}

/// Every operation that asks for a credential, from the spec alone.
fn tries(game: &str) -> Vec<Try> {
    let guarded =
        |value: &Value| value["security"].as_array().unwrap().iter().any(|s| s.get("bearer").is_some());
    SPEC.operations()
        .filter(|operation| guarded(operation.value))
        .map(|operation| {
            let examples = &operation.value["requestBody"]["content"]["application/json"]["examples"];
            let example = examples.as_object().and_then(|all| Some(all.values().next()?["value"].clone()));
            Try {
                id: operation.value["operationId"].as_str().unwrap().to_owned(),
                method: operation.method.clone(),
                path: operation.path.replace("{id}", game).replace("{ply}", "0"),
                body: example,
            }
        })
        .collect()
}

async fn attempt(app: &TestApp, what: &Try, authorization: Option<&str>) -> Reply {
    let mut headers = vec![];
    headers.extend(authorization.map(|value| ("authorization", value)));
    headers.extend(what.body.as_ref().map(|_| ("content-type", "application/json")));
    let body = what.body.as_ref().map(|body| body.to_string().into_bytes());
    app.send(what.method.clone(), &what.path, &headers, body).await
}

/// Everything the portal can see.
async fn seen(app: &TestApp, authorization: &str) -> Vec<Value> {
    let games = app.get_with("/games?limit=100", &[("authorization", authorization)]).await.json();
    let mut seen = vec![games.clone()];
    for game in games["items"].as_array().unwrap() {
        let log = format!("/games/{}/moves", game["id"].as_str().unwrap());
        seen.push(app.get_with(&log, &[("authorization", authorization)]).await.json());
    }
    seen
}

on_both_databases! {
    async fn every_operation_refuses_every_credential_that_is_none(app: TestApp) {
        let (_, club) = key(&app, NewKey::play("club")).await;
        let (revoked_id, revoked) = key(&app, NewKey::play("club")).await;
        revoke(&app, &revoked_id).await;
        let (_, expired) = key(&app, NewKey { expires_at: Some(Timestamp(1)), ..NewKey::play("club") }).await;
        let created = app.post_with("/games", &json!({"rules": "kauri"}), &[("authorization", &club)]).await;
        let game = created.json()["id"].as_str().unwrap().to_owned();
        let wrong_secret = |good: &str| {
            let flipped = if good.ends_with('0') { '1' } else { '0' };
            format!("{}{flipped}", &good[..good.len() - 1])
        };
        let seat = &seat_tokens(&created.json())[0];
        let nobody = "kauri_st_00000000000000000000000000000000s_".to_owned() + &"0".repeat(64);
        let credentials = [
            ("none", None),
            ("malformed", Some("Bearer nonsense".to_owned())),
            ("of another scheme", Some(club.replace("Bearer", "Basic"))),
            ("unknown", Some(bearer(&format!("kauri_pk_{}_{}", "0".repeat(16), "0".repeat(64))))),
            ("with a wrong secret", Some(wrong_secret(&club))),
            ("a seat with a wrong secret", Some(wrong_secret(seat))),
            ("a seat of no game", Some(bearer(&nobody))),
            ("revoked", Some(revoked)),
            ("expired", Some(expired)),
        ];
        let before = seen(&app, &club).await;
        let tries = tries(&game);
        assert!(tries.len() >= 9, "the spec says which operations ask for a credential");
        for what in &tries {
            let mut bodies = Vec::new();
            for (kind, authorization) in &credentials {
                let reply = attempt(&app, what, authorization.as_deref()).await;
                assert_eq!((reply.status, reply.code()), (401, "unauthorized".to_owned()), "{} {kind}", what.id);
                assert_eq!(reply.header("www-authenticate"), "Bearer");
                let mut body = reply.json();
                body["request_id"].take();
                bodies.push(body);
            }
            assert!(bodies.iter().all(|body| *body == bodies[0]), "nothing is told apart");
        }
        assert_eq!(seen(&app, &club).await, before, "nothing was changed");
    }

    async fn another_portals_game_is_no_game(app: TestApp) {
        let (_, club) = key(&app, NewKey::play("club")).await;
        let (_, cafe) = key(&app, NewKey::play("cafe")).await;
        let created = app.post_with("/games", &json!({"rules": "kauri"}), &[("authorization", &club)]).await;
        let stranger = app.post_with("/games", &json!({"rules": "kauri"}), &[("authorization", &cafe)]).await;
        let stranger_seat = &seat_tokens(&stranger.json())[0];
        let game = created.json()["id"].as_str().unwrap().to_owned();
        let before = seen(&app, &club).await;
        for (real, unknown) in tries(&game).iter().zip(&tries("01937a5e-0000-7000-8000-0000000000ff")) {
            if !real.path.starts_with(&format!("/games/{game}")) {
                continue;
            }
            for authorization in [&cafe, stranger_seat] {
                let (mine, none) = (attempt(&app, real, Some(authorization)).await, attempt(&app, unknown, Some(authorization)).await);
                assert_eq!((mine.status, mine.code()), (404, "game_not_found".to_owned()), "{}", real.id);
                let plain = |reply: &Reply| {
                    let mut body = reply.json();
                    body["request_id"].take();
                    (reply.status, body)
                };
                assert_eq!(plain(&mine), plain(&none), "{}: not told from a game that is not there", real.id);
            }
        }
        assert_eq!(seen(&app, &club).await, before);
        let others = app.get_with("/games", &[("authorization", &cafe)]).await.json();
        assert_eq!(others["items"].as_array().unwrap().len(), 1, "its own only");
    }

    async fn a_key_that_reads_changes_nothing(app: TestApp) {
        let (_, club) = key(&app, NewKey::play("club")).await;
        let (_, read) = key(&app, NewKey { scope: "read", ..NewKey::play("club") }).await;
        let created = app.post_with("/games", &json!({"rules": "kauri"}), &[("authorization", &club)]).await;
        let before = seen(&app, &club).await;
        for what in tries(created.json()["id"].as_str().unwrap()) {
            let reply = attempt(&app, &what, Some(&read)).await;
            match what.method {
                Method::GET if what.path.ends_with("/moves/0") => assert_eq!(reply.code(), "ply_not_found"),
                Method::GET if what.path.starts_with("/webhooks/") => assert_eq!(reply.code(), "webhook_not_found"),
                Method::GET => assert_eq!(reply.status, 200, "{}", what.id),
                _ => assert_eq!((reply.status, reply.code()), (403, "read_only".to_owned()), "{}", what.id),
            }
        }
        assert_eq!(seen(&app, &club).await, before);
    }

    async fn a_seat_token_acts_for_its_seat_alone(app: TestApp) {
        let (_, club) = key(&app, NewKey::play("club")).await;
        let created = app.post_with("/games", &json!({"rules": "kauri"}), &[("authorization", &club)]).await.json();
        let game = format!("/games/{}", created["id"].as_str().unwrap());
        let [south, north] = &seat_tokens(&created)[..] else { panic!("two seats") };
        let post = async |authorization: &str, path: &str, body: &Value| {
            app.post_with(&format!("{game}{path}"), body, &[("authorization", authorization)]).await
        };
        let early = post(north, "/moves", &json!({"move": "A"})).await;
        assert_eq!((early.status, early.code()), (409, "not_your_turn".to_owned()));
        let other = post(north, "/moves", &json!({"move": "a", "seat": "south"})).await;
        assert_eq!((other.status, other.code()), (403, "wrong_seat".to_owned()));
        assert_eq!(post(south, "/moves", &json!({"move": "a"})).await.status, 201);
        assert_eq!(post(north, "/moves", &json!({"move": "A", "seat": "north"})).await.status, 201);
        for (path, body) in [("/abort", json!({})), ("", json!({"rules": "kauri"}))] {
            let reply = if path.is_empty() {
                app.post_with("/games", &body, &[("authorization", south)]).await
            } else {
                post(south, path, &body).await
            };
            assert_eq!((reply.status, reply.code()), (403, "portal_only".to_owned()), "{path}");
        }
        let list = app.get_with("/games", &[("authorization", south)]).await;
        assert_eq!((list.status, list.code()), (403, "portal_only".to_owned()));
        for path in ["", "/moves", "/moves/1", "/states/1"] {
            assert_eq!(app.get_with(&format!("{game}{path}"), &[("authorization", north)]).await.status, 200, "{path}");
        }
        let wrong = post(north, "/resignation", &json!({"seat": "south"})).await;
        assert_eq!((wrong.status, wrong.code()), (403, "wrong_seat".to_owned()));
        let resigned = post(north, "/resignation", &json!({})).await.json();
        assert_eq!(resigned["position"]["result"]["winner"], "south");
    }

    async fn a_service_without_keys_is_open_until_the_first_is_made(app: TestApp) {
        assert_eq!(app.post("/games", &json!({"rules": "kauri"})).await.status, 201);
        let (id, club) = key(&app, NewKey::play("club")).await;
        let shut = app.get("/games").await;
        assert_eq!((shut.status, shut.code()), (401, "unauthorized".to_owned()));
        let own = app.get_with("/games", &[("authorization", &club)]).await.json();
        assert_eq!(own["items"], json!([]), "what was made before belongs to the portal `local`");
        revoke(&app, &id).await;
        assert_eq!(app.get("/games").await.status, 401, "revoking the last key opens nothing");
        assert_eq!(app.get("/rules").await.status, 200, "the rules are nobody's");
    }
}
