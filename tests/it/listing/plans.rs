//! Any page of any filter is a range of an index, with 100,000 games: nothing is sorted, and nothing is read that is
//! not on the page.

use super::law::{MIGRATION, ORDERS};
use super::model::PORTAL;
use crate::app::{Database, on_both_databases};
use crate::beside::Beside;
use kauri::store::{Clock, GameFilter, Store};
use kauri::timestamp::Timestamp;
use kauri_rules::Seat;
use uuid::Uuid;

/// As many games as a page of 100 looks at.
const LIMIT: i64 = 101;

impl Beside {
    /// 100,000 games, of which one in five has ended and one in eleven has named players.
    async fn fill(&mut self) {
        let (numbers, id, portal) = match self {
            Self::Postgres(_) => (
                "generate_series(1, 100000) AS t (n)",
                "CAST('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') AS UUID)",
                "CAST('00000000-0000-0000-0000-000000000000' AS UUID)",
            ),
            Self::Sqlite(_) => (
                "(WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 100000) SELECT n FROM t)",
                "unhex(printf('00000000000070008000%012x', n))",
                "zeroblob(16)",
            ),
        };
        let none = self.bytes("");
        let seat = |seat: &str, player: &str| {
            format!(
                "INSERT INTO game_seats (game_id, seat, portal_id, player, token_hash, created_at)
                 SELECT {id}, '{seat}', {portal}, CASE WHEN n % 11 = 0 THEN {player} END, {none}, n * 1000
                 FROM {numbers};"
            )
        };
        self.run(format!(
            "INSERT INTO games (id, portal_id, rules, throws, status, version, start_state, state, result, seats, tags,
               external_ref, created_at, updated_at, finished_at)
             SELECT {id}, {portal}, CASE n % 2 WHEN 0 THEN 'kauri' ELSE 'ashta-kashte' END, 'server',
               CASE WHEN n % 10 < 8 THEN 'active' WHEN n % 10 < 9 THEN 'finished' ELSE 'aborted' END,
               0, '{{}}', '{{\"to_move\":\"south\"}}',
               CASE WHEN n % 10 < 8 THEN NULL WHEN n % 30 < 10 THEN '{{\"winner\":\"south\"}}'
                 WHEN n % 10 < 9 THEN '{{\"winner\":\"north\"}}' ELSE '{{}}' END,
               '[]', CASE n % 10 WHEN 8 THEN '[\"ladder\"]' ELSE '[]' END,
               CASE n % 100 WHEN 0 THEN 'ref ' || n END, n * 1000, 0,
               CASE WHEN n % 10 >= 8 THEN n * 1000 + n * 7919 % 100000 * 100 END
             FROM {numbers};
             INSERT INTO external_refs (portal_id, external_ref, body_hash, game_id)
             SELECT {portal}, 'ref ' || n, {none}, {id} FROM {numbers} WHERE n % 100 = 0;"
        ))
        .await;
        self.run(seat("south", "CASE WHEN n % 4 < 2 THEN 'ann' ELSE 'p' || n % 97 END")).await;
        self.run(seat("north", "CASE WHEN n % 4 < 2 THEN 'q' || n % 89 ELSE 'ann' END")).await;
    }
}

/// Each filter alone, and those for which two have a range of their own.
fn filters() -> Vec<GameFilter> {
    let ann = || GameFilter { player: Some("ann".to_owned()), ..GameFilter::default() };
    let word = |word: &str| Some(word.to_owned());
    let mut filters = vec![
        GameFilter::default(),
        ann(),
        GameFilter { seat: Some(Seat::North), ..ann() },
        GameFilter { opponent: word("p7"), ..ann() },
        GameFilter { result: Some("won"), ..ann() },
        GameFilter { result: Some("lost"), ..ann() },
        GameFilter { rules: word("kauri"), ..ann() },
        GameFilter { status: word("active"), ..ann() },
        GameFilter { result: Some("north"), ..GameFilter::default() },
        GameFilter { result: Some("void"), ..GameFilter::default() },
        GameFilter { tag: word("ladder"), ..GameFilter::default() },
        GameFilter { external_ref: word("ref 4100"), ..GameFilter::default() },
        GameFilter { rules: word("ashta-kashte"), ..GameFilter::default() },
    ];
    filters.extend(
        ["active", "finished", "aborted"]
            .map(|status| GameFilter { status: word(status), ..GameFilter::default() }),
    );
    filters
}

/// The times that a list of this order may be bounded by.
fn bounded(filter: &GameFilter) -> GameFilter {
    let (from, before) = (Some(Timestamp(20_000_000)), Some(Timestamp(80_000_000)));
    match filter.clock {
        Clock::Created => GameFilter { created_from: from, created_before: before, ..filter.clone() },
        Clock::Finished => GameFilter { finished_from: from, finished_before: before, ..filter.clone() },
    }
}

/// What a plan may not have.
fn is_a_range(plan: &[String], filter: &GameFilter) {
    let text = plan.join("\n");
    // The one game of a name may be out of the times asked for.
    let removed = if filter.external_ref.is_none() { "Rows Removed" } else { "Rows Removed by Filter: 2" };
    for word in ["Seq Scan", "Sort", "Bitmap", "Hash", "SCAN", "TEMP B-TREE", removed] {
        assert!(!text.contains(word), "{word} for {filter:?}:\n{text}");
    }
    let reads = |line: &&String| (line.contains("Scan") && line.contains("using")) || line.contains("SEARCH");
    let first = plan.iter().find(reads).unwrap_or_else(|| panic!("{filter:?}:\n{text}"));
    // Postgres tells how much it has read, SQLite how far into the index it goes.
    if let Some(rows) = first.split("actual rows=").nth(1) {
        let rows: f64 = rows.split(' ').next().unwrap().parse().unwrap();
        assert!(rows <= 101.0, "{filter:?}:\n{text}");
    } else if filter.after.is_some() && filter.external_ref.is_none() {
        let entered = ["id)<(?,?)", "id)>(?,?)"].iter().any(|end| first.contains(end));
        assert!(entered, "{filter:?}:\n{text}");
    }
}

async fn every_page_is_a_range(store: &Store) {
    for (clock, descending) in ORDERS {
        for filter in filters() {
            let filter = GameFilter { clock, descending, limit: LIMIT, ..filter };
            let deep = Some((Timestamp(50_000_000), Uuid::from_u128(7)));
            for filter in [bounded(&filter), filter] {
                for after in [None, deep] {
                    let filter = GameFilter { after, ..filter.clone() };
                    is_a_range(&store.games_plan(PORTAL, &filter).await.unwrap(), &filter);
                }
            }
        }
    }
}

on_both_databases! {
    async fn every_page_of_every_filter_is_a_range_of_an_index(database: Database) {
        let mut beside = Beside::open(&database).await;
        beside.migrate_before(MIGRATION).await;
        beside.fill().await;
        let store = database.store().await;
        beside.run("ANALYZE".to_owned()).await;
        beside.close().await;
        every_page_is_a_range(&store).await;
    }
}
