//! Ashta-kashte, clause by clause.

use crate::boards::{apply, as_json, ashta_kashte, event, events, legal, pieces, refused, turn};
use kauri_rules::{Options, Phase, RulesId, Seat, State, View};
use serde_json::json;

const NORTH: &str = "north hand hand hand hand";
const WEST: &str = "west hand hand hand hand";

fn start(seats: Option<&[Seat]>) -> View {
    RulesId::AshtaKashte.rules().initial(seats, &Options::default()).unwrap()
}

/// Where a piece of South gets to.
fn reached(turn: &str, south: &str, others: &[&str], name: &str) -> String {
    let seats: Vec<_> = std::iter::once(south).chain(others.iter().copied()).collect();
    pieces(&apply(&ashta_kashte(turn, &seats, ""), name).1, Seat::South)
}

#[test]
fn a1_four_pieces_in_hand_and_two_sit_opposite() {
    let view = start(None);
    assert_eq!(view.state, ashta_kashte("south", &["south hand hand hand hand", NORTH], ""));
    assert_eq!(start(Some(&Seat::ALL)).state.ashta_kashte.unwrap().seats.len(), 4);
}

#[test]
fn a2_turns_go_clockwise_and_the_first_listed_starts() {
    let mut view = start(Some(&[Seat::North, Seat::East, Seat::West]));
    let seats: Vec<_> =
        view.state.ashta_kashte.as_ref().unwrap().seats.iter().map(|listed| listed.seat).collect();
    assert_eq!(seats, [Seat::West, Seat::North, Seat::East]);
    for seat in [Seat::North, Seat::East, Seat::West, Seat::North] {
        assert_eq!(turn(&view), (seat, Phase::Throw));
        view = apply(&apply(&view.state, "throw:2").1.state, "enter").1;
    }
}

#[test]
fn a3_the_shells_give_five_numbers() {
    let state = start(None).state;
    assert_eq!(legal(&state), ["throw:1", "throw:2", "throw:3", "throw:4", "throw:8"]);
    let chances = RulesId::AshtaKashte.rules().chances(&state).unwrap();
    assert_eq!(chances.iter().map(|chance| chance.weight).collect::<Vec<_>>(), [4, 6, 4, 1, 1]);
    assert_eq!(chances.iter().map(|chance| chance.weight).sum::<u8>(), 16);
    // Counted from the sixteen falls themselves.
    for chance in chances {
        let falls = (0..16_u32).filter(|fall| match fall.count_ones() {
            0 => chance.r#move == "throw:8",
            mouths => chance.r#move == format!("throw:{mouths}"),
        });
        assert_eq!(falls.count(), usize::from(chance.weight));
    }
    assert_eq!(refused(&state, "throw:5"), ("unknown_move", None));
    assert_eq!(refused(&state, "throw"), ("throw_unstated", Some("A3")));
    assert_eq!(refused(&state, "enter"), ("throw_expected", Some("A3")));
    let (played, view) = apply(&state, "throw:4");
    assert_eq!(as_json(&played.events[0]), json!({"type": "throw", "seat": "south", "value": 4}));
    assert_eq!(RulesId::AshtaKashte.rules().chances(&view.state).unwrap(), []);
}

#[test]
fn a4_one_throw_moves_one_piece_by_all_of_it() {
    let state = ashta_kashte("south 3", &["south hand hand e1 g1", NORTH], "");
    assert_eq!(legal(&state), ["enter", "e1", "g1"]);
    let (played, view) = apply(&state, "e1");
    let moved = json!({"type": "move", "seat": "south", "from": "e1", "to": "g2", "pieces": 1});
    assert_eq!(as_json(&played.events[0]), moved);
    assert_eq!(pieces(&view, Seat::South), "hand hand g1 g2");
    assert_eq!(turn(&view), (Seat::North, Phase::Throw));
    assert_eq!(refused(&state, "throw:3"), ("move_expected", Some("A4")));
    assert_eq!(refused(&state, "f1"), ("no_piece_there", Some("A4")));
    assert_eq!(refused(&state, "d1"), ("no_piece_there", Some("A4")));
    assert_eq!(refused(&state, "d4"), ("no_piece_there", Some("A4")));
}

#[test]
fn a5_any_throw_enters_and_moves_on() {
    let seats = ["south hand hand hand hand", NORTH];
    for (throw, square) in [(1, "e1"), (2, "f1"), (3, "g1"), (4, "g2"), (8, "g6")] {
        let state = ashta_kashte(&format!("south {throw}"), &seats, "");
        let (played, view) = apply(&state, "enter");
        let entered = json!({"type": "enter", "seat": "south", "from": "d1", "to": square});
        assert_eq!(as_json(&played.events[0]), entered);
        assert_eq!(pieces(&view, Seat::South), format!("hand hand hand {square}"));
    }
    let state = ashta_kashte("south 1", &["south e1 f1 g1 g2", NORTH], "");
    assert_eq!(refused(&state, "enter"), ("none_in_hand", Some("A5")));
}

/// The squares a lone piece visits in steps of one.
fn walk(seat: &str, options: &str) -> String {
    let other = if seat == "north" || seat == "south" { "east" } else { "south" };
    let mut squares = Vec::new();
    let mut piece = "hand".to_owned();
    while piece != "finished" {
        let mut seats = [format!("{seat} {piece} hand hand hand"), format!("{other} hand hand hand hand")];
        seats.sort_by_key(|listed| listed.split(' ').next().unwrap().parse::<Seat>().unwrap());
        let state = ashta_kashte(&format!("{seat} 1"), &[&seats[0], &seats[1]], options);
        let (played, view) = apply(&state, if piece == "hand" { "enter" } else { &piece });
        squares.push(played.events[0].to.unwrap());
        piece = pieces(&view, seat.parse().unwrap()).split(' ').next_back().unwrap().into();
    }
    squares.join(" ")
}

#[test]
fn a6_the_route_goes_ring_by_ring_inwards() {
    let spiral = "e1 f1 g1 g2 g3 g4 g5 g6 g7 f7 e7 d7 c7 b7 a7 a6 a5 a4 a3 a2 a1 b1 c1 \
                  c2 d2 e2 f2 f3 f4 f5 f6 e6 d6 c6 b6 b5 b4 b3 b2 c3 d3 e3 e4 e5 d5 c5 c4 d4";
    assert_eq!(walk("south", ""), spiral);
    let east = walk("east", "");
    assert!(
        east.starts_with("g5 g6 g7 f7 e7 d7 c7") && east.ends_with("e3 e4 e5 d5 c5 c4 c3 d3 d4"),
        "{east}"
    );
    let north = walk("north", "");
    assert!(
        north.starts_with("c7 b7 a7 a6 a5 a4") && north.ends_with("e5 d5 c5 c4 c3 d3 e3 e4 d4"),
        "{north}"
    );
    let west = walk("west", "");
    assert!(
        west.starts_with("a3 a2 a1 b1 c1 d1 e1") && west.ends_with("c5 c4 c3 d3 e3 e4 e5 d5 d4"),
        "{west}"
    );
}

#[test]
fn a6_option_reversing_turns_clockwise_in_the_inner_rings() {
    let reversing = "e1 f1 g1 g2 g3 g4 g5 g6 g7 f7 e7 d7 c7 b7 a7 a6 a5 a4 a3 a2 a1 b1 c1 \
                     b2 b3 b4 b5 b6 c6 d6 e6 f6 f5 f4 f3 f2 e2 d2 c2 c3 c4 c5 d5 e5 e4 e3 d3 d4";
    assert_eq!(walk("south", "reversing"), reversing);
}

#[test]
fn a7_a_single_is_captured_and_starts_again() {
    let state = ashta_kashte("south 2", &["south hand hand hand e1", "north hand hand g1 finished"], "");
    let (played, view) = apply(&state, "e1");
    let capture = json!({"type": "capture", "seat": "north", "square": "g1", "pieces": 1, "clause": "A7"});
    assert_eq!(as_json(&played.events[1]), capture);
    assert_eq!(pieces(&view, Seat::North), "hand hand hand finished");
    // A double captures a single too; entering captures like any move.
    let state = ashta_kashte("south 2", &["south hand hand e1 e1", "north hand hand g1 finished"], "");
    assert_eq!(pieces(&apply(&state, "e1").1, Seat::North), "hand hand hand finished");
    let state = ashta_kashte("south 3", &["south hand hand e1 e1", "north hand hand g1 finished"], "");
    assert_eq!(event(&apply(&state, "enter").0, "capture").square, Some("g1"));
}

#[test]
fn a8_anyone_may_stand_on_a_resting_square() {
    let seats = ["south hand hand hand g3", "north hand hand g4 g4", "east hand hand hand hand"];
    let (played, view) = apply(&ashta_kashte("south 1", &seats, ""), "g3");
    assert_eq!(events(&played, "capture").len(), 0);
    assert_eq!(
        (pieces(&view, Seat::South), pieces(&view, Seat::North)),
        ("hand hand hand g4".to_owned(), "hand hand g4 g4".to_owned())
    );
}

#[test]
fn a9_two_own_pieces_are_a_double() {
    let state = ashta_kashte("south 2", &["south hand hand e1 g1", NORTH], "");
    let (played, view) = apply(&state, "e1");
    let double = json!({"type": "double", "seat": "south", "square": "g1", "clause": "A9"});
    assert_eq!(as_json(&played.events[1]), double);
    assert_eq!(pieces(&view, Seat::South), "hand hand g1 g1");
    // On a resting square too, which then moves as one.
    assert_eq!(reached("south 1", "south hand hand g3 g4", &[NORTH], "g3"), "hand hand g4 g4");
    assert_eq!(reached("south 1", "south hand hand g4 g4", &[NORTH], "g4"), "hand hand g5 g5");
}

#[test]
fn a10_a_double_moves_and_finishes_as_one() {
    let state = ashta_kashte("south 4", &["south hand hand g1 g1", NORTH], "");
    assert_eq!(legal(&state), ["enter", "g1"], "one move, not two");
    let (played, view) = apply(&state, "g1");
    assert_eq!((played.events[0].pieces, pieces(&view, Seat::South).as_str()), (Some(2), "hand hand g5 g5"));
    let (played, view) = apply(&ashta_kashte("south 2", &["south hand hand c5 c5", NORTH], ""), "c5");
    assert_eq!(event(&played, "finish").pieces, Some(2));
    assert_eq!(pieces(&view, Seat::South), "hand hand finished finished");
}

#[test]
fn a11_only_a_double_captures_a_double() {
    let double = "north hand hand g1 g1";
    let state = ashta_kashte("south 2", &["south hand hand e1 e1", double], "");
    let (played, view) = apply(&state, "e1");
    let capture = json!({"type": "capture", "seat": "north", "square": "g1", "pieces": 2, "clause": "A11"});
    assert_eq!(as_json(&played.events[1]), capture);
    assert_eq!(pieces(&view, Seat::North), "hand hand hand hand");
    let state = ashta_kashte("south 2", &["south hand hand hand e1", double], "");
    assert_eq!(refused(&state, "e1"), ("double_stands", Some("A11")));
    let state = ashta_kashte("south 3", &["south hand hand hand e1", double], "");
    assert_eq!(refused(&state, "enter"), ("double_stands", Some("A11")));
    assert_eq!(legal(&state), ["e1"], "passing over is allowed");
}

#[test]
fn a12_never_more_than_two_on_a_square() {
    let state = ashta_kashte("south 2", &["south hand e1 g1 g1", NORTH], "");
    assert_eq!(refused(&state, "e1"), ("square_full", Some("A12")));
    let state = ashta_kashte("south 2", &["south e1 e1 g1 finished", NORTH], "");
    assert_eq!(refused(&state, "e1"), ("square_full", Some("A12")), "a double on a single would be three");
    let state = ashta_kashte("south 1", &["south hand g3 g4 g4", NORTH], "");
    assert_eq!(refused(&state, "g3"), ("square_full", Some("A12")), "on resting squares too");
    let state = ashta_kashte("south 3", &["south hand e1 g1 g1", NORTH], "");
    assert_eq!(refused(&state, "enter"), ("square_full", Some("A12")));
}

#[test]
fn a13_the_centre_by_exact_throw() {
    let seats = ["south hand hand c5 c4", NORTH];
    assert_eq!(refused(&ashta_kashte("south 3", &seats, ""), "c5"), ("overshoot", Some("A13")));
    let (played, view) = apply(&ashta_kashte("south 1", &seats, ""), "c4");
    let finish = json!({"type": "finish", "seat": "south", "square": "d4", "pieces": 1, "clause": "A13"});
    assert_eq!(as_json(&played.events[1]), finish);
    assert_eq!(pieces(&view, Seat::South), "hand hand c5 finished");
}

#[test]
fn a14_a_throw_without_use_passes() {
    let seats = ["south c4 finished finished finished", NORTH];
    let (played, view) = apply(&ashta_kashte("south", &seats, ""), "throw:2");
    let pass =
        json!({"type": "pass", "seat": "south", "clause": "A14", "why": "No piece can use the throw."});
    assert_eq!(played.events.iter().map(as_json).skip(1).collect::<Vec<_>>(), [pass]);
    assert_eq!(turn(&view), (Seat::North, Phase::Throw));
    assert_eq!(view.state, ashta_kashte("north", &seats, ""));
}

#[test]
fn a15_no_throw_gives_another_turn_unless_by_option() {
    let seats = ["south hand hand hand hand", NORTH];
    for (throw, options, next) in [
        (8, "", Seat::North),
        (8, "extra_turn", Seat::South),
        (4, "extra_turn", Seat::South),
        (3, "extra_turn", Seat::North),
    ] {
        let (_, view) = apply(&ashta_kashte(&format!("south {throw}"), &seats, options), "enter");
        assert_eq!(turn(&view), (next, Phase::Throw), "{throw} {options}");
    }
    // A throw that was passed gives nothing, and neither does a seat's last finish.
    let seats = ["south e5 finished finished finished", WEST, NORTH];
    let (_, view) = apply(&ashta_kashte("south", &seats, "extra_turn places"), "throw:8");
    assert_eq!(turn(&view), (Seat::West, Phase::Throw));
    let (_, view) = apply(&ashta_kashte("south 4", &seats, "extra_turn places"), "e5");
    assert_eq!(turn(&view), (Seat::West, Phase::Throw));
}

#[test]
fn a16_the_first_to_finish_wins() {
    let seats = ["south c4 finished finished finished", NORTH];
    let (played, view) = apply(&ashta_kashte("south 1", &seats, ""), "c4");
    let over = json!({"type": "over", "seat": "south", "clause": "A16"});
    assert_eq!(as_json(played.events.last().unwrap()), over);
    let result = json!({"winner": "south", "reason": "finished", "places": ["south", "north"]});
    assert_eq!(serde_json::to_value(view.result).unwrap(), result);
    assert_eq!(turn(&view), (Seat::North, Phase::Over));
    assert_eq!(view.state.ashta_kashte.as_ref().unwrap().seats[0].place, Some(1));
    assert_eq!(refused(&view.state, "throw:1"), ("game_over", Some("A16")));
    // With three, only the winner is known.
    let seats = ["south c4 finished finished finished", WEST, NORTH];
    let (_, view) = apply(&ashta_kashte("south 1", &seats, ""), "c4");
    let result = json!({"winner": "south", "reason": "finished"});
    assert_eq!(serde_json::to_value(view.result).unwrap(), result);
}

fn place(state: &mut State, seat: usize, place: u8) {
    state.ashta_kashte.as_mut().unwrap().seats[seat].place = Some(place);
}

#[test]
fn a16_option_places_plays_on() {
    let (south, west) = ("south finished finished finished finished", WEST);
    let east = "east finished finished finished finished";
    let on_turn = |turn, north| {
        let mut state = ashta_kashte(turn, &[south, west, north, east], "places");
        place(&mut state, 0, 2);
        place(&mut state, 3, 1);
        state
    };
    // Finished seats are skipped.
    let (_, view) = apply(&on_turn("north 1", "north e3 finished finished finished"), "e3");
    assert_eq!(turn(&view), (Seat::West, Phase::Throw));
    let (_, view) = apply(&apply(&view.state, "throw:1").1.state, "enter");
    assert_eq!(turn(&view), (Seat::North, Phase::Throw));
    // The last but one ends it.
    let (played, view) = apply(&on_turn("north 1", "north e4 finished finished finished"), "e4");
    assert_eq!(event(&played, "over").seat, Some(Seat::East));
    let result =
        json!({"winner": "east", "reason": "finished", "places": ["east", "south", "north", "west"]});
    assert_eq!(serde_json::to_value(view.result).unwrap(), result);
    assert_eq!(turn(&view), (Seat::West, Phase::Over));
}

#[test]
fn a17_option_doubles_block() {
    let seats = ["south hand hand e1 a4", "north hand hand g1 g1"];
    let state = ashta_kashte("south 4", &seats, "doubles_block");
    assert_eq!(refused(&state, "e1"), ("blocked", Some("A17")));
    assert_eq!(refused(&state, "enter"), ("blocked", Some("A17")), "entering included");
    assert_eq!(legal(&state), ["a4"]);
    assert_eq!(legal(&ashta_kashte("south 4", &seats, "")), ["enter", "e1", "a4"]);
    // Doubles pass freely, singles block nobody, and resting squares are free.
    let state = ashta_kashte("south 4", &["south hand hand e1 e1", seats[1]], "doubles_block");
    assert_eq!(legal(&state), ["e1"]);
    let state =
        ashta_kashte("south 4", &["south hand hand hand e1", "north hand hand hand g1"], "doubles_block");
    assert_eq!(legal(&state), ["enter", "e1"]);
    let state =
        ashta_kashte("south 2", &["south hand hand hand g3", "north hand hand g4 g4"], "doubles_block");
    assert_eq!(legal(&state), ["enter", "g3"]);
}
