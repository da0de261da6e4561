//! Ashta-kashte once more, as plainly as the clauses read: slow, and without anything of the crate's ways.

use crate::games::{always_alike, games, walk};
use kauri_rules::ashta_kashte::{SetupSeat, Step};
use kauri_rules::{AshtaKashte, Event, Position, Seat, State};
use proptest::prelude::*;

const SPIRAL: &str = "d1 e1 f1 g1 g2 g3 g4 g5 g6 g7 f7 e7 d7 c7 b7 a7 a6 a5 a4 a3 a2 a1 b1 c1 c2 d2 e2 f2 f3 f4 f5 \
                      f6 e6 d6 c6 b6 b5 b4 b3 b2 c3 d3 e3 e4 e5 d5 c5 c4 d4";
const REVERSING: &str = "d1 e1 f1 g1 g2 g3 g4 g5 g6 g7 f7 e7 d7 c7 b7 a7 a6 a5 a4 a3 a2 a1 b1 c1 b2 b3 b4 b5 b6 c6 d6 \
                         e6 f6 f5 f4 f3 f2 e2 d2 c2 c3 c4 c5 d5 e5 e4 e3 d3 d4";
const RESTING: [&str; 4] = ["d1", "a4", "d7", "g4"];

/// A seat's route: South's, turned a quarter clockwise for each seat further on.
fn route(state: &State, seat: Seat) -> Vec<String> {
    let name = &state.ashta_kashte.as_ref().unwrap().options.route;
    let turned = |square: String| {
        let (file, rank) = (square.as_bytes()[0] - b'a', square.as_bytes()[1] - b'1');
        format!("{}{}", (b'a' + rank) as char, (b'1' + 6 - file) as char)
    };
    let south = if name == "spiral" { SPIRAL } else { REVERSING };
    let place = |square: &str| (0..seat.index()).fold(square.to_owned(), |square, _| turned(square));
    south.split_whitespace().map(place).collect()
}

/// How many pieces the seat has on the square.
fn standing(state: &State, seat: Seat, square: &str) -> usize {
    let seats = &state.ashta_kashte.as_ref().unwrap().seats;
    seats
        .iter()
        .filter(|listed| listed.seat == seat)
        .flat_map(|listed| &listed.pieces)
        .filter(|at| *at == square)
        .count()
}

/// Where the piece at the place would land, if it may move there.
fn landing(state: &State, from: &str) -> Option<String> {
    let setup = state.ashta_kashte.as_ref().unwrap();
    let mover = state.to_move;
    let route = route(state, mover);
    let start = if from == "hand" { 0 } else { route.iter().position(|square| square == from)? };
    let to = start + usize::from(setup.throw?);
    let square = route.get(to)?;
    if square == "d4" {
        return Some(square.clone()).filter(|_| passable(state, &route[start + 1..to], from));
    }
    let moving = if from == "hand" { 1 } else { standing(state, mover, from) };
    let full = standing(state, mover, square) + moving > 2;
    let doubled = |square: &str| {
        let opponents = setup.seats.iter().map(|listed| listed.seat).filter(|&seat| seat != mover);
        !RESTING.contains(&square) && opponents.into_iter().any(|seat| standing(state, seat, square) == 2)
    };
    let barred = moving == 1 && doubled(square);
    let may = !full && !barred && passable(state, &route[start + 1..to], from);
    may.then(|| square.clone())
}

/// A17: whether a piece from there may pass the squares.
fn passable(state: &State, squares: &[String], from: &str) -> bool {
    let setup = state.ashta_kashte.as_ref().unwrap();
    let single = from == "hand" || standing(state, state.to_move, from) == 1;
    let stands = |square: &String| {
        let opponents = setup.seats.iter().filter(|listed| listed.seat != state.to_move);
        !RESTING.contains(&square.as_str())
            && opponents.into_iter().any(|listed| standing(state, listed.seat, square) == 2)
    };
    !(setup.options.doubles_block && single && squares.iter().any(stands))
}

/// The moves there are, in the rules' order.
fn moves(state: &State) -> Vec<String> {
    let setup = state.ashta_kashte.as_ref().unwrap();
    let own = setup.seats.iter().find(|listed| listed.seat == state.to_move).unwrap();
    let mut places: Vec<&str> = own.pieces.iter().map(AsRef::as_ref).filter(|at| *at != "finished").collect();
    let route = route(state, state.to_move);
    places.sort_by_key(|at| route.iter().position(|square| square == at));
    places.dedup();
    let may = places.into_iter().filter(|from| landing(state, from).is_some());
    may.map(|from| if from == "hand" { "enter".to_owned() } else { from.to_owned() }).collect()
}

type Pieces = Vec<(Seat, Vec<String>)>;

fn pieces(state: &State) -> Pieces {
    let seats = &state.ashta_kashte.as_ref().unwrap().seats;
    let names = |listed: &SetupSeat| listed.pieces.iter().map(ToString::to_string).collect();
    seats.iter().map(|listed| (listed.seat, names(listed))).collect()
}

fn sorted(mut pieces: Pieces) -> Pieces {
    for (_, pieces) in &mut pieces {
        pieces.sort();
    }
    pieces
}

/// Makes a move on the pieces alone.
fn moved(state: &State, name: &str) -> Pieces {
    let from = if name == "enter" { "hand" } else { name };
    let to = landing(state, from).unwrap();
    let mut left = if name == "enter" { 1 } else { 2 };
    let mut after = pieces(state);
    for (seat, pieces) in &mut after {
        for piece in pieces {
            if *seat == state.to_move && piece == from && left > 0 {
                left -= 1;
                *piece = if to == "d4" { "finished".to_owned() } else { to.clone() };
            } else if *seat != state.to_move && *piece == to && !RESTING.contains(&to.as_str()) {
                "hand".clone_into(piece);
            }
        }
    }
    sorted(after)
}

/// What the events make of the pieces.
fn followed(state: &State, events: &[Event]) -> Pieces {
    let mut after = pieces(state);
    for event in events {
        let Some((_, pieces)) = after.iter_mut().find(|(seat, _)| Some(*seat) == event.seat) else {
            continue;
        };
        let (from, to) = match event.r#type {
            "enter" => ("hand", event.to.unwrap()),
            "move" => (event.from.unwrap(), event.to.unwrap()),
            "capture" => (event.square.unwrap(), "hand"),
            "finish" => (event.square.unwrap(), "finished"),
            _ => continue,
        };
        for _ in 0..event.pieces.unwrap_or(1) {
            to.clone_into(pieces.iter_mut().find(|piece| *piece == from).unwrap());
        }
    }
    sorted(after)
}

/// Who throws after the seat: the next one clockwise that has not finished (A2, A16).
fn follower(state: &State, seat: Seat) -> Seat {
    let seats = &state.ashta_kashte.as_ref().unwrap().seats;
    let order = seats.iter().chain(seats).skip_while(|listed| listed.seat != seat).skip(1);
    order.into_iter().find(|listed| listed.place.is_none()).unwrap().seat
}

fn is_plain(before: &AshtaKashte, step: Step, after: &AshtaKashte) {
    let (state, next) = (before.to_state(), after.to_state());
    let found = sorted(pieces(&next));
    let (mut position, mut events) = (*before, Vec::new());
    position.play(step, |event| events.push(event)).unwrap();
    assert_eq!(followed(&state, &events), found);

    let setup = state.ashta_kashte.as_ref().unwrap();
    if let Step::Throw(throw) = step {
        let mut thrown = state.clone();
        thrown.ashta_kashte.as_mut().unwrap().throw = Some(throw.number());
        let legal = moves(&thrown);
        if legal.is_empty() {
            assert_eq!(next.ashta_kashte.as_ref().unwrap().throw, None, "A14");
            assert_eq!(next.to_move, follower(&next, state.to_move), "A14");
        } else {
            assert_eq!(after.legal_steps().map(AshtaKashte::step_name).collect::<Vec<_>>(), legal);
        }
    } else {
        assert_eq!(found, moved(&state, AshtaKashte::step_name(step)));
        let mover = found.iter().find(|(seat, _)| *seat == state.to_move).unwrap();
        let finished = mover.1.iter().all(|piece| piece == "finished");
        let again = setup.options.extra_turn && matches!(setup.throw, Some(4 | 8)) && !finished;
        let expected = if again { state.to_move } else { follower(&next, state.to_move) };
        assert_eq!(next.to_move, expected, "A2, A15");
    }
}

proptest! {
    #![proptest_config(always_alike(128))]

    #[test]
    fn ashta_kashte_is_as_the_clauses_read((start, choices) in games::<AshtaKashte>()) {
        walk(start, &choices, is_plain);
    }
}
