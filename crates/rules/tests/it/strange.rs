//! Whatever is posted, nothing panics: states from nowhere, and states of games with a few members changed.

use crate::games::{Game, always_alike, games, walk};
use kauri_rules::ashta_kashte::{self, SetupOptions, SetupSeat};
use kauri_rules::kauri::{self, SetupPit, SetupSide};
use kauri_rules::{AshtaKashte, InvalidState, Kauri, RulesId, Seat, State};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn seats() -> impl Strategy<Value = Seat> {
    select(Seat::ALL.to_vec())
}

fn kauri() -> impl Strategy<Value = kauri::Setup> {
    let pit = (any::<u8>(), any::<u8>()).prop_map(|(beads, cowries)| SetupPit { beads, cowries });
    let side = (vec(pit, 4..8), any::<u8>()).prop_map(|(pits, store)| SetupSide { pits, store });
    [side.clone(), side].prop_map(|[south, north]| kauri::Setup { south, north })
}

fn ashta_kashte() -> impl Strategy<Value = ashta_kashte::Setup> {
    let piece = "hand|finished|[a-g][1-7]|.{0,3}".prop_map(Into::into);
    let seat = (seats(), vec(piece, 3..6), option::of(any::<u8>()))
        .prop_map(|(seat, pieces, place)| SetupSeat { seat, pieces, place });
    let options = ("spiral|reversing|.?", any::<[bool; 3]>()).prop_map(
        |(route, [places, extra_turn, doubles_block])| SetupOptions {
            route: route.into(),
            places,
            extra_turn,
            doubles_block,
        },
    );
    (options, option::of(any::<u8>()), vec(seat, 0..6))
        .prop_map(|(options, throw, seats)| ashta_kashte::Setup { options, throw, seats })
}

/// States from nowhere; hardly one of them can be.
fn from_nowhere() -> impl Strategy<Value = State> {
    ("kauri|ashta-kashte|.?", seats(), option::of(kauri()), option::of(ashta_kashte()))
        .prop_map(|(rules, to_move, kauri, ashta_kashte)| State { rules, to_move, kauri, ashta_kashte })
}

/// States of games with up to three members changed; many of them can be.
fn from_games<G: Game>() -> impl Strategy<Value = State> {
    let change = (0..8_usize, 0..4_usize, 0..6_usize, any::<u8>());
    (games::<G>(), vec(change, 0..=3)).prop_map(|((start, choices), changes)| {
        let mut state = walk(start, &choices, |_, _, _| ()).to_state();
        for change in changes {
            spoil(&mut state, change);
        }
        state
    })
}

fn spoil(state: &mut State, (what, first, second, number): (usize, usize, usize, u8)) {
    if what == 0 {
        state.to_move = Seat::ALL[first];
    }
    if let Some(setup) = &mut state.kauri {
        let side = if first % 2 == 0 { &mut setup.south } else { &mut setup.north };
        match what {
            1 => side.store = side.store.wrapping_add(number),
            2 => side.pits[second].beads = side.pits[second].beads.wrapping_add(number),
            3 => side.pits[second].cowries = side.pits[second].cowries.wrapping_sub(number),
            // Moves what lies in one place to another, so that the totals stay.
            4 | 5 => side.store = side.store.wrapping_add(std::mem::take(&mut side.pits[second].beads)),
            6 => {
                let moved = std::mem::take(&mut side.pits[1 + second % 5].cowries);
                side.pits[0].cowries = side.pits[0].cowries.wrapping_add(moved);
            }
            _ => side.pits.rotate_left(second),
        }
    }
    if let Some(setup) = &mut state.ashta_kashte {
        let at = first % setup.seats.len();
        let finished = || "finished".into();
        match what {
            1 => setup.throw = [None, Some(1), Some(2), Some(4), Some(8), Some(number)][second],
            2 => setup.seats[at].place = Some(number % 6).filter(|&place| place < 5),
            3 => setup.options.places = !setup.options.places,
            4 => setup.seats[at].pieces = vec![finished(), finished(), finished(), finished()],
            5 => setup.seats[at].pieces[second % 4] = finished(),
            6 => setup.seats[at].pieces[second % 4] = "c4".into(),
            _ => setup.seats.rotate_left(at),
        }
    }
}

fn states() -> impl Strategy<Value = State> {
    prop_oneof![from_nowhere(), from_games::<Kauri>(), from_games::<AshtaKashte>()]
}

/// Texts that are moves, look like moves, or don't.
fn names() -> impl Strategy<Value = String> {
    "throw:[0-9]|throw|enter|[a-hA-G][0-8]?|.{0,4}"
}

proptest! {
    #![proptest_config(always_alike(2048))]

    /// A state is refused with reasons, each once, or is a position whose moves can be made.
    #[test]
    fn the_gate_holds(state in states(), name in names()) {
        for id in RulesId::ALL {
            let rules = id.rules();
            match rules.view(&state) {
                Err(InvalidState(reasons)) => {
                    prop_assert!(!reasons.is_empty());
                    for (at, reason) in reasons.iter().enumerate() {
                        prop_assert!(reason.pointer.starts_with('/'));
                        prop_assert!(!reasons[..at].contains(reason), "{:?}", reasons);
                    }
                    prop_assert!(rules.apply(&state, &name).is_err());
                }
                Ok(view) => {
                    let listed = view.legal_moves.contains(&name.as_str());
                    prop_assert_eq!(rules.apply(&state, &name).is_ok(), listed);
                    prop_assert_eq!(view.result.is_some(), view.legal_moves.is_empty());
                    for name in &view.legal_moves {
                        let (_, next) = rules.apply(&state, name).unwrap();
                        prop_assert_eq!(&rules.view(&next.state).unwrap(), &next);
                    }
                }
            }
        }
    }

    /// Any bytes for a state, any texts for moves.
    #[test]
    fn replay_takes_anything(state in states(), names in vec(names(), 0..6), cut in any::<prop::sample::Index>()) {
        let text = serde_json::to_string(&state).unwrap();
        prop_assert_eq!(&serde_json::from_str::<State>(&text).unwrap(), &state);
        let broken = String::from_utf8_lossy(&text.as_bytes()[..cut.index(text.len())]).into_owned();
        prop_assert!(serde_json::from_str::<State>(&broken).is_err());
        for id in RulesId::ALL {
            let _ = id.rules().replay(&state, &mut names.iter().map(String::as_str), &mut |_| ());
            let _ = id.rules().chances(&state);
            let _ = id.rules().seats(&state);
        }
    }
}

/// The changed states are worth the name: a good part of them can be.
#[test]
fn many_changed_states_can_be() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut possible = [0; 2];
    for _ in 0..300 {
        for (id, states) in [(0, from_games::<Kauri>().boxed()), (1, from_games::<AshtaKashte>().boxed())] {
            let state = states.new_tree(&mut runner).unwrap().current();
            possible[id] += usize::from(RulesId::ALL[id].rules().view(&state).is_ok());
        }
    }
    assert!(possible.iter().all(|number| (60..=240).contains(number)), "{possible:?}");
}
