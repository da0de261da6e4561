//! Pages joined are one unpaged query: by every filter alone and many at once, in every order, at every size.

use super::model::{Listed, PORTAL, write_before};
use crate::app::{Database, on_both_databases};
use crate::beside::Beside;
use crate::chance::SplitMix64;
use kauri::store::{Clock, GameFilter, Held, Store};
use kauri::timestamp::Timestamp;
use uuid::Uuid;

/// The version of the migration by which games came to be found.
pub(super) const MIGRATION: i64 = 20_261_130_110_000;

pub(super) const ORDERS: [(Clock, bool); 4] =
    [(Clock::Created, true), (Clock::Created, false), (Clock::Finished, true), (Clock::Finished, false)];

/// By definition: all of them, those that fit, in order.
fn expected(games: &[Listed], filter: &GameFilter) -> Vec<Uuid> {
    let fitting = games.iter().filter(|game| game.fits(filter));
    let mut places: Vec<_> = fitting.map(|game| game.place(filter.clock)).collect();
    places.sort_unstable();
    if filter.descending {
        places.reverse();
    }
    places.into_iter().map(|(_, id)| id).collect()
}

/// Page after page.
async fn joined(store: &Store, filter: &GameFilter, limit: i64) -> Vec<Uuid> {
    let mut filter = GameFilter { limit, ..filter.clone() };
    let mut ids = Vec::new();
    loop {
        let page = store.games(PORTAL, &filter, &mut Held::default()).await.unwrap();
        let Some(last) = page.last() else { return ids };
        let at = match filter.clock {
            Clock::Created => last.created_at,
            Clock::Finished => last.finished_at.unwrap(),
        };
        filter.after = Some((at, last.id));
        ids.extend(page.iter().map(|row| row.id));
    }
}

async fn holds(store: &Store, games: &[Listed], filter: &GameFilter, limits: &[i64]) {
    let expected = expected(games, filter);
    for &limit in limits {
        assert_eq!(joined(store, filter, limit).await, expected, "{limit} of {filter:?}");
    }
}

/// What a filter asks for: some of what is true of a game, and now and then something that is not.
fn any_filter(chance: &mut SplitMix64, game: &Listed, only: Option<usize>) -> GameFilter {
    let mut filter = GameFilter::default();
    let asked: Vec<bool> =
        (0..11).map(|kind| only.map_or(chance.below(4) == 0, |only| only == kind)).collect();
    let (seat, name) = chance.pick(&game.seats);
    let name = name.unwrap_or("ben").to_owned();
    let needs_player = asked[1] || asked[2] || asked[3];
    filter.player = (asked[0] || needs_player).then_some(name);
    filter.seat = asked[1].then_some(*seat);
    filter.opponent = asked[2].then(|| chance.pick(&game.seats).1.unwrap_or("ann").to_owned());
    filter.result = asked[3].then(|| *chance.pick(&["won", "lost"]));
    if asked[4] {
        filter.result = Some(*chance.pick(&[game.winner.map_or("void", kauri_rules::Seat::as_str), "south"]));
    }
    filter.rules = asked[5].then(|| game.rules.to_owned());
    filter.status = asked[6].then(|| (*chance.pick(&[game.status, game.status, "active"])).to_owned());
    filter.tag = asked[7].then(|| game.tags.first().copied().unwrap_or("é").to_owned());
    filter.external_ref = asked[8].then(|| game.external_ref.clone().unwrap_or("nobody's".to_owned()));
    let mut near = |at: Timestamp| Timestamp(at.0 + i64::try_from(chance.below(21)).unwrap() - 10);
    if asked[9] {
        filter.created_from = Some(near(game.created_at));
        filter.created_before = Some(Timestamp(near(game.created_at).0 + 60));
    }
    if asked[10] {
        filter.finished_from = Some(near(game.finished_at.unwrap_or(game.created_at)));
        filter.finished_before = filter.finished_from.map(|at| Timestamp(at.0 + 60));
    }
    filter
}

async fn the_law(store: &Store, games: &[Listed], chance: &mut SplitMix64, combinations: usize) {
    let alone = (0..11).flat_map(|kind| [Some(kind), Some(kind)]);
    for only in alone.chain((0..combinations).map(|_| None)) {
        let filter = any_filter(chance, chance.clone().pick(games), only);
        for (clock, descending) in ORDERS {
            let filter = GameFilter { clock, descending, ..filter.clone() };
            let limits: &[i64] = match expected(games, &filter).len() {
                0..30 => &[1, 2, 7, 100],
                30..200 => &[7, 100],
                _ => &[100],
            };
            holds(store, games, &filter, limits).await;
        }
    }
}

/// What is counted about each player, by definition.
async fn the_figures(store: &Store, games: &[Listed]) {
    for player in ["ann", "ben", "日本", "nobody"] {
        let counted = store.player(PORTAL, player, &mut Held::default()).await.unwrap();
        let open = games.iter().filter(|game| {
            game.status == "active" && game.seats.iter().any(|(_, name)| *name == Some(player))
        });
        assert_eq!(counted.open, i64::try_from(open.count()).unwrap(), "{player}");
        let seats: usize = games
            .iter()
            .map(|game| game.seats.iter().filter(|(_, name)| *name == Some(player)).count())
            .sum();
        let tallied: i64 = counted.tallies.iter().map(|tally| tally.games).sum();
        assert_eq!(tallied, i64::try_from(seats).unwrap(), "{player}");
        for tally in &counted.tallies {
            let result = ["won", "lost"].into_iter().find(|word| *word == tally.outcome);
            let Some(result) = result else { continue };
            let filter = GameFilter {
                player: Some(player.to_owned()),
                seat: Some(tally.seat.parse().unwrap()),
                rules: Some(tally.rules.clone()),
                result: Some(result),
                ..GameFilter::default()
            };
            assert_eq!(tally.games, i64::try_from(expected(games, &filter).len()).unwrap(), "{tally:?}");
        }
    }
}

on_both_databases! {
    async fn pages_joined_are_one_list_of_games_that_were_there_before(database: Database) {
        let mut chance = SplitMix64::new(11);
        let games: Vec<Listed> = (0..1_500).map(|number| Listed::any(&mut chance, number, number < 1_000)).collect();
        let mut beside = Beside::open(&database).await;
        beside.migrate_before(MIGRATION).await;
        write_before(&games, &mut beside).await;
        beside.close().await;
        let store = database.store().await;
        for (clock, descending) in ORDERS {
            let all = GameFilter { clock, descending, ..GameFilter::default() };
            holds(&store, &games, &all, &[7, 100]).await;
        }
        // A thousand of one moment, one by one.
        let one_by_one = GameFilter { created_before: Some(Timestamp(games[0].created_at.0 + 1)), ..GameFilter::default() };
        holds(&store, &games, &GameFilter { descending: true, ..one_by_one.clone() }, &[1, 2]).await;
        holds(&store, &games, &GameFilter { clock: Clock::Finished, ..one_by_one }, &[1, 2]).await;
        the_law(&store, &games, &mut chance, 60).await;
        the_figures(&store, &games).await;
    }

    async fn pages_joined_are_one_list_of_games_that_were_played(database: Database) {
        let mut chance = SplitMix64::new(12);
        let games: Vec<Listed> = (0..150).map(|number| Listed::any(&mut chance, number, number < 60)).collect();
        let store = database.store().await;
        for game in &games {
            game.write(&store).await;
        }
        the_law(&store, &games, &mut chance, 150).await;
        the_figures(&store, &games).await;
    }
}
