//! Bytes as a game: seats, options, then one byte a step. What is listed can be played, nothing else can, and
//! the position stays one that can be.

#![no_main]

use kauri_rules::{AshtaKashte, Kauri, Options, Position, Seat, Turn};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [kind, seats, choices @ ..] = bytes else { return };
    let seats: Vec<Seat> = Seat::ALL.into_iter().filter(|seat| seats >> seat.index() & 1 == 1).collect();
    let options = Options {
        route: Some(if kind & 2 == 0 { "spiral" } else { "reversing" }.to_owned()),
        places: Some(kind & 4 > 0),
        extra_turn: Some(kind & 8 > 0),
        doubles_block: Some(kind & 16 > 0),
    };
    if kind & 1 == 0 {
        let names: Vec<String> = ('a'..='f').chain('A'..='F').map(String::from).collect();
        play(Kauri::initial(None, &Options::default()).expect("the start"), &names, choices);
    } else if let Ok(start) = AshtaKashte::initial(Some(&seats), &options) {
        let squares = (1..=7).flat_map(|rank| ('a'..='g').map(move |file| format!("{file}{rank}")));
        let throws = [1, 2, 3, 4, 8].map(|number| format!("throw:{number}"));
        let names: Vec<String> = squares.chain(throws).chain(["enter".to_owned()]).collect();
        play(start, &names, choices);
    }
});

fn play<P: Position>(mut position: P, names: &[String], choices: &[u8]) {
    for &choice in choices {
        let listed: Vec<P::Step> = position.legal_steps().collect();
        assert_eq!(listed.is_empty(), matches!(position.turn(), Turn::Over(_)));
        for name in names {
            let step = P::parse_step(name).expect("a name");
            assert_eq!(position.check(step).is_ok(), listed.contains(&step), "{name}");
        }
        let Some(&step) = listed.get(usize::from(choice) % listed.len().max(1)) else { return };
        position.play(step, |_| ()).expect("a listed step");
        assert_eq!(P::from_state(&position.to_state()), Ok(position));
    }
}
