//! The laws of storage, each on both databases. Every statement of the store runs here.

use crate::app::{Database, on_both_databases};
use kauri::credential::hash;
use kauri::store::{
    Change, Claim, GameFilter, GameRow, Held, Keep, KeptAnswer, KeyRow, SeatRow, Slot, StepRow, Store,
    StoreError,
};
use kauri::timestamp::Timestamp;
use kauri_rules::Seat;
use sqlx::Connection;
use uuid::Uuid;

const LOCAL: Uuid = Uuid::nil();
const AT: Timestamp = Timestamp(1_796_029_200_000_000);
const LATER: Timestamp = Timestamp(AT.0 + 60_000_000);

fn id(number: u128) -> Uuid {
    Uuid::from_u128((0x0193_7a5e_0000_7000_8000 << 48) | number)
}

fn game(number: u128) -> GameRow {
    GameRow {
        id: id(number),
        portal_id: LOCAL,
        rules: "kauri".to_owned(),
        throws: "server".to_owned(),
        status: "active".to_owned(),
        version: 0,
        start_state: "{\"start\": 1}".to_owned(),
        state: "{\"start\": 1}".to_owned(),
        result: None,
        seats: "[]".to_owned(),
        tags: "[\"é\"]".to_owned(),
        external_ref: None,
        created_at: Timestamp(AT.0 + i64::try_from(number).unwrap()),
        updated_at: AT,
        finished_at: None,
    }
}

fn seats(players: [Option<&str>; 2]) -> Vec<SeatRow> {
    [Seat::South, Seat::North]
        .into_iter()
        .zip(players)
        .map(|(seat, player)| SeatRow {
            seat,
            player: player.map(str::to_owned),
            token_hash: hash(seat.as_str().as_bytes()),
        })
        .collect()
}

async fn created(store: &Store, number: u128) -> GameRow {
    let game = game(number);
    assert!(store.create(&game, &seats([None, None]), &[], None, Held::default()).await.unwrap());
    game
}

fn slot(key: &str) -> Slot {
    Slot { scope: "POST /games/1/moves".to_owned(), key_hash: hash(key.as_bytes()) }
}

fn keep(key: &str, body: &str, expires_at: Timestamp) -> Keep {
    let answer = KeptAnswer {
        body_hash: hash(body.as_bytes()).to_vec(),
        status: 201,
        etag: "\"v1\"".to_owned(),
        location: Some("/somewhere".to_owned()),
        body: body.to_owned(),
        token_salt: None,
    };
    Keep { slot: slot(key), answer, expires_at }
}

/// A step on this version.
fn step(game: &GameRow, version: i64, name: &str) -> Change {
    Change {
        game_id: game.id,
        portal_id: game.portal_id,
        version,
        step: Some(StepRow {
            ply: version + 1,
            seat: if version % 2 == 0 { "south" } else { "north" }.to_owned(),
            r#move: name.to_owned(),
            events: "[{\"b\":1,\"a\":2}]".to_owned(),
            at: LATER,
        }),
        state: format!("{{\"after\":{}}}", version + 1),
        status: "active",
        result: None,
        at: LATER,
        keep: None,
    }
}

async fn opened(store: &Store, game: &GameRow) -> GameRow {
    let opened = store.open(&Claim::Anonymous, game.id, None, None, AT).await.unwrap();
    opened.unwrap().game.unwrap()
}

on_both_databases! {
    async fn a_game_comes_back_as_it_was_written(database: Database) {
        let store = database.store().await;
        let written = GameRow {
            external_ref: Some("match 7".to_owned()),
            result: Some("{}".to_owned()),
            status: "finished".to_owned(),
            finished_at: Some(LATER),
            ..game(1)
        };
        assert!(store.create(&written, &seats([Some("ann"), None]), &hash(b"body"), None, Held::default()).await.unwrap());
        assert_eq!(opened(&store, &written).await, written);
        let named = store.open_portal(&Claim::Anonymous, None, Some("match 7"), AT).await.unwrap().unwrap().named;
        assert_eq!(named, Some((hash(b"body").to_vec(), written)));
        let other = store.open_portal(&Claim::Anonymous, None, Some("match 8"), AT).await.unwrap().unwrap();
        assert!(other.named.is_none() && other.kept.is_none());
    }

    async fn an_unknown_game_is_none_but_the_caller_is_known(database: Database) {
        let store = database.store().await;
        let opened = store.open(&Claim::Anonymous, id(9), None, Some(1), AT).await.unwrap().unwrap();
        assert_eq!((opened.caller.scope.as_str(), opened.caller.portal_id), ("open", LOCAL));
        assert!(opened.game.is_none() && opened.step.is_none() && opened.kept.is_none());
    }

    async fn a_step_moves_the_game_and_its_log_together(database: Database) {
        let store = database.store().await;
        let game = created(&store, 1).await;
        for version in 0..3 {
            assert!(store.change(&step(&game, version, "a"), Held::default()).await.unwrap());
        }
        let now = opened(&store, &game).await;
        assert_eq!((now.version, now.state.as_str(), now.updated_at), (3, "{\"after\":3}", LATER));
        assert_eq!((now.start_state.as_str(), now.created_at), ("{\"start\": 1}", game.created_at));
        let log = store.steps(game.id, 0, 500, &mut Held::default()).await.unwrap();
        assert_eq!(log.iter().map(|row| row.ply).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(log[1], step(&game, 1, "a").step.unwrap());
        let opened = store.open(&Claim::Anonymous, game.id, None, Some(2), AT).await.unwrap().unwrap();
        assert_eq!(opened.step.as_ref(), Some(&log[1]));
    }

    async fn a_stale_step_changes_nothing(database: Database) {
        let store = database.store().await;
        let game = created(&store, 1).await;
        assert!(store.change(&step(&game, 0, "a"), Held::default()).await.unwrap());
        for stale in [step(&game, 0, "b"), step(&game, 2, "b"), Change { keep: Some(keep("k", "x", LATER)), ..step(&game, 0, "b") }] {
            assert!(!store.change(&stale, Held::default()).await.unwrap());
        }
        assert_eq!(opened(&store, &game).await.version, 1);
        assert_eq!(store.steps(game.id, 0, 500, &mut Held::default()).await.unwrap().len(), 1);
        let slot = slot("k");
        let kept = store.open(&Claim::Anonymous, game.id, Some(&slot), None, AT).await.unwrap().unwrap().kept;
        assert!(kept.is_none());
    }

    async fn of_many_steps_on_one_version_one_is_written(database: Database) {
        let store = database.store().await;
        let game = created(&store, 1).await;
        let attempts = (0..32).map(|_| {
            let (store, change) = (store.clone(), step(&game, 0, "a"));
            tokio::spawn(async move { store.change(&change, Held::default()).await.unwrap() })
        });
        let mut written = 0;
        for attempt in attempts.collect::<Vec<_>>() {
            written += usize::from(attempt.await.unwrap());
        }
        assert_eq!(written, 1);
        assert_eq!(store.steps(game.id, 0, 500, &mut Held::default()).await.unwrap().len(), 1);
    }

    async fn steps_at_once_stand_or_fall_alone(database: Database) {
        let store = database.store().await;
        let mut attempts = Vec::new();
        for number in 0..24 {
            let game = created(&store, number).await;
            assert!(store.change(&step(&game, 0, "a"), Held::default()).await.unwrap());
            let mut change = Change { keep: Some(keep(&number.to_string(), "x", LATER)), ..step(&game, 1, "b") };
            match number % 3 {
                0 => {}
                1 => change.version = 0,
                // Its place in the log is taken, which no decision leads to and the database refuses.
                _ => change.step.as_mut().unwrap().ply = 1,
            }
            let store = store.clone();
            attempts.push((number, game, tokio::spawn(async move { store.change(&change, Held::default()).await })));
        }
        for (number, game, attempt) in attempts {
            let written = attempt.await.unwrap();
            match number % 3 {
                0 => assert!(written.unwrap()),
                1 => assert!(!written.unwrap()),
                _ => assert!(matches!(written.unwrap_err(), StoreError::Broken(_))),
            }
            let (slot, version) = (slot(&number.to_string()), if number % 3 == 0 { 2 } else { 1 });
            let opened = store.open(&Claim::Anonymous, game.id, Some(&slot), Some(2), AT).await.unwrap().unwrap();
            assert_eq!(opened.game.unwrap().version, version);
            assert_eq!((opened.step.is_some(), opened.kept.is_some()), (version == 2, version == 2));
        }
    }

    async fn of_the_steps_on_one_version_one_counts(database: Database) {
        let store = database.store().await;
        let game = created(&store, 1).await;
        let attempts: Vec<_> = (0..24)
            .map(|number: i32| {
                let change = Change { keep: Some(keep(&number.to_string(), "x", LATER)), ..step(&game, 0, "a") };
                let store = store.clone();
                tokio::spawn(async move { store.change(&change, Held::default()).await.unwrap() })
            })
            .collect();
        let mut counted = 0;
        for (number, attempt) in attempts.into_iter().enumerate() {
            let written = attempt.await.unwrap();
            counted += usize::from(written);
            let slot = slot(&number.to_string());
            let opened = store.open(&Claim::Anonymous, game.id, Some(&slot), None, AT).await.unwrap().unwrap();
            assert_eq!(opened.kept.is_some(), written, "{number}");
        }
        assert_eq!((counted, opened(&store, &game).await.version), (1, 1));
    }

    async fn an_ended_game_takes_no_change(database: Database) {
        let store = database.store().await;
        let game = created(&store, 1).await;
        let end = Change {
            step: None,
            state: game.state.clone(),
            status: "finished",
            result: Some("{\"reason\":\"resignation\"}".to_owned()),
            keep: Some(keep("end", "ended", LATER)),
            ..step(&game, 0, "a")
        };
        assert!(store.change(&end, Held::default()).await.unwrap());
        assert!(!store.change(&step(&game, 0, "a"), Held::default()).await.unwrap());
        assert!(!store.change(&end, Held::default()).await.unwrap());
        let now = opened(&store, &game).await;
        assert_eq!((now.version, now.status.as_str(), now.finished_at), (0, "finished", Some(LATER)));
        assert_eq!(now.result, end.result);
        assert!(store.steps(game.id, 0, 1, &mut Held::default()).await.unwrap().is_empty());
    }

    async fn an_answer_is_kept_with_the_step_and_found_by_its_slot_alone(database: Database) {
        let store = database.store().await;
        let game = created(&store, 1).await;
        let kept = keep("k", "answer", LATER);
        assert!(store.change(&Change { keep: Some(kept.clone()), ..step(&game, 0, "a") }, Held::default()).await.unwrap());
        let find = async |slot: &Slot, now| {
            store.open(&Claim::Anonymous, game.id, Some(slot), None, now).await.unwrap().unwrap().kept
        };
        assert_eq!(find(&kept.slot, AT).await.as_ref(), Some(&kept.answer));
        assert_eq!(find(&slot("other"), AT).await, None);
        assert_eq!(find(&Slot { scope: "POST /games".to_owned(), ..kept.slot.clone() }, AT).await, None);
        assert_eq!(find(&kept.slot, LATER).await, None, "it has expired");
    }

    async fn an_expired_answer_makes_way_and_a_live_one_stays(database: Database) {
        let store = database.store().await;
        let first = keep("k", "first", LATER);
        assert!(store.create(&game(1), &seats([None, None]), &[], Some(&first), Held::default()).await.unwrap());
        assert!(!store.create(&game(2), &seats([None, None]), &[], Some(&keep("k", "second", LATER)), Held::default()).await.unwrap());
        assert!(store.open(&Claim::Anonymous, id(2), None, None, AT).await.unwrap().unwrap().game.is_none());
        let late = GameRow { created_at: LATER, ..game(3) };
        let third = Keep { expires_at: Timestamp(LATER.0 + 1), ..keep("k", "third", LATER) };
        assert!(store.create(&late, &seats([None, None]), &[], Some(&third), Held::default()).await.unwrap());
        let kept = store.open_portal(&Claim::Anonymous, Some(&third.slot), None, LATER).await.unwrap().unwrap().kept;
        assert_eq!(kept, Some(third.answer));
    }

    async fn expired_answers_are_swept(database: Database) {
        let store = database.store().await;
        for (number, until) in [(1, AT), (2, LATER)] {
            let kept = keep(&number.to_string(), "x", until);
            assert!(store.create(&game(number), &seats([None, None]), &[], Some(&kept), Held::default()).await.unwrap());
        }
        assert_eq!(store.sweep(AT).await.unwrap(), 1);
        assert_eq!(store.sweep(AT).await.unwrap(), 0);
        assert_eq!(store.sweep(LATER).await.unwrap(), 1);
    }

    async fn an_external_reference_is_taken_once(database: Database) {
        let store = database.store().await;
        let named = |number| GameRow { external_ref: Some("match 7".to_owned()), ..game(number) };
        assert!(store.create(&named(1), &seats([None, None]), &hash(b"a"), None, Held::default()).await.unwrap());
        assert!(!store.create(&named(2), &seats([None, None]), &hash(b"b"), None, Held::default()).await.unwrap());
        let found = store.open_portal(&Claim::Anonymous, None, Some("match 7"), AT).await.unwrap().unwrap().named;
        assert_eq!(found.map(|(hash, game)| (hash, game.id)), Some((hash(b"a").to_vec(), id(1))));
        assert!(store.open(&Claim::Anonymous, id(2), None, None, AT).await.unwrap().unwrap().game.is_none());
    }

    async fn the_log_is_read_in_pages_and_by_name(database: Database) {
        let store = database.store().await;
        let game = created(&store, 1).await;
        for (version, name) in (0..).zip(["a", "B", "c", "D", "e"]) {
            assert!(store.change(&step(&game, version, name), Held::default()).await.unwrap());
        }
        let plies = async |after, limit| {
            let rows = store.steps(game.id, after, limit, &mut Held::default()).await.unwrap();
            rows.iter().map(|row| row.ply).collect::<Vec<_>>()
        };
        assert_eq!(plies(0, 2).await, [1, 2]);
        assert_eq!(plies(2, 2).await, [3, 4]);
        assert_eq!(plies(4, 2).await, [5]);
        assert!(plies(5, 2).await.is_empty());
        assert_eq!(store.moves(game.id, 3, &mut Held::default()).await.unwrap(), ["a", "B", "c"]);
        assert!(store.moves(game.id, 0, &mut Held::default()).await.unwrap().is_empty());
        assert_eq!(store.seats_moved(game.id, &mut Held::default()).await.unwrap(), 2);
        assert_eq!(store.seats_moved(id(9), &mut Held::default()).await.unwrap(), 0);
    }

    async fn pages_of_games_join_to_the_whole_under_every_filter(database: Database) {
        let store = database.store().await;
        for number in 0..84_u128 {
            let row = GameRow {
                rules: if number % 2 == 0 { "kauri" } else { "ashta-kashte" }.to_owned(),
                status: ["active", "finished", "aborted"][usize::try_from(number % 3).unwrap()].to_owned(),
                created_at: Timestamp(AT.0 + i64::try_from(number / 4).unwrap()),
                ..game(number)
            };
            let player = ["ann", "ben", "cat"][usize::try_from(number % 7 / 3).unwrap()];
            assert!(store.create(&row, &seats([Some(player), Some("cat")]), &[], None, Held::default()).await.unwrap());
        }
        let words = |words: [&str; 2]| [None, Some(words[0].to_owned()), Some(words[1].to_owned())];
        for player in words(["ann", "cat"]) {
            for rules in words(["kauri", "ashta-kashte"]) {
                for status in words(["active", "aborted"]) {
                    let filter = GameFilter { player: player.clone(), rules: rules.clone(), status: status.clone(), descending: true, limit: 100, ..GameFilter::default() };
                    let whole = store.games(LOCAL, &filter, &mut Held::default()).await.unwrap();
                    assert!(whole.is_sorted_by(|a, b| (a.created_at, a.id) > (b.created_at, b.id)));
                    let fits = |row: &GameRow| rules.as_ref().is_none_or(|r| *r == row.rules) && status.as_ref().is_none_or(|s| *s == row.status);
                    assert!(!whole.is_empty() && whole.iter().all(fits));
                    for limit in [1, 3, 7] {
                        let mut joined = Vec::new();
                        let mut after = None;
                        loop {
                            let page = store.games(LOCAL, &GameFilter { after, limit, ..filter.clone() }, &mut Held::default()).await.unwrap();
                            let Some(last) = page.last() else { break };
                            after = Some((last.created_at, last.id));
                            joined.extend(page);
                        }
                        assert_eq!(joined, whole);
                    }
                }
            }
        }
        assert!(store.games(id(9), &GameFilter { limit: 100, ..GameFilter::default() }, &mut Held::default()).await.unwrap().is_empty());
    }

    async fn keys_are_made_listed_touched_and_revoked(database: Database) {
        let store = database.store().await;
        assert!(!store.has_portal_keys().await.unwrap());
        let key = |id: &str, portal: &str| KeyRow {
            id: id.to_owned(),
            portal: portal.to_owned(),
            label: "laptop".to_owned(),
            scope: "read".to_owned(),
            created_at: AT,
            expires_at: Some(LATER),
            revoked_at: None,
            last_used_at: None,
        };
        for (number, (name, portal)) in [("k1", "club"), ("k2", "club"), ("k3", "cafe")].into_iter().enumerate() {
            store.create_key(id(number as u128), &key(name, portal), &hash(name.as_bytes())).await.unwrap();
        }
        assert!(store.has_portal_keys().await.unwrap());
        assert!(store.revoke_key("k2", LATER).await.unwrap());
        assert!(store.revoke_key("k2", Timestamp(LATER.0 + 5)).await.unwrap(), "again is no failure");
        assert!(!store.revoke_key("k9", LATER).await.unwrap());
        store.touch_key("k1", LATER).await.unwrap();
        store.touch_key("k1", AT).await.unwrap();
        let keys = store.keys(Some("club")).await.unwrap();
        let shown: Vec<_> = keys.iter().map(|key| (key.id.as_str(), key.revoked_at, key.last_used_at)).collect();
        assert_eq!(shown, [("k1", None, Some(LATER)), ("k2", Some(LATER), None)], "never later, never earlier");
        assert_eq!(store.keys(None).await.unwrap().len(), 3);

        let opened = store.open_portal(&Claim::PortalKey("k2".to_owned()), None, None, AT).await.unwrap().unwrap();
        assert_eq!(opened.caller.secret_hash, Some(hash(b"k2").to_vec()));
        assert_eq!((opened.caller.portal_id, opened.caller.scope.as_str()), (id(0), "read"));
        assert_eq!((opened.caller.expires_at, opened.caller.revoked_at), (Some(LATER), Some(LATER)));
        for unknown in [Claim::Anonymous, Claim::PortalKey("k9".to_owned()), Claim::SeatToken(id(1), Seat::South)] {
            assert!(store.open_portal(&unknown, None, None, AT).await.unwrap().is_none(), "{unknown:?}");
        }
    }

    async fn portals_are_strict_or_lenient(database: Database) {
        let store = database.store().await;
        assert!(store.set_strict("local", true).await.unwrap());
        assert!(!store.set_strict("nowhere", true).await.unwrap());
        let portals = store.portals().await.unwrap();
        assert_eq!(portals.iter().map(|p| (p.name.as_str(), p.strict)).collect::<Vec<_>>(), [("local", true)]);
        let caller = store.open_portal(&Claim::Anonymous, None, None, AT).await.unwrap().unwrap().caller;
        assert!(caller.strict);
    }

    async fn a_seat_token_finds_its_seat_and_another_portal_finds_nothing(database: Database) {
        let store = database.store().await;
        let game = created(&store, 1).await;
        let claim = Claim::SeatToken(game.id, Seat::North);
        let opened = store.open(&claim, game.id, None, None, AT).await.unwrap().unwrap();
        assert_eq!(opened.caller.secret_hash, Some(hash(b"north").to_vec()));
        assert_eq!(opened.caller.scope, "seat");
        assert!(store.open(&Claim::SeatToken(game.id, Seat::West), game.id, None, None, AT).await.unwrap().is_none());

        let key = KeyRow {
            id: "k1".to_owned(),
            portal: "club".to_owned(),
            label: String::new(),
            scope: "play".to_owned(),
            created_at: AT,
            expires_at: None,
            revoked_at: None,
            last_used_at: None,
        };
        store.create_key(id(7), &key, &hash(b"k1")).await.unwrap();
        let other = store.open(&Claim::PortalKey("k1".to_owned()), game.id, None, Some(1), AT).await.unwrap().unwrap();
        assert!(other.game.is_none());
    }

    async fn a_closed_store_is_unavailable(database: Database) {
        let store = database.store().await;
        store.ready().await.unwrap();
        let game = created(&store, 1).await;
        store.close().await;
        assert!(matches!(store.ready().await, Err(StoreError::Unavailable(_))));
        assert!(matches!(store.change(&step(&game, 0, "a"), Held::default()).await, Err(StoreError::Unavailable(_))));
        assert!(matches!(store.create(&game, &[], &[], None, Held::default()).await, Err(StoreError::Unavailable(_))));
    }

    async fn connecting_again_finds_what_was_there(database: Database) {
        let store = database.store().await;
        let game = created(&store, 1).await;
        assert!(store.change(&step(&game, 0, "a"), Held::default()).await.unwrap());
        store.close().await;
        let again = database.store().await;
        assert_eq!(opened(&again, &game).await.version, 1);
        assert_eq!(again.moves(game.id, 9, &mut Held::default()).await.unwrap(), ["a"]);
    }
}

/// Another transaction writes to a game and takes its time: steps of other games, written in groups, don't wait for it,
/// and the step of this one is made once it has ended.
#[tokio::test]
async fn one_stuck_game_holds_up_no_other() {
    let database = Database::postgres().await;
    let store = database.store().await;
    let stuck = created(&store, 0).await;
    let mut others = Vec::new();
    for number in 1..24 {
        others.push(created(&store, number).await);
    }
    let mut writer = sqlx::PgConnection::connect(&database.config().database_url).await.unwrap();
    sqlx::raw_sql("BEGIN").execute(&mut writer).await.unwrap();
    let lock = "SELECT id FROM games WHERE id = $1 FOR UPDATE";
    sqlx::query(lock).bind(stuck.id).execute(&mut writer).await.unwrap();
    let attempt = |game: &GameRow| {
        let (store, change) = (store.clone(), step(game, 0, "a"));
        tokio::spawn(async move { store.change(&change, Held::default()).await.unwrap() })
    };
    let waits = attempt(&stuck);
    for written in others.iter().map(attempt).collect::<Vec<_>>() {
        assert!(written.await.unwrap());
    }
    assert!(!waits.is_finished());
    sqlx::raw_sql("COMMIT").execute(&mut writer).await.unwrap();
    assert!(waits.await.unwrap());
    assert_eq!(opened(&store, &stuck).await.version, 1);
}

/// Another process writes to the file and takes its time: more steps than there are connections wait for it, and none of
/// them keeps a connection from those who read.
#[tokio::test]
async fn reads_go_on_while_steps_wait() {
    let database = Database::sqlite().await;
    let store = database.store().await;
    let mut games = Vec::new();
    for number in 0..24 {
        games.push(created(&store, number).await);
    }
    let mut writer = sqlx::SqliteConnection::connect(&database.config().database_url).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut writer).await.unwrap();
    let mut attempts = Vec::new();
    for game in &games {
        let opened = store.open(&Claim::Anonymous, game.id, None, None, AT).await.unwrap().unwrap();
        let (store, change) = (store.clone(), step(game, 0, "a"));
        attempts.push(tokio::spawn(async move { store.change(&change, opened.held).await.unwrap() }));
    }
    assert_eq!(opened(&store, &games[0]).await.version, 0);
    sqlx::raw_sql("COMMIT").execute(&mut writer).await.unwrap();
    for attempt in attempts {
        assert!(attempt.await.unwrap());
    }
}
