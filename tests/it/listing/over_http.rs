//! Lists of games and the figures of players, as a portal asks for them.

use crate::app::{TestApp, on_both_databases};
use crate::portal::{NewKey, key, seat_tokens};
use kauri::context::Context;
use kauri::credential::Credential;
use kauri::games::{self, ListGames};
use serde_json::{Value, json};

/// A game of Kauri between two; its path.
async fn between(app: &TestApp, south: &str, north: &str, tags: &[&str]) -> String {
    let seats = json!([{"seat": "south", "player": south}, {"seat": "north", "player": north}]);
    let reply = app.post("/games", &json!({"rules": "kauri", "seats": seats, "tags": tags})).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.header("location").to_owned()
}

async fn resigns(app: &TestApp, game: &str, seat: &str) {
    let reply = app.post(&format!("{game}/resignation"), &json!({"seat": seat})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
}

/// The paths of the games on all pages from this one on.
async fn listed(app: &TestApp, first: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut next = Some(first.to_owned());
    while let Some(path) = next {
        let page = app.get(&path).await;
        assert_eq!(page.status, 200, "{page:?}");
        let json = page.json();
        let items = json["items"].as_array().unwrap();
        paths.extend(items.iter().map(|game| format!("/games/{}", game["id"].as_str().unwrap())));
        next = page.link_next();
        assert_eq!(next.is_some(), json["next"].is_string(), "{page:?}");
    }
    paths
}

on_both_databases! {
    async fn a_portal_lists_its_games_by_whatever_it_knows_of_them(app: TestApp) {
        let first = between(&app, "ann", "ben", &["ladder"]).await;
        let second = between(&app, "ben", "ann", &[]).await;
        let third = between(&app, "ann", "cat", &["ladder", "blitz"]).await;
        resigns(&app, &third, "north").await;
        resigns(&app, &first, "south").await;
        let time = app.get(&second).await.json()["created_at"].as_str().unwrap().to_owned();
        for (query, expected) in [
            ("", vec![&third, &second, &first]),
            ("order=oldest", vec![&first, &second, &third]),
            ("order=last_finished", vec![&first, &third]),
            ("order=first_finished", vec![&third, &first]),
            ("player=ann&seat=south", vec![&third, &first]),
            ("player=ann&opponent=ben", vec![&second, &first]),
            ("player=ann&result=won", vec![&third]),
            ("player=ann&result=lost", vec![&first]),
            ("result=north", vec![&first]),
            ("player=ben&result=north", vec![&first]),
            ("result=void", vec![]),
            ("tag=ladder&status=finished&rules=kauri", vec![&third, &first]),
            ("tag=Ladder", vec![]),
            ("player=ann&status=active", vec![&second]),
            (&format!("created_after={time}"), vec![&third, &second]),
            (&format!("created_before={time}&order=oldest"), vec![&first]),
            (&format!("finished_after={time}"), vec![&first, &third]),
            (&format!("finished_after={time}&order=newest"), vec![&third, &first]),
            (&format!("finished_before={time}"), vec![]),
            ("status=active&result=south", vec![]),
            ("external_ref=none", vec![]),
        ] {
            for limit in ["", "&limit=1", "&limit=100"] {
                assert_eq!(listed(&app, &format!("/games?{query}{limit}")).await.iter().collect::<Vec<_>>(), expected, "{query}{limit}");
            }
        }
        assert_eq!(listed(&app, "/players/ann/games?order=oldest&limit=1").await, [first, second, third]);
        assert!(listed(&app, "/players/nobody/games").await.is_empty());
    }

    async fn a_cursor_is_good_for_its_own_list_alone(app: TestApp) {
        for _ in 0..3 {
            between(&app, "ann", "ben", &[]).await;
        }
        let page = app.get("/games?player=ann&limit=1").await.json();
        let cursor = page["next"].as_str().unwrap().to_owned();
        assert_eq!(listed(&app, &format!("/games?player=ann&limit=100&cursor={cursor}")).await.len(), 2, "the limit may change");
        assert_eq!(listed(&app, &format!("/players/ann/games?order=newest&cursor={cursor}")).await.len(), 2, "it is the same list");
        let altered = cursor.replace(&cursor[7..8], if &cursor[7..8] == "0" { "1" } else { "0" });
        for wrong in [
            format!("cursor={cursor}"),
            format!("player=ben&cursor={cursor}"),
            format!("player=ann&order=oldest&cursor={cursor}"),
            format!("player=ann&rules=kauri&cursor={cursor}"),
            format!("player=ann&cursor={altered}"),
            format!("player=ann&cursor={}", &cursor[2..]),
            "player=ann&cursor=".to_owned(),
            "cursor=%3Cb%3E".to_owned(),
        ] {
            let reply = app.get(&format!("/games?{wrong}")).await;
            assert_eq!((reply.status, reply.code(), reply.pointers()), (400, "invalid_query".to_owned(), vec!["/cursor".to_owned()]), "{wrong}");
        }
        // Another process on the same database takes it.
        let other = Context { cursor_key: std::sync::Arc::default(), ..app.beside().await };
        let wanted = ListGames { player: Some("ann".to_owned()), cursor: Some(cursor.clone()), ..ListGames::default() };
        assert_eq!(games::list(&other, &Credential::Anonymous, &wanted).await.unwrap().items.len(), 2);
        // Another portal does not.
        let (_, club) = key(&app, NewKey::play("club")).await;
        let reply = app.get_with(&format!("/games?player=ann&cursor={cursor}"), &[("authorization", &club)]).await;
        assert_eq!((reply.status, reply.pointers()), (400, vec!["/cursor".to_owned()]));
    }

    async fn a_players_figures_are_counted_by_rules_and_seat(app: TestApp) {
        let name = "Zoë/a+b ?#%";
        let path = "/players/Zo%C3%AB%2Fa+b%20%3F%23%25";
        let lost = between(&app, name, "ben", &[]).await;
        let won = between(&app, name, "ben", &[]).await;
        let off = between(&app, "ben", name, &[]).await;
        resigns(&app, &lost, "south").await;
        resigns(&app, &won, "north").await;
        assert_eq!(app.post_nothing(&format!("{off}/abort")).await.status, 200);
        let open = between(&app, "ben", name, &[]).await;
        let figures = async || app.get(&format!("{path}/stats")).await.json();
        let before = figures().await;
        assert_eq!((&before["open"], &before["your_turn"]), (&json!(1), &json!(0)));
        assert_eq!(app.post(&format!("{open}/moves"), &json!({"move": "a"})).await.status, 201);
        assert_eq!(figures().await, json!({
            "player": name, "open": 1, "your_turn": 1, "played": 2, "won": 1, "lost": 1, "void": 1,
            "tallies": [
                {"rules": "kauri", "seat": "north", "played": 0, "won": 0, "lost": 0, "void": 1},
                {"rules": "kauri", "seat": "south", "played": 2, "won": 1, "lost": 1, "void": 0},
            ],
        }));
        assert_eq!(listed(&app, &format!("{path}/games?limit=1")).await, [open, off, won, lost]);
        let nobody = app.get("/players/nobody/stats").await.json();
        assert_eq!((&nobody["played"], &nobody["tallies"]), (&json!(0), &json!([])));
    }

    async fn lists_and_figures_are_the_portals_own(app: TestApp) {
        let created = app.post("/games", &json!({"rules": "kauri", "seats": [{"seat": "south", "player": "ann"}, {"seat": "north"}]})).await.json();
        let token = seat_tokens(&created).remove(0);
        let (_, club) = key(&app, NewKey { scope: "read", ..NewKey::play("club") }).await;
        for path in ["/games?player=ann", "/players/ann/games", "/players/ann/stats"] {
            assert_eq!(app.get(path).await.code(), "unauthorized");
            assert_eq!(app.get_with(path, &[("authorization", &token)]).await.code(), "portal_only");
            let other = app.get_with(path, &[("authorization", &club)]).await;
            assert_eq!(other.status, 200);
            assert!(other.json()["items"].as_array().is_none_or(Vec::is_empty) && other.json()["open"].as_i64().unwrap_or(0) == 0);
        }
    }
}

#[tokio::test]
async fn what_can_not_be_asked_is_named() {
    let app = TestApp::sqlite().await;
    let long = "x".repeat(201);
    for (query, pointer, code) in [
        ("rules=chess".to_owned(), "/rules", "unknown_value"),
        ("status=lost".to_owned(), "/status", "unknown_value"),
        ("result=draw".to_owned(), "/result", "unknown_value"),
        ("result=won".to_owned(), "/result", "needs_player"),
        ("result=lost".to_owned(), "/result", "needs_player"),
        ("seat=south".to_owned(), "/seat", "needs_player"),
        ("player=a&seat=up".to_owned(), "/seat", "unknown_value"),
        ("opponent=ben".to_owned(), "/opponent", "needs_player"),
        ("order=random".to_owned(), "/order", "unknown_value"),
        ("limit=0".to_owned(), "/limit", "out_of_range"),
        ("limit=101".to_owned(), "/limit", "out_of_range"),
        ("limit=ten".to_owned(), "/limit", "malformed"),
        (format!("player={long}"), "/player", "too_long"),
        (format!("player=a&opponent={long}"), "/opponent", "too_long"),
        (format!("external_ref={long}"), "/external_ref", "too_long"),
        (format!("tag={}", &long[..65]), "/tag", "too_long"),
        ("created_after=yesterday".to_owned(), "/created_after", "malformed"),
        ("created_before=2026-11-30".to_owned(), "/created_before", "malformed"),
        ("finished_after=1796029200".to_owned(), "/finished_after", "malformed"),
        ("finished_before=2026-11-30T09:00:00".to_owned(), "/finished_before", "malformed"),
        ("created_after=2026-11-30T09:00:00+01:00".to_owned(), "/created_after", "malformed"),
        ("player=a&player=b".to_owned(), "/player", "duplicate_member"),
        ("palyer=a".to_owned(), "/palyer", "unknown_member"),
    ] {
        let reply = app.get(&format!("/games?{query}")).await;
        let error = &reply.json()["errors"][0];
        assert_eq!((reply.status, reply.code()), (400, "invalid_query".to_owned()), "{query}");
        assert_eq!((&error["pointer"], &error["code"]), (&json!(pointer), &json!(code)), "{query}");
    }
    for good in ["2026-11-30T09:00:00Z", "2026-11-30T09:00:00.123456789%2B01:00", "2026-11-30t09:00:00z"] {
        assert_eq!(app.get(&format!("/games?created_after={good}")).await.status, 200, "{good}");
    }
    for path in ["games", "stats"] {
        let reply = app.get(&format!("/players/{long}/{path}")).await;
        assert_eq!(
            (reply.status, reply.code(), reply.pointers()),
            (400, "invalid_path".to_owned(), vec!["/player".to_owned()])
        );
    }
    let reply: Value = app.get("/players/a/games?player=b").await.json();
    assert_eq!(reply["errors"][0]["pointer"], "/player", "the path has said it already");
}
