//! Stored games over HTTP: create, play, read, list, end.

use crate::app::{TestApp, on_both_databases};
use serde_json::{Value, json};

/// A game of Kauri; its path.
async fn kauri(app: &TestApp) -> String {
    let reply = app.post("/games", &json!({"rules": "kauri"})).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.header("location").to_owned()
}

async fn ashta_kashte(app: &TestApp, throws: &str) -> String {
    let reply = app.post("/games", &json!({"rules": "ashta-kashte", "throws": throws})).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.header("location").to_owned()
}

/// Plays the first legal move until the game is over; the log's moves.
async fn play_out(app: &TestApp, game: &str) -> Vec<String> {
    let mut position = app.get(game).await.json()["position"].clone();
    let mut moves = Vec::new();
    while position["phase"] != "over" {
        // Going round among the legal moves: always the first could go on for ever.
        let legal = position["legal_moves"].as_array().unwrap();
        let step = legal[moves.len() % legal.len()].clone();
        let reply =
            app.post(&format!("{game}/moves"), &json!({"move": step, "expected_version": moves.len()})).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let taken = reply.json();
        moves.push(taken["step"]["move"].as_str().unwrap().to_owned());
        assert_eq!(taken["version"], moves.len());
        position = taken["position"].clone();
    }
    moves
}

on_both_databases! {
    async fn a_whole_game_of_kauri_is_kept(app: TestApp) {
        let game = kauri(&app).await;
        let moves = play_out(&app, &game).await;
        let now = app.get(&game).await;
        let body = now.json();
        assert_eq!((&body["status"], &body["version"]), (&json!("finished"), &json!(moves.len())));
        assert_eq!(now.header("etag"), format!("\"v{}\"", moves.len()));
        let replayed = app.post("/rules/kauri/replay", &json!({"moves": moves})).await.json();
        assert_eq!(replayed["state"], body["position"]["state"]);
        assert_eq!(replayed["result"], body["position"]["result"]);
        let over = app.post(&format!("{game}/moves"), &json!({"move": "a"})).await;
        assert_eq!((over.status, over.code()), (409, "game_over".to_owned()));
    }

    async fn a_whole_game_of_ashta_kashte_is_kept_with_its_throws(app: TestApp) {
        let game = ashta_kashte(&app, "server").await;
        let moves = play_out(&app, &game).await;
        let body = app.get(&game).await.json();
        assert_eq!(body["status"], "finished");
        let replayed = app.post("/rules/ashta-kashte/replay", &json!({"moves": moves})).await.json();
        assert_eq!(replayed["state"], body["position"]["state"]);
        let first = app.get(&format!("{game}/moves/1")).await.json();
        let shells = first["events"][0]["shells"].as_array().unwrap();
        let up = shells.iter().filter(|&shell| shell == true).count();
        let value = if up == 0 { 8 } else { up };
        assert_eq!(first["move"], format!("throw:{value}"));
        assert_eq!(first["events"][0]["value"], value);
    }

    async fn the_log_and_every_past_position_can_be_read(app: TestApp) {
        let game = kauri(&app).await;
        for (version, step) in ["a", "A", "b"].iter().enumerate() {
            let reply = app.post(&format!("{game}/moves"), &json!({"move": step})).await;
            assert_eq!((reply.status, reply.header("location")), (201, format!("{game}/moves/{}", version + 1).as_str()));
            let past = app.get(&format!("{game}/states/{}", version + 1)).await.json();
            assert_eq!(past["position"], reply.json()["position"]);
        }
        let start = app.get(&format!("{game}/states/0")).await.json();
        let initial = app.post("/rules/kauri/initial", &json!({})).await.json();
        assert_eq!(start["position"], initial);
        let page = app.get(&format!("{game}/moves?limit=2")).await;
        assert_eq!(page.header("link"), format!("<{game}/moves?after=2&limit=2>; rel=\"next\""));
        let body = page.json();
        let plies: Vec<_> = body["items"].as_array().unwrap().iter().map(|step| step["ply"].clone()).collect();
        assert_eq!((plies, &body["next"]), (vec![json!(1), json!(2)], &json!(2)));
        let last = app.get(&format!("{game}/moves?after=2&limit=2")).await.json();
        assert_eq!((last["items"].as_array().unwrap().len(), last.get("next")), (1, None));
        assert_eq!(last["items"][0], app.get(&format!("{game}/moves/3")).await.json());
        for missing in ["moves/4", "moves/0", "states/4"] {
            let reply = app.get(&format!("{game}/{missing}")).await;
            assert_eq!((reply.status, reply.code()), (404, "ply_not_found".to_owned()), "{missing}");
        }
        for bad in ["moves?limit=0", "moves?limit=501", "moves?after=-1", "moves?aftr=1", "moves?after=x"] {
            let reply = app.get(&format!("{game}/{bad}")).await;
            assert_eq!((reply.status, reply.code()), (400, "invalid_query".to_owned()), "{bad}");
        }
        let far = app.get(&format!("{game}/states/99999999999")).await;
        assert_eq!((far.status, far.code()), (404, "ply_not_found".to_owned()));
        for bad in ["moves/x", "states/1.5", "moves/99999999999999999999"] {
            let reply = app.get(&format!("{game}/{bad}")).await;
            assert_eq!((reply.status, reply.code()), (400, "invalid_path".to_owned()), "{bad}");
        }
    }

    async fn a_known_version_is_not_sent_again(app: TestApp) {
        let game = kauri(&app).await;
        let etag = app.get(&game).await.header("etag").to_owned();
        assert_eq!(etag, "\"v0\"");
        let known = async |tag: &str| app.get_with(&game, &[("if-none-match", tag)]).await;
        let same = known(&etag).await;
        assert_eq!((same.status, same.header("etag"), same.body.len()), (304, "\"v0\"", 0));
        assert_eq!(known("W/\"v0\", \"x\"").await.status, 304);
        assert_eq!(known("*").await.status, 304);
        let two_lines = [("if-none-match", "\"x\""), ("if-none-match", etag.as_str())];
        assert_eq!(app.get_with(&game, &two_lines).await.status, 304);
        app.post(&format!("{game}/moves"), &json!({"move": "a"})).await;
        assert_eq!(known(&etag).await.status, 200);
        assert_eq!(known("v0").await.code(), "invalid_header");
    }

    async fn a_move_is_refused_for_one_clear_reason(app: TestApp) {
        let game = kauri(&app).await;
        let refused = async |body: Value| {
            let reply = app.post(&format!("{game}/moves"), &body).await;
            (reply.status, reply.code(), reply.json())
        };
        let (status, code, problem) = refused(json!({"move": "A"})).await;
        assert_eq!((status, code.as_str()), (422, "illegal_move"));
        assert_eq!((&problem["clause"], &problem["to_move"], &problem["version"]), (&json!("K3"), &json!("south"), &json!(0)));
        assert_eq!(problem["legal_moves"], json!(["a", "b", "c", "d", "e", "f"]));
        let (status, code, problem) = refused(json!({"move": "A", "seat": "north"})).await;
        assert_eq!((status, code.as_str(), &problem["to_move"]), (409, "not_your_turn", &json!("south")));
        let (status, code, _) = refused(json!({"move": "a", "seat": "west"})).await;
        assert_eq!((status, code.as_str()), (403, "wrong_seat"));
        let (status, code, problem) = refused(json!({"move": "a", "expected_version": 3})).await;
        assert_eq!((status, code.as_str(), &problem["version"]), (409, "version_conflict", &json!(0)));
        let (status, code, _) = refused(json!({"move": "<script>"})).await;
        assert_eq!((status, code.as_str()), (422, "illegal_move"));
        let stale = app.post_with(&format!("{game}/moves"), &json!({"move": "a"}), &[("if-match", "\"v1\"")]).await;
        assert_eq!((stale.status, stale.code()), (412, "precondition_failed".to_owned()));
        assert_eq!(app.get(&game).await.json()["version"], 0);
        let fresh = app.post_with(&format!("{game}/moves"), &json!({"move": "a"}), &[("if-match", "\"v0\"")]).await;
        assert_eq!(fresh.status, 201);
    }

    async fn who_throws_is_decided_when_the_game_is_created(app: TestApp) {
        let drawn = ashta_kashte(&app, "server").await;
        let supplied = ashta_kashte(&app, "supplied").await;
        assert_eq!(app.get(&drawn).await.json()["position"]["legal_moves"], json!(["throw"]));
        let five = json!(["throw:1", "throw:2", "throw:3", "throw:4", "throw:8"]);
        assert_eq!(app.get(&supplied).await.json()["position"]["legal_moves"], five);
        let stated = app.post(&format!("{drawn}/moves"), &json!({"move": "throw:4"})).await;
        assert_eq!((stated.status, stated.code()), (422, "illegal_move".to_owned()));
        assert_eq!(stated.json()["legal_moves"], json!(["throw"]));
        assert_eq!(stated.json()["errors"][0]["code"], "service_throws");
        let unstated = app.post(&format!("{supplied}/moves"), &json!({"move": "throw"})).await;
        assert_eq!(unstated.json()["errors"][0]["code"], "throw_unstated");
        let reply = app.post(&format!("{supplied}/moves"), &json!({"move": "throw:4"})).await;
        assert_eq!((reply.status, &reply.json()["position"]["legal_moves"]), (201, &json!(["enter"])));
        assert_eq!(reply.json()["step"]["events"][0].get("shells"), None);
    }

    async fn a_game_begins_where_its_state_says(app: TestApp) {
        let after = app.post("/rules/kauri/replay", &json!({"moves": ["a", "A", "c"]})).await.json();
        let reply = app.post("/games", &json!({"rules": "kauri", "state": after["state"], "seats": [{"seat": "north", "player": "n"}]})).await;
        assert_eq!(reply.status, 201);
        let game = reply.json();
        assert_eq!((&game["version"], &game["position"]["state"]), (&json!(0), &after["state"]));
        assert_eq!(game["seats"], json!([{"seat": "south"}, {"seat": "north", "player": "n"}]));
        let mut impossible = after["state"].clone();
        impossible["kauri"]["south"]["pits"][0]["beads"] = json!(60);
        let refused = app.post("/games", &json!({"rules": "kauri", "state": impossible})).await;
        assert_eq!((refused.status, refused.code()), (422, "invalid_state".to_owned()));
        assert!(refused.json()["errors"][0]["pointer"].as_str().unwrap().starts_with("/state/kauri"));
        for (body, pointer) in [
            (json!({"rules": "chess"}), "/rules"),
            (json!({"rules": "kauri", "throws": "loaded"}), "/throws"),
            (json!({"rules": "kauri", "state": after["state"], "options": {}}), "/options"),
            (json!({"rules": "kauri", "options": {"route": "spiral"}}), "/options/route"),
            (json!({"rules": "kauri", "seats": [{"seat": "south"}, {"seat": "west"}]}), "/seats/1"),
            (json!({"rules": "kauri", "state": after["state"], "seats": [{"seat": "east"}]}), "/seats/0/seat"),
        ] {
            let reply = app.post("/games", &body).await;
            assert_eq!((reply.status, reply.code()), (422, "invalid_options".to_owned()), "{body}");
            let errors = reply.json()["errors"].clone();
            let named = errors.as_array().unwrap().iter().any(|e| e["pointer"].as_str().unwrap().starts_with(pointer));
            assert!(named, "{errors}");
        }
    }

    async fn what_is_too_long_or_unknown_is_named(app: TestApp) {
        let body = json!({
            "rules": "kauri", "external_ref": "", "tags": vec!["x"; 17],
            "seats": [{"seat": "south", "player": "p".repeat(201)}, {"seat": "north", "name": ""}],
        });
        let reply = app.post("/games", &body).await;
        assert_eq!((reply.status, reply.code()), (400, "invalid_body".to_owned()));
        let errors = reply.json()["errors"].clone();
        let pointers: Vec<_> = errors.as_array().unwrap().iter().map(|e| e["pointer"].as_str().unwrap()).collect();
        assert_eq!(pointers, ["/external_ref", "/seats/0/player", "/seats/1/name", "/tags"]);
    }

    async fn the_same_reference_and_body_is_the_same_game(app: TestApp) {
        let body = json!({"rules": "kauri", "external_ref": "match 7"});
        let first = app.post("/games", &body).await;
        assert_eq!((first.status, first.json()["seat_tokens"].as_array().unwrap().len()), (201, 2));
        let again = app.post("/games", &body).await;
        assert_eq!((again.status, again.header("location")), (200, first.header("location")));
        assert_eq!(again.json().get("seat_tokens"), None);
        let respelt = app.post_bytes("/games", r#"{ "external_ref": "match 7", "rules": "kauri" }"#).await;
        assert_eq!((respelt.status, respelt.header("location")), (200, first.header("location")));
        let other = app.post("/games", &json!({"rules": "ashta-kashte", "external_ref": "match 7"})).await;
        assert_eq!((other.status, other.code()), (409, "external_ref_taken".to_owned()));
    }

    async fn resigning_ends_a_game_and_changes_its_tag(app: TestApp) {
        let game = kauri(&app).await;
        app.post(&format!("{game}/moves"), &json!({"move": "a"})).await;
        let reply = app.post(&format!("{game}/resignation"), &json!({"seat": "south", "expected_version": 1})).await;
        assert_eq!((reply.status, reply.header("etag")), (200, "\"v1-resignation\""));
        let body = reply.json();
        let result = json!({"winner": "north", "reason": "resignation", "seat": "south", "places": ["north", "south"]});
        assert_eq!((&body["status"], &body["position"]["phase"], &body["position"]["result"]), (&json!("finished"), &json!("over"), &result));
        assert_eq!(body["position"]["legal_moves"], json!([]));
        assert_eq!(app.get(&game).await.json(), body);
        assert_eq!(app.get_with(&game, &[("if-none-match", "\"v1\"")]).await.status, 200);
        let again = app.post(&format!("{game}/resignation"), &json!({"seat": "south", "expected_version": 1})).await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (200, "true"));
        let other = app.post(&format!("{game}/resignation"), &json!({"seat": "north"})).await;
        assert_eq!((other.status, other.code()), (409, "game_over".to_owned()));
    }

    async fn a_portal_says_which_seat_resigns(app: TestApp) {
        let game = kauri(&app).await;
        for body in [json!({}), json!({"expected_version": 0})] {
            let unsaid = app.post(&format!("{game}/resignation"), &body).await;
            assert_eq!((unsaid.status, unsaid.code(), unsaid.pointers()), (400, "invalid_body".to_owned(), vec!["/seat".to_owned()]));
        }
        let nobody = app.post(&format!("{game}/resignation"), &json!({"seat": "west"})).await;
        assert_eq!((nobody.status, nobody.code()), (403, "wrong_seat".to_owned()));
        assert_eq!(app.get(&game).await.json()["status"], "active");
    }

    async fn of_four_players_one_who_resigns_leaves_no_winner(app: TestApp) {
        let seats = ["south", "west", "north", "east"].map(|seat| json!({"seat": seat}));
        let created = app.post("/games", &json!({"rules": "ashta-kashte", "seats": seats})).await;
        let game = created.header("location").to_owned();
        let reply = app.post(&format!("{game}/resignation"), &json!({"seat": "south"})).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(reply.json()["position"]["result"], json!({"reason": "resignation", "seat": "south"}));
    }

    async fn places_that_were_reached_outlast_a_resignation(app: TestApp) {
        let piece = |seat: &str, piece: &str| json!({"seat": seat, "pieces": [piece, piece, piece, piece]});
        let mut state = app.post("/rules/ashta-kashte/initial", &json!({"seats": ["south", "west", "north"], "options": {"places": true}})).await.json()["state"].clone();
        state["ashta_kashte"]["seats"] = json!([piece("south", "hand"), piece("west", "finished"), piece("north", "hand")]);
        let created = app.post("/games", &json!({"rules": "ashta-kashte", "state": state})).await;
        assert_eq!(created.status, 201, "{created:?}");
        let path = format!("{}/resignation", created.header("location"));
        let finished = app.post(&path, &json!({"seat": "west"})).await;
        assert_eq!((finished.status, finished.code()), (409, "game_over".to_owned()));
        let result = app.post(&path, &json!({"seat": "north"})).await.json()["position"]["result"].clone();
        let places = json!(["west", "south", "north"]);
        assert_eq!(result, json!({"winner": "west", "reason": "resignation", "seat": "north", "places": places}));
    }

    async fn a_game_can_be_aborted_until_every_seat_has_moved(app: TestApp) {
        let game = kauri(&app).await;
        app.post(&format!("{game}/moves"), &json!({"move": "a"})).await;
        let stale = app.post(&format!("{game}/abort"), &json!({"expected_version": 0})).await;
        assert_eq!((stale.status, stale.code()), (409, "version_conflict".to_owned()));
        let reply = app.post_nothing(&format!("{game}/abort")).await;
        assert_eq!((reply.status, reply.header("etag")), (200, "\"v1-abandoned\""));
        assert_eq!((&reply.json()["status"], &reply.json()["position"]["result"]), (&json!("aborted"), &json!({"reason": "abandoned"})));

        let late = kauri(&app).await;
        for step in ["a", "A"] {
            app.post(&format!("{late}/moves"), &json!({"move": step})).await;
        }
        let refused = app.post_nothing(&format!("{late}/abort")).await;
        assert_eq!((refused.status, refused.code()), (409, "too_late_to_abort".to_owned()));
    }

    async fn pages_of_games_join_to_all_of_them(app: TestApp) {
        for number in 0..7 {
            let rules = if number % 2 == 0 { "kauri" } else { "ashta-kashte" };
            let player = if number < 5 { "ann & co" } else { "ben" };
            let body = json!({"rules": rules, "seats": [{"seat": "south", "player": player}, {"seat": "north"}]});
            assert_eq!(app.post("/games", &body).await.status, 201);
        }
        for filter in ["", "player=ann+%26+co&", "rules=kauri&", "player=ann+%26+co&rules=kauri&status=active&"] {
            let whole = app.get(&format!("/games?{filter}limit=100")).await.json()["items"].clone();
            let mut joined = Vec::new();
            let mut next = format!("/games?{filter}limit=2");
            loop {
                let page = app.get(&next).await;
                joined.extend(page.json()["items"].as_array().unwrap().clone());
                let Some(link) = page.link_next() else { break };
                next = link;
            }
            assert_eq!(Value::from(joined), whole, "{filter}");
            assert!(!whole.as_array().unwrap().is_empty());
        }
        let page = app.get("/games?limit=2").await.json();
        let cursor = page["next"].as_str().unwrap();
        for bad in [format!("cursor={cursor}&rules=kauri"), "cursor=zz".to_owned(), "limit=101".to_owned(), "rules=chess".to_owned(), "status=lost".to_owned()] {
            let reply = app.get(&format!("/games?{bad}")).await;
            assert_eq!((reply.status, reply.code()), (400, "invalid_query".to_owned()), "{bad}");
            assert!(reply.pointers()[0].starts_with('/'), "{reply:?}");
        }
    }

    async fn unknown_games_and_ids_are_told_apart(app: TestApp) {
        let unknown = app.get("/games/01937a5e-0000-7000-8000-0000000000ff").await;
        assert_eq!((unknown.status, unknown.code()), (404, "game_not_found".to_owned()));
        let known = kauri(&app).await.trim_start_matches("/games/").to_owned();
        for bad in ["17", &known.to_uppercase(), &known.replace('-', ""), &format!("%7B{known}%7D")] {
            let malformed = app.get(&format!("/games/{bad}")).await;
            assert_eq!((malformed.status, malformed.code()), (400, "invalid_path".to_owned()), "{bad}");
        }
    }

    async fn of_two_moves_on_one_version_one_counts(app: TestApp) {
        let game = kauri(&app).await;
        let path = format!("{game}/moves");
        let bodies = ["a", "b"].map(|step| json!({"move": step, "expected_version": 0}));
        let (one, two) = tokio::join!(app.post(&path, &bodies[0]), app.post(&path, &bodies[1]));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409]);
        let refused = if one.status == 409 { one } else { two };
        assert_eq!((refused.code(), &refused.json()["version"]), ("version_conflict".to_owned(), &json!(1)));
        assert_eq!(app.get(&game).await.json()["version"], 1);
    }
}
