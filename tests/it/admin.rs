//! What an operator does: keys, portals, and a service that is open only as long as it may be.

use crate::app::on_both_databases;
use crate::binary::{Place, Said, Service};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};

/// Makes a key with these further arguments; the secret.
fn key(place: &Place, portal: &str, arguments: &[&str]) -> String {
    let said = place.done(&[&["keys", "create", "--portal", portal], arguments].concat());
    said.strip_suffix('\n').unwrap().to_owned()
}

/// The part of a key that the commands know it by.
fn id(key: &str) -> &str {
    key.split('_').nth(2).unwrap()
}

/// The columns of what a command lists, without the heading.
fn rows(listed: &str) -> Vec<Vec<&str>> {
    listed.lines().skip(1).map(|line| line.split('\t').collect()).collect()
}

/// Status and code of a reading of the portal's games.
fn read(service: &Service, key: Option<&str>) -> (u16, String) {
    let answer = service.ask("/games", key, None);
    (answer.status, answer.told().1.to_owned())
}

/// Lets a key have expired, as time would.
async fn expire(place: &Place, key: &str) {
    let statement = format!("UPDATE portal_keys SET expires_at = 1 WHERE id = '{}'", id(key));
    let (url, statement) = (place.url().unwrap(), AssertSqlSafe(statement));
    if url.starts_with("sqlite:") {
        let mut connection = SqliteConnection::connect(&url).await.unwrap();
        sqlx::query(statement).execute(&mut connection).await.unwrap();
    } else {
        let mut connection = PgConnection::connect(&url).await.unwrap();
        sqlx::query(statement).execute(&mut connection).await.unwrap();
    }
}

fn ok() -> (u16, String) {
    (200, String::new())
}

fn unauthorized() -> (u16, String) {
    (401, "unauthorized".to_owned())
}

on_both_databases! {
    async fn a_secret_is_printed_once_alone_and_never_listed(place: Place) {
        let printed = place.done(&["keys", "create", "--portal", "club", "--label", "web, new", "--scope", "read"]);
        let hex = |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (id, secret) = printed.trim_end().strip_prefix("kauri_pk_").unwrap().split_once('_').unwrap();
        assert!(printed.lines().count() == 1 && hex(id, 16) && hex(secret, 64), "{printed}");

        let other = key(&place, "école", &["--expires", "2999-01-01T00:00:00+01:00"]);
        let listed = place.done(&["keys", "list"]);
        assert!(!listed.contains(secret) && !listed.contains(other.split('_').nth(3).unwrap()), "{listed}");
        assert_eq!(listed.lines().next(), Some("id\tportal\tscope\tcreated\texpires\trevoked\tlast used\tlabel"));
        let rows = rows(&listed);
        assert_eq!(rows.len(), 2, "{listed}");
        assert_eq!((rows[0][0], rows[0][1], rows[0][2]), (id, "club", "read"));
        assert_eq!(rows[0][4..], ["never", "never", "never", "web, new"]);
        assert_eq!((rows[1][1], rows[1][2]), ("école", "play"));
        assert_eq!(rows[1][4..], ["2998-12-31T23:00:00.000000Z", "never", "never", ""]);
        let one = place.done(&["keys", "list", "--portal", "école"]);
        assert_eq!(one.lines().skip(1).collect::<Vec<_>>(), listed.lines().skip(2).collect::<Vec<_>>());
        assert_eq!(place.done(&["keys", "list", "--portal", "none"]).lines().count(), 1);
    }

    async fn the_first_key_closes_an_open_service_at_once(place: Place) {
        let service = place.serve();
        assert_eq!(read(&service, None), ok());
        assert_eq!(service.ask("/games", None, Some(&json!({"rules": "kauri"}))).status, 201);
        let local = key(&place, "local", &[]);
        assert_eq!(read(&service, None), unauthorized());
        let games = service.ask("/games", Some(&local), None);
        assert_eq!(games.json["items"].as_array().unwrap().len(), 1, "what nobody made is the portal local's");
        let club = service.ask("/games", Some(&key(&place, "club", &[])), None);
        assert_eq!(club.json, json!({"items": []}));
        place.done(&["keys", "revoke", id(&local)]);
        assert_eq!(read(&service, None), unauthorized(), "a revoked key does not open it again");
        assert_eq!(service.ask("/rules/kauri/initial", None, Some(&json!({}))).status, 200);
    }

    async fn a_portal_has_several_keys_and_each_stops_working_at_once(place: Place) {
        let service = place.serve();
        let [old, new, short] = ["old", "new", "short"].map(|label| key(&place, "club", &["--label", label]));
        for key in [&old, &new, &short] {
            assert_eq!(read(&service, Some(key)), ok());
        }
        assert_eq!(place.done(&["keys", "revoke", id(&old)]), format!("revoked {}\n", id(&old)));
        expire(&place, &short).await;
        assert_eq!(read(&service, Some(&old)), unauthorized());
        assert_eq!(read(&service, Some(&short)), unauthorized());
        assert_eq!(read(&service, Some(&new)), ok());

        let listed = place.done(&["keys", "list"]);
        let revoked = rows(&listed)[0][5].to_owned();
        assert_ne!(revoked, "never");
        place.done(&["keys", "revoke", id(&old)]);
        assert_eq!(rows(&place.done(&["keys", "list"]))[0][5], revoked, "the first time stays");
    }

    async fn a_key_that_reads_posts_nothing(place: Place) {
        let service = place.serve();
        let (reads, plays) = (key(&place, "club", &["--scope", "read"]), key(&place, "club", &["--scope", "play"]));
        let new = json!({"rules": "kauri"});
        assert_eq!(service.ask("/games", Some(&reads), Some(&new)).told(), (403, "read_only"));
        let game = service.ask("/games", Some(&plays), Some(&new)).json["id"].as_str().unwrap().to_owned();
        for (path, body) in [("moves", json!({"move": "a"})), ("resignation", json!({})), ("abort", json!({}))] {
            let path = format!("/games/{game}/{path}");
            assert_eq!(service.ask(&path, Some(&reads), Some(&body)).told(), (403, "read_only"), "{path}");
        }
        assert_eq!(service.ask(&format!("/games/{game}"), Some(&reads), None).json["version"], 0);
    }

    async fn when_a_key_was_used_is_known_once_the_service_has_stopped(place: Place) {
        let (used, unused) = (key(&place, "club", &[]), key(&place, "club", &[]));
        let service = place.serve();
        assert_eq!(read(&service, Some(&used)), ok());
        let wrong = format!("kauri_pk_{}_{}", id(&unused), "0".repeat(64));
        assert_eq!(read(&service, Some(&wrong)), unauthorized());
        let log = service.stop();
        let listed = place.done(&["keys", "list"]);
        let rows = rows(&listed);
        assert!(rows[0][6].ends_with('Z') && rows[0][6] > rows[0][3], "{listed}\n{log}");
        assert_eq!(rows[1][6], "never", "who only knows its id has not used it: {listed}");
    }

    async fn a_strict_portal_takes_no_unconditional_change(place: Place) {
        let service = place.serve();
        let (club, other) = (key(&place, "club", &[]), key(&place, "other", &[]));
        let game = |key| {
            let game = service.ask("/games", Some(key), Some(&json!({"rules": "kauri"})));
            format!("/games/{}/moves", game.json["id"].as_str().unwrap())
        };
        let (moves, others) = (game(&club), game(&other));
        assert_eq!(place.done(&["portals", "set", "club", "--strict", "true"]), "club is now strict\n");
        let careless = service.ask(&moves, Some(&club), Some(&json!({"move": "a"})));
        assert_eq!(careless.told(), (428, "precondition_required"));
        let careful = service.ask(&moves, Some(&club), Some(&json!({"move": "a", "expected_version": 0})));
        assert_eq!(careful.status, 201);
        assert_eq!(service.ask(&others, Some(&other), Some(&json!({"move": "a"}))).status, 201);
        let listed = place.done(&["portals", "list"]);
        assert_eq!(listed.lines().next(), Some("name\tmode\tcreated"));
        let strict = rows(&listed).iter().map(|row| (row[0], row[1])).collect::<Vec<_>>();
        assert_eq!(strict, [("club", "strict"), ("local", "lenient"), ("other", "lenient")]);

        assert_eq!(place.done(&["portals", "set", "club", "--strict", "false"]), "club is now lenient\n");
        assert_eq!(service.ask(&moves, Some(&club), Some(&json!({"move": "A"}))).status, 201);
    }

    async fn what_a_command_cannot_do_it_says_in_one_line(place: Place) {
        let long = "x".repeat(201);
        for (arguments, why) in [
            (vec!["keys", "create", "--portal", ""], "1 to 200 printable characters"),
            (vec!["keys", "create", "--portal", &long], "1 to 200 printable characters"),
            (vec!["keys", "create", "--portal", "a\tb"], "1 to 200 printable characters"),
            (vec!["keys", "create", "--portal", "club", "--label", "a\nb"], "1 to 200 printable characters"),
            (vec!["keys", "create", "--portal", "club", "--expires", "tomorrow"], "RFC 3339"),
            (vec!["keys", "create", "--portal", "club", "--expires", "2026-01-01T00:00:00Z"], "this one is past"),
            (vec!["keys", "revoke", "0123456789abcdef"], "no key with this id"),
            (vec!["portals", "set", "club", "--strict", "true"], "no portal of this name"),
        ] {
            let said = place.run(&arguments);
            said.refused(why);
            assert_eq!(said.output, "", "a script would take it for the secret");
        }
        assert_eq!(place.done(&["keys", "list"]).lines().count(), 1, "nothing was made");
        let unclear = place.run(&["portals", "set", "local"]);
        assert!(unclear.code == Some(2) && unclear.error.contains("--strict <STRICT>"), "{unclear:?}");
    }

    async fn an_open_service_is_not_exposed_by_mistake(place: Place) {
        let exposed = ["serve", "--listen", "0.0.0.0:0", "--workers", "1"];
        place.run(&exposed).refused("0.0.0.0:0 can be reached from other hosts and there is no portal key");
        Said::by(place.kauri(&exposed).env("KAURI_OPEN", "false")).refused("--open");

        let flag = Service::start(&mut place.kauri(&[&exposed[..], &["--open"]].concat()));
        assert_eq!(read(&flag, None), ok());
        let variable = Service::start(place.kauri(&exposed).env("KAURI_OPEN", "true"));
        assert_eq!(read(&variable, None), ok());

        let club = key(&place, "club", &[]);
        assert_eq!(read(&flag, None), unauthorized(), "--open opens nothing that is closed");
        let closed = Service::start(&mut place.kauri(&exposed));
        assert_eq!(read(&closed, None), unauthorized());
        assert_eq!(read(&closed, Some(&club)), ok());
    }
}
