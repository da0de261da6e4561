//! The rules as functions of posted states, with a database and without.

use crate::app::{Reply, TestApp, on_both_databases};
use kauri_rules::RulesId;
use serde_json::{Value, json};

/// The start position's state.
async fn start(app: &TestApp, rules: RulesId) -> Value {
    let reply = app.post(&format!("/rules/{rules}/initial"), &json!({})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["state"].clone()
}

/// A state two beads from the end: South, with 30 in store, takes the last pit of North.
fn nearly_over() -> Value {
    let pit = |beads: u8, cowries: u8| json!({"beads": beads, "cowries": cowries});
    let empty = pit(0, 0);
    json!({"rules": "kauri", "to_move": "south", "kauri": {
        "south": {"pits": [empty, empty, empty, empty, empty, pit(0, 1)], "store": 30},
        "north": {"pits": [pit(2, 0), pit(0, 11), empty, empty, empty, empty], "store": 28},
    }})
}

/// A tie-break: no beads on the board, 30 in each store.
fn tie_break() -> Value {
    let side = json!({"pits": vec![json!({"beads": 0, "cowries": 1}); 6], "store": 30});
    json!({"rules": "kauri", "to_move": "south", "kauri": {"south": side, "north": side}})
}

/// Every row of the table, for one game. The database is not looked at.
async fn answer_every_row(app: &TestApp, rules: RulesId) {
    let path = |row: &str| format!("/rules/{rules}/{row}");
    let about = app.get(&format!("/rules/{rules}")).await;
    assert_eq!((about.status, &about.json()["rules"]), (200, &json!(rules.as_str())));
    let state = start(app, rules).await;
    let position = app.post(&path("legal-moves"), &json!({"state": state})).await.json();
    assert_eq!(position["state"], state);
    let first = position["legal_moves"][0].clone();
    let step = json!({"state": state, "move": first});
    assert_eq!(app.post(&path("validate"), &step).await.json(), json!({"legal": true}));
    let applied = app.post(&path("apply"), &step).await;
    assert_eq!(applied.status, 200, "{applied:?}");
    let replayed = app.post(&path("replay"), &json!({"state": state, "moves": [first]})).await.json();
    let mut after = applied.json();
    let events = after.as_object_mut().unwrap().remove("events").unwrap();
    assert!(!events.as_array().unwrap().is_empty());
    assert_eq!(replayed["steps"], json!([{"move": first, "seat": state["to_move"], "events": events}]));
    for member in ["state", "phase", "legal_moves"] {
        assert_eq!(replayed[member], after[member]);
    }
}

on_both_databases! {
    async fn every_row_answers(app: TestApp) {
        for rules in RulesId::ALL {
            answer_every_row(&app, rules).await;
        }
    }

    async fn every_row_answers_with_the_database_down(app: TestApp) {
        app.context.store.close().await;
        let ready = app.get("/readyz").await;
        assert_eq!((ready.status, ready.code(), ready.header("retry-after")), (503, "unavailable".to_owned(), "1"));
        assert_eq!(app.get("/healthz").await.status, 200);
        for rules in RulesId::ALL {
            answer_every_row(&app, rules).await;
        }
    }

    async fn a_ready_service_says_so(app: TestApp) {
        assert_eq!(app.get("/readyz").await.json(), json!({"status": "ready"}));
        assert_eq!(app.get("/healthz").await.json(), json!({"status": "ok"}));
    }
}

#[tokio::test]
async fn the_catalogue_lists_every_game() {
    let app = TestApp::sqlite().await;
    let list = app.get("/rules").await.json();
    let names: Vec<&str> =
        list["rules"].as_array().unwrap().iter().map(|r| r["rules"].as_str().unwrap()).collect();
    assert_eq!(names, RulesId::ALL.map(RulesId::as_str));
    let unknown = app.get("/rules/chess").await;
    assert_eq!((unknown.status, unknown.code()), (404, "unknown_rules".to_owned()));
}

#[tokio::test]
async fn a_start_takes_seats_and_options() {
    let app = TestApp::sqlite().await;
    let body =
        json!({"seats": ["north", "west", "south"], "options": {"route": "reversing", "extra_turn": true}});
    let position = app.post("/rules/ashta-kashte/initial", &body).await.json();
    let setup = &position["state"]["ashta_kashte"];
    let seats: Vec<&Value> = setup["seats"].as_array().unwrap().iter().map(|seat| &seat["seat"]).collect();
    assert_eq!(seats.len(), 3);
    assert_eq!(setup["options"]["route"], "reversing");
    assert_eq!(setup["options"]["extra_turn"], true);
    for bad in [
        json!({"seats": ["south"]}),
        json!({"options": {"route": "straight"}}),
        json!({"seats": ["south", "south"]}),
    ] {
        let refused = app.post("/rules/ashta-kashte/initial", &bad).await;
        assert_eq!((refused.status, refused.code()), (422, "invalid_options".to_owned()), "{bad}");
        assert!(!refused.pointers().is_empty());
    }
    let refused = app.post("/rules/kauri/initial", &json!({"options": {"places": true}})).await;
    assert_eq!(
        (refused.code(), refused.pointers()),
        ("invalid_options".to_owned(), vec!["/options/places".to_owned()])
    );
}

#[tokio::test]
async fn throws_are_listed_with_their_weights() {
    let app = TestApp::sqlite().await;
    let state = start(&app, RulesId::AshtaKashte).await;
    let position = app.post("/rules/ashta-kashte/legal-moves", &json!({"state": state})).await.json();
    assert_eq!(position["phase"], "throw");
    assert_eq!(position["legal_moves"], json!(["throw:1", "throw:2", "throw:3", "throw:4", "throw:8"]));
    let weights: Vec<u64> =
        position["outcomes"].as_array().unwrap().iter().map(|one| one["weight"].as_u64().unwrap()).collect();
    assert_eq!(weights, [4, 6, 4, 1, 1]);
    let thrown =
        app.post("/rules/ashta-kashte/apply", &json!({"state": state, "move": "throw:4"})).await.json();
    assert_eq!((&thrown["phase"], &thrown["state"]["ashta_kashte"]["throw"]), (&json!("move"), &json!(4)));
    let moving = app.post("/rules/ashta-kashte/legal-moves", &json!({"state": thrown["state"]})).await.json();
    assert_eq!((&moving["legal_moves"], moving.get("outcomes")), (&json!(["enter"]), None));
    let start = start_of_kauri(&app).await;
    assert_eq!(start.get("outcomes"), None);
}

async fn start_of_kauri(app: &TestApp) -> Value {
    let state = start(app, RulesId::Kauri).await;
    app.post("/rules/kauri/legal-moves", &json!({"state": state})).await.json()
}

#[tokio::test]
async fn an_illegal_move_is_an_answer_to_a_question_and_a_refusal_of_a_move() {
    let app = TestApp::sqlite().await;
    for (rules, step) in [
        (RulesId::Kauri, "A"),
        (RulesId::Kauri, "<script>"),
        (RulesId::AshtaKashte, "enter"),
        (RulesId::AshtaKashte, "throw"),
    ] {
        let state = start(&app, rules).await;
        let body = json!({"state": state, "move": step});
        let asked = app.post(&format!("/rules/{rules}/validate"), &body).await;
        assert_eq!((asked.status, &asked.json()["legal"]), (200, &json!(false)), "{step}");
        let refused = app.post(&format!("/rules/{rules}/apply"), &body).await;
        assert_eq!(
            (refused.status, refused.code(), refused.pointers()),
            (422, "illegal_move".to_owned(), vec!["/move".to_owned()])
        );
        let (asked, refused) = (asked.json(), refused.json());
        assert_eq!(asked["code"], refused["errors"][0]["code"]);
        assert_eq!((asked.get("clause"), &asked["message"]), (refused.get("clause"), &refused["detail"]));
        let legal = app.post(&format!("/rules/{rules}/legal-moves"), &json!({"state": state})).await.json();
        assert_eq!(
            (&refused["legal_moves"], &refused["to_move"]),
            (&legal["legal_moves"], &state["to_move"])
        );
    }
}

#[tokio::test]
async fn a_game_ends_with_a_result_and_takes_no_more() {
    let app = TestApp::sqlite().await;
    let end = app.post("/rules/kauri/apply", &json!({"state": nearly_over(), "move": "f"})).await;
    assert_eq!(end.status, 200, "{end:?}");
    let end = end.json();
    assert_eq!((&end["phase"], &end["legal_moves"]), (&json!("over"), &json!([])));
    assert_eq!((&end["result"]["winner"], &end["result"]["reason"]), (&json!("south"), &json!("majority")));
    let more = app.post("/rules/kauri/apply", &json!({"state": end["state"], "move": "a"})).await;
    assert_eq!(
        (more.status, more.code(), more.json().get("legal_moves")),
        (422, "illegal_move".to_owned(), None)
    );
    let view = app.post("/rules/kauri/legal-moves", &json!({"state": end["state"]})).await.json();
    assert_eq!(view["result"], end["result"]);
}

#[tokio::test]
async fn a_replay_is_many_moves_at_once() {
    let app = TestApp::sqlite().await;
    let mut state = start(&app, RulesId::Kauri).await;
    let mut steps = Vec::new();
    for step in ["b", "E", "f", "A"] {
        let applied = app.post("/rules/kauri/apply", &json!({"state": state, "move": step})).await.json();
        steps.push(json!({"move": step, "seat": state["to_move"], "events": applied["events"]}));
        state = applied["state"].clone();
    }
    let replayed = app.post("/rules/kauri/replay", &json!({"moves": ["b", "E", "f", "A"]})).await.json();
    assert_eq!((&replayed["state"], &replayed["steps"]), (&state, &Value::from(steps)));
    let nothing = app.post("/rules/kauri/replay", &json!({"moves": []})).await.json();
    assert_eq!((&nothing["state"], &nothing["steps"]), (&start(&app, RulesId::Kauri).await, &json!([])));
}

#[tokio::test]
async fn a_replay_names_the_first_move_that_cant_be_made() {
    let app = TestApp::sqlite().await;
    let refused = app.post("/rules/kauri/replay", &json!({"moves": ["b", "E", "E", "<b>"]})).await;
    assert_eq!(
        (refused.status, refused.code(), refused.pointers()),
        (422, "illegal_move".to_owned(), vec!["/moves/2".to_owned()])
    );
    assert_eq!(refused.json()["clause"], "K3");
}

#[tokio::test]
async fn a_replay_starts_in_one_way_only_and_has_a_length() {
    let app = TestApp::sqlite().await;
    let state = start(&app, RulesId::AshtaKashte).await;
    let refused = async |body: Value| -> Reply { app.post("/rules/ashta-kashte/replay", &body).await };
    for extra in [json!({"seats": ["south", "north"]}), json!({"options": {}})] {
        let mut body = json!({"state": state, "moves": []});
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let reply = refused(body).await;
        assert_eq!(
            (reply.status, reply.code(), reply.pointers()),
            (422, "invalid_options".to_owned(), vec!["/state".to_owned()])
        );
    }
    let reply = refused(json!({"seats": ["south"], "moves": []})).await;
    assert_eq!((reply.status, reply.code()), (422, "invalid_options".to_owned()));
    let reply = refused(json!({"moves": vec!["throw:1"; 10_001]})).await;
    assert_eq!(
        (reply.status, reply.code(), reply.pointers()),
        (400, "invalid_body".to_owned(), vec!["/moves".to_owned()])
    );
}

/// In a tie-break players can go round in circles, so a replay can be as long as one likes.
#[tokio::test]
async fn ten_thousand_moves_are_replayed() {
    let app = TestApp::sqlite().await;
    let rules = RulesId::Kauri.rules();
    let mut state = serde_json::from_value(tie_break()).unwrap();
    let mut moves: Vec<&str> = Vec::new();
    while moves.len() < 10_000 {
        let legal = rules.view(&state).unwrap().legal_moves;
        let lasts = |step: &&&str| rules.apply(&state, step).unwrap().1.result.is_none();
        let step = legal.iter().find(lasts).expect("someone can go on");
        state = rules.apply(&state, step).unwrap().1.state;
        moves.push(step);
    }
    let reply = app.post("/rules/kauri/replay", &json!({"state": tie_break(), "moves": moves})).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.json()["steps"].as_array().unwrap().len(), 10_000);
    assert_eq!(reply.json()["state"], serde_json::to_value(state).unwrap());
}

#[tokio::test]
async fn a_state_that_cant_be_is_refused_with_every_reason() {
    let app = TestApp::sqlite().await;
    let mut state = start(&app, RulesId::Kauri).await;
    state["kauri"]["south"]["pits"][2]["beads"] = json!(60);
    state["kauri"]["north"]["pits"][0]["cowries"] = json!(0);
    for row in ["legal-moves", "validate", "apply", "replay"] {
        let body = match row {
            "legal-moves" => json!({"state": state}),
            "replay" => json!({"state": state, "moves": []}),
            _ => json!({"state": state, "move": "a"}),
        };
        let reply = app.post(&format!("/rules/kauri/{row}"), &body).await;
        assert_eq!((reply.status, reply.code()), (422, "invalid_state".to_owned()), "{row}");
        assert!(reply.pointers().len() >= 2, "{reply:?}");
        assert!(reply.pointers().iter().all(|pointer| pointer.starts_with("/state/kauri")), "{reply:?}");
    }
}

#[tokio::test]
async fn a_state_of_other_rules_is_refused_by_its_name() {
    let app = TestApp::sqlite().await;
    let state = start(&app, RulesId::AshtaKashte).await;
    for row in ["legal-moves", "apply"] {
        let mut body = json!({"state": state});
        if row == "apply" {
            body["move"] = json!("a");
        }
        let reply = app.post(&format!("/rules/kauri/{row}"), &body).await;
        assert_eq!((reply.status, reply.code()), (422, "invalid_state".to_owned()));
        assert!(reply.pointers().contains(&"/state/rules".to_owned()), "{reply:?}");
    }
}
