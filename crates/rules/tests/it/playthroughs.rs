//! Games recorded move by move: what they came to when they were recorded, they come to for ever.
//!
//! `KAURI_RECORD=1 cargo test -p kauri-rules` records them again, for a change of rules that is meant.

use crate::games::{Chance, Game, pick};
use kauri_rules::{AshtaKashte, Kauri, Options, RulesId, Seat};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

/// A recorded game: lines of `key: value`.
struct Record {
    name: String,
    rules: RulesId,
    seats: Vec<Seat>,
    options: Options,
    moves: String,
}

/// Everything a record says of a game: how it went, how it ended, and what happened how often.
fn text(record: &Record) -> String {
    let rules = record.rules.rules();
    let start = rules.initial(Some(&record.seats), &record.options).unwrap();
    let mut events = BTreeMap::new();
    let mut count = |played: kauri_rules::Played| {
        for event in played.events {
            let what =
                event.clause.map_or(event.r#type.to_owned(), |clause| format!("{} {clause}", event.r#type));
            *events.entry(what).or_insert(0) += 1;
        }
    };
    let mut moves = record.moves.split_whitespace();
    let view = rules.replay(&start.state, &mut moves, &mut count).unwrap().unwrap();

    let seats: Vec<&str> = record.seats.iter().map(|seat| seat.as_str()).collect();
    let events: Vec<_> = events.iter().map(|(what, number)| format!("{what} {number}")).collect();
    let mut text = String::new();
    let mut line = |key: &str, value: &str| writeln!(text, "{key}: {value}").unwrap();
    line("rules", record.rules.as_str());
    line("seats", &seats.join(" "));
    line("options", &serde_json::to_string(&record.options).unwrap());
    line("moves", &record.moves);
    line("events", &events.join(", "));
    line("state", &serde_json::to_string(&view.state).unwrap());
    line("result", &serde_json::to_string(&view.result).unwrap());
    text
}

fn read(name: &str, text: &str) -> Record {
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        line.unwrap_or_else(|| panic!("{name} has no {key}"))
    };
    Record {
        name: name.to_owned(),
        rules: value("rules").parse().unwrap(),
        seats: value("seats").split(' ').map(|seat| seat.parse().unwrap()).collect(),
        options: serde_json::from_str(value("options")).unwrap(),
        moves: value("moves").to_owned(),
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/playthroughs")
}

/// A random game, to its end.
fn play<G: Game>(name: String, seats: &[Seat], options: Options, seed: u64) -> Record {
    let mut position = G::initial(Some(seats), &options).unwrap();
    let (mut chance, mut moves) = (Chance(seed), Vec::new());
    while let Some(step) = pick(&position, chance.next()) {
        moves.push(G::step_name(step));
        position.play_unchecked(step, |_| ());
    }
    Record { name, rules: G::RULES, seats: seats.to_vec(), options, moves: moves.join(" ") }
}

/// One game of each kind: seats, route, and the three choices.
fn random_games() -> Vec<Record> {
    use Seat::{East, North, South, West};
    let mut records = Vec::new();
    for event in ["capture K6", "over K9", "over K10", "pass K8"] {
        let game = |seed| play::<Kauri>(format!("kauri-{seed}"), &[South, North], Options::default(), seed);
        let shows = |record: &Record| text(record).contains(event);
        records.push((1 + records.len() as u64..10_000).map(game).find(shows).unwrap());
    }
    let tables: [&[Seat]; 4] =
        [&[South, North], &[West, South], &[North, East, South], &[South, West, North, East]];
    for (table, seats) in tables.into_iter().enumerate() {
        for choices in 0..8 {
            let options = Options {
                route: Some(if (table + choices) % 2 == 0 { "spiral" } else { "reversing" }.to_owned()),
                places: Some(choices & 1 > 0),
                extra_turn: Some(choices & 2 > 0),
                doubles_block: Some(choices & 4 > 0),
            };
            let name = format!("ashta-kashte-{}-{choices}", 1 + table);
            records.push(play::<AshtaKashte>(name, seats, options, 11 + 8 * table as u64 + choices as u64));
        }
    }
    records
}

#[test]
fn recorded_games_come_to_the_same() {
    if env::var_os("KAURI_RECORD").is_some() {
        fs::create_dir_all(folder()).unwrap();
        for record in random_games() {
            fs::write(folder().join(&record.name).with_extension("txt"), text(&record)).unwrap();
        }
    }
    let mut found = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let recorded = fs::read_to_string(&path).unwrap();
        let record = read(&path.display().to_string(), &recorded);
        assert_eq!(text(&record), recorded, "{}", record.name);
        found += 1;
    }
    assert!(found >= 36, "{found} games are recorded");
}

#[test]
fn recorded_games_show_every_kind_of_event() {
    let all: String = fs::read_dir(folder())
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    for event in [
        "capture K5",
        "capture K6",
        "pass K8",
        "over K9",
        "over K10",
        "capture A7",
        "capture A11",
        "double A9",
        "finish A13",
        "pass A14",
        "over A16",
    ] {
        assert!(all.contains(event), "{event}");
    }
}
