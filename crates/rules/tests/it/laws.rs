//! What holds for every game in every position that random play comes to.

use crate::games::{Chance, Game, always_alike, games, pick, walk};
use kauri_rules::{AshtaKashte, Event, Kauri, Options, Position, RulesId, Seat, State, Turn};
use proptest::prelude::*;

/// Position → state → JSON → state → position changes nothing.
fn round_trip<G: Game>(position: &G) {
    let state = position.to_state();
    let text = serde_json::to_string(&state).unwrap();
    let read: State = serde_json::from_str(&text).unwrap();
    assert_eq!(read, state);
    assert_eq!(G::from_state(&read).unwrap(), *position);
}

/// Listed ⇔ allowed ⇔ played; and a step exists exactly while the game is not over.
fn legal_is_listed<G: Game>(position: &G) {
    let listed: Vec<_> = position.legal_steps().collect();
    assert_eq!(position.legal_steps().len(), listed.len());
    assert_eq!(matches!(position.turn(), Turn::Over(_)), listed.is_empty());
    let mut found = 0;
    for name in G::names() {
        let step = G::parse_step(&name).unwrap();
        assert_eq!(G::step_name(step), name);
        let mut next = *position;
        let played = next.play(step, |_| ());
        assert_eq!(played, position.check(step), "{name}");
        assert_eq!(played.is_ok(), listed.contains(&step), "{name} {:?}", position.to_state());
        assert!(played.is_ok() || next == *position, "{name} changed something");
        found += usize::from(played.is_ok());
    }
    assert_eq!(found, listed.len(), "every listed step has a name, and none is listed twice");
    for n in 0..=listed.len() {
        assert_eq!(position.legal_steps().nth(n), listed.get(n).copied());
    }
}

pub(crate) fn told<G: Game>(before: &G, step: G::Step) -> Vec<Event> {
    let (mut position, mut events) = (*before, Vec::new());
    position.play(step, |event| events.push(event)).unwrap();
    events
}

/// The dynamic face says what the position says, before and after a step.
fn dynamic_is_typed<G: Game>(before: &G, step: G::Step, after: &G) {
    let rules = G::RULES.rules();
    let view = rules.view(&before.to_state()).unwrap();
    assert_eq!(view.legal_moves, before.legal_steps().map(G::step_name).collect::<Vec<_>>());
    let events = told(before, step);
    let (played, view) = rules.apply(&before.to_state(), G::step_name(step)).unwrap();
    assert_eq!((played.seat, played.r#move, played.events), (before.to_move(), G::step_name(step), events));
    assert_eq!(view.state, after.to_state());
    assert_eq!(view.result.is_some(), matches!(after.turn(), Turn::Over(_)));
}

/// `over` is told exactly by the step that ends the game, last.
fn the_end_is_told<G: Game>(before: &G, step: G::Step, after: &G) {
    let events = told(before, step);
    let told: Vec<_> = events.iter().filter(|event| event.r#type == "over").collect();
    match after.turn() {
        Turn::Over(outcome) => {
            assert_eq!(told, [events.last().unwrap()]);
            assert_eq!(told[0].seat, Some(outcome.winner));
            assert!(outcome.places.is_empty() || outcome.places.iter().next() == Some(outcome.winner));
        }
        _ => assert_eq!(told.len(), 0),
    }
}

/// All moves at once come to what they come to one by one.
fn replay_is_step_by_step<G: Game>(start: G, choices: &[u16]) {
    let rules = G::RULES.rules();
    let (mut names, mut states) = (Vec::new(), Vec::new());
    let last = walk(start, choices, |_, step, after| {
        names.push(G::step_name(step));
        states.push(after.to_state());
    });
    let mut told = Vec::new();
    let view = rules
        .replay(&start.to_state(), &mut names.iter().copied(), &mut |played| told.push(played.r#move))
        .unwrap()
        .unwrap();
    assert_eq!((view.state, &told), (last.to_state(), &names));
    // A move that can't be made is named, and what came before it was made.
    let broken = names.len() / 2;
    names.insert(broken, "nonsense");
    let bad = rules.replay(&start.to_state(), &mut names.into_iter(), &mut |_| ()).unwrap().unwrap_err();
    let before = if broken == 0 { start.to_state() } else { states.swap_remove(broken - 1) };
    assert_eq!((bad.index, bad.illegal.code, bad.view.state), (broken, "unknown_move", before));
}

/// Steps that are not allowed leave a position that can be, even unchecked, or panic.
fn unchecked_stays_possible<G: Game>(position: &G) {
    for name in G::names() {
        let mut next = *position;
        next.play_unchecked(G::parse_step(&name).unwrap(), |_| ());
        round_trip(&next);
    }
}

fn all_laws<G: Game>(start: G, choices: &[u16]) {
    round_trip(&start);
    let mut number = 0;
    let last = walk(start, choices, |before, step, after| {
        round_trip(after);
        G::conserved(&after.to_state());
        dynamic_is_typed(before, step, after);
        the_end_is_told(before, step, after);
        // The dear laws are checked on every eighth position.
        number += 1;
        if number % 8 == 0 {
            legal_is_listed(after);
        }
    });
    legal_is_listed(&start);
    legal_is_listed(&last);
    unchecked_stays_possible(&last);
    replay_is_step_by_step(start, choices);
}

proptest! {
    #![proptest_config(always_alike(128))]

    #[test]
    fn kauri_obeys_the_laws((start, choices) in games::<Kauri>()) {
        all_laws(start, &choices);
    }

    #[test]
    fn ashta_kashte_obeys_the_laws((start, choices) in games::<AshtaKashte>()) {
        all_laws(start, &choices);
    }
}

/// Finishes a game, however long it takes.
fn ends<G: Game>(start: G, seed: u64) -> usize {
    let mut chance = Chance(seed);
    let mut position = start;
    for steps in 0..100_000 {
        match pick(&position, chance.next()) {
            Some(step) => position.play_unchecked(step, |_| ()),
            None => return steps,
        }
    }
    panic!("no end: {:?}", position.to_state());
}

#[test]
fn random_games_end() {
    for seed in 1..=300 {
        ends(Kauri::initial(None, &Options::default()).unwrap(), seed);
        let options = Options {
            route: Some(if seed % 2 == 0 { "spiral" } else { "reversing" }.to_owned()),
            places: Some(seed % 3 == 0),
            extra_turn: Some(seed % 5 == 0),
            doubles_block: Some(seed % 7 == 0),
        };
        ends(AshtaKashte::initial(Some(&Seat::ALL), &options).unwrap(), seed);
    }
}

#[test]
fn rules_are_found_by_name() {
    for id in RulesId::ALL {
        assert_eq!(id.as_str().parse(), Ok(id));
        assert_eq!((id.rules().id(), id.to_string().as_str()), (id, id.as_str()));
    }
    assert!("Kauri".parse::<RulesId>().is_err());
}
