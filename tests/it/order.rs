//! The order of checks of a move: of any two things wrong with a request, the published first is told.

use crate::app::{TestApp, on_both_databases};
use crate::portal::{NewKey, key, revoke};
use serde_json::{Map, Value, json};

/// A move that would be made, until something is done to it.
#[derive(Clone)]
struct Post {
    authorization: String,
    path: String,
    key: Option<&'static str>,
    if_match: Option<&'static str>,
    body: Map<String, Value>,
}

/// What a fault is done to; two faults of one part can't be had at once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Credential,
    Game,
    Key,
    IfMatch,
    Version,
    Seat,
    Move,
    Other,
}

/// Something wrong, or a repeat, and what is answered when it is all there is.
struct Fault {
    name: &'static str,
    parts: &'static [Part],
    answer: (u16, &'static str),
    apply: Box<dyn Fn(&mut Post)>,
}

fn fault(
    name: &'static str,
    parts: &'static [Part],
    answer: (u16, &'static str),
    apply: impl Fn(&mut Post) + 'static,
) -> Fault {
    Fault { name, parts, answer, apply: Box::new(apply) }
}

/// Everything in place: a portal with a game in which South has played `a`, the same game resigned, and what is not
/// the portal's.
struct Scene {
    post: Post,
    games: [String; 2],
    faults: Vec<Fault>,
}

const REPEATED: (u16, &str) = (200, "");

async fn scene(app: &TestApp) -> Scene {
    let (_, play) = key(app, NewKey::play("club")).await;
    let (_, read) = key(app, NewKey { scope: "read", ..NewKey::play("club") }).await;
    let (unknown_id, unknown) = key(app, NewKey::play("cafe")).await;
    let (_, foreign) = key(app, NewKey::play("cafe")).await;
    revoke(app, &unknown_id).await;
    let (open, over) = (begun(app, &play).await, begun(app, &play).await);
    let resigned = app
        .post_with(&format!("{over}/resignation"), &json!({"seat": "north"}), &[("authorization", &play)])
        .await;
    assert_eq!(resigned.status, 200);
    let other = begun(app, &foreign).await;
    let post = Post {
        authorization: play,
        path: format!("{open}/moves"),
        key: None,
        if_match: None,
        body: json!({"move": "A", "expected_version": 1}).as_object().unwrap().clone(),
    };
    let (over_path, other_path) = (format!("{over}/moves"), format!("{other}/moves"));
    let faults = vec![
        fault("a member too many", &[Part::Other], (400, "invalid_body"), |post| {
            drop(post.body.insert("x".into(), json!(1)));
        }),
        fault("a revoked key", &[Part::Credential], (401, "unauthorized"), move |post| {
            post.authorization.clone_from(&unknown);
        }),
        // No answer can be kept under a path that was never in reach.
        fault("another's game", &[Part::Game, Part::Key], (404, "game_not_found"), move |post| {
            post.path.clone_from(&other_path);
        }),
        fault("a key that reads", &[Part::Credential], (403, "read_only"), move |post| {
            post.authorization.clone_from(&read);
        }),
        fault("a key for another body", &[Part::Key], (422, "idempotency_key_reused"), |post| {
            post.key = Some("used");
        }),
        fault("a repeat", &[Part::Version, Part::Move, Part::Seat], REPEATED, |post| {
            post.body.extend(
                json!({"move": "a", "seat": "south", "expected_version": 0}).as_object().unwrap().clone(),
            );
        }),
        fault("nobody's seat", &[Part::Seat], (403, "wrong_seat"), |post| {
            drop(post.body.insert("seat".into(), json!("west")));
        }),
        fault("an ended game", &[Part::Game], (409, "game_over"), move |post| {
            post.path.clone_from(&over_path);
        }),
        fault("If-Match", &[Part::IfMatch], (412, "precondition_failed"), |post| {
            post.if_match = Some("\"v9\"");
        }),
        fault("expected_version", &[Part::Version], (409, "version_conflict"), |post| {
            drop(post.body.insert("expected_version".into(), json!(9)));
        }),
        fault("the other's turn", &[Part::Seat], (409, "not_your_turn"), |post| {
            drop(post.body.insert("seat".into(), json!("south")));
        }),
        fault("an illegal move", &[Part::Move], (422, "illegal_move"), |post| {
            drop(post.body.insert("move".into(), json!("b")));
        }),
    ];
    Scene { post, games: [open, over], faults }
}

/// A game after South's `a`, made under the key `used`.
async fn begun(app: &TestApp, authorization: &str) -> String {
    let created =
        app.post_with("/games", &json!({"rules": "kauri"}), &[("authorization", authorization)]).await;
    let game = created.header("location").to_owned();
    let headers = [("authorization", authorization), ("idempotency-key", "used")];
    assert_eq!(app.post_with(&format!("{game}/moves"), &json!({"move": "a"}), &headers).await.status, 201);
    game
}

async fn answer(app: &TestApp, post: &Post) -> (u16, String) {
    let mut headers = vec![("authorization", post.authorization.as_str())];
    headers.extend(post.key.map(|key| ("idempotency-key", key)));
    headers.extend(post.if_match.map(|tag| ("if-match", tag)));
    let reply = app.post_with(&post.path, &Value::from(post.body.clone()), &headers).await;
    let code = if reply.status < 400 { String::new() } else { reply.code() };
    (reply.status, code)
}

on_both_databases! {
    async fn of_any_two_faults_the_earlier_is_told(app: TestApp) {
        let Scene { post, games, faults } = scene(&app).await;
        let mut pairs = 0;
        for (index, first) in faults.iter().enumerate() {
            let mut alone = post.clone();
            (first.apply)(&mut alone);
            assert_eq!(answer(&app, &alone).await, (first.answer.0, first.answer.1.to_owned()), "{}", first.name);
            for second in &faults[index + 1..] {
                if first.parts.iter().any(|part| second.parts.contains(part)) {
                    continue;
                }
                let mut both = post.clone();
                (first.apply)(&mut both);
                (second.apply)(&mut both);
                let expected = (first.answer.0, first.answer.1.to_owned());
                assert_eq!(answer(&app, &both).await, expected, "{} and {}", first.name, second.name);
                pairs += 1;
            }
        }
        assert_eq!(pairs, 58, "every pair that can be had at once");
        for game in games {
            let now = app.get_with(&game, &[("authorization", &post.authorization)]).await.json();
            assert_eq!(now["version"], 1, "nothing was written");
        }
        assert_eq!(answer(&app, &post).await, (201, String::new()), "and nothing else was in the way");
    }

    async fn a_strict_portal_wants_a_condition_or_a_key(app: TestApp) {
        let Scene { post, faults, .. } = scene(&app).await;
        assert!(app.beside().await.store.set_strict("club", true).await.unwrap());
        let mut bare = post.clone();
        bare.body.remove("expected_version");
        let required = (428, "precondition_required".to_owned());
        assert_eq!(answer(&app, &bare).await, required);
        let mut after = false;
        for fault in &faults {
            if fault.parts.iter().any(|part| matches!(part, Part::Version | Part::Key | Part::IfMatch)) {
                after |= fault.name == "a repeat";
                continue;
            }
            let mut both = bare.clone();
            (fault.apply)(&mut both);
            let expected = if after { required.clone() } else { (fault.answer.0, fault.answer.1.to_owned()) };
            assert_eq!(answer(&app, &both).await, expected, "{}", fault.name);
        }
        for (key, if_match) in [(Some("new"), None), (None, Some("\"v9\""))] {
            let (status, _) = answer(&app, &Post { key, if_match, body: json!({"move": "zz"}).as_object().unwrap().clone(), ..post.clone() }).await;
            assert!(matches!(status, 412 | 422), "{status}");
        }
        let game = post.path.trim_end_matches("/moves");
        for end in ["resignation", "abort"] {
            let reply = app.post_with(&format!("{game}/{end}"), &json!({}), &[("authorization", &post.authorization)]).await;
            assert_eq!((reply.status, reply.code()), required, "{end}");
        }
    }
}
