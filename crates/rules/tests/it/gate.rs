//! States that can't be: every reason at once.

use crate::boards::{ashta_kashte, kauri};
use kauri_rules::{InvalidOptions, InvalidState, Options, Reason, RulesId, Seat, State};

const FIVES: &str = "5/1 5/1 5/1 5/1 5/1 5/1";

fn listed(reasons: &[Reason]) -> Vec<(&str, &str)> {
    reasons.iter().map(|reason| (reason.pointer.as_str(), reason.code)).collect()
}

#[track_caller]
fn refused(id: RulesId, state: &State, expected: &[(&str, &str)]) {
    let InvalidState(reasons) = id.rules().view(state).unwrap_err();
    assert_eq!(listed(&reasons), expected);
}

#[track_caller]
fn refused_kauri(state: &State, expected: &[(&str, &str)]) {
    refused(RulesId::Kauri, state, expected);
}

#[track_caller]
fn refused_ashta_kashte(state: &State, expected: &[(&str, &str)]) {
    refused(RulesId::AshtaKashte, state, expected);
}

#[test]
fn a_state_carries_the_member_of_its_rules_only() {
    let kauri = kauri("south", FIVES, 0, FIVES, 0);
    let expected =
        [("/rules", "wrong_rules"), ("/kauri", "unexpected_member"), ("/ashta_kashte", "missing_member")];
    refused_ashta_kashte(&kauri, &expected);
    let neither = State { kauri: None, ..kauri.clone() };
    refused_kauri(&neither, &[("/kauri", "missing_member")]);
    let named = State { rules: "Kauri".to_owned(), ..kauri };
    refused_kauri(&named, &[("/rules", "wrong_rules")]);
}

#[test]
fn kauri_six_pits_a_side() {
    let state = kauri("west", "5/1 5/1", 0, "5/1 5/1 5/1 5/1 5/1 5/1 5/1", 61);
    let expected = [
        ("/to_move", "unknown_seat"),
        ("/kauri/south/pits", "pit_count"),
        ("/kauri/north/pits", "pit_count"),
        ("/kauri/north/store", "too_many"),
    ];
    refused_kauri(&state, &expected);
}

#[test]
fn kauri_sixty_beads_and_twelve_cowries() {
    let state = kauri("south", FIVES, 1, "5/1 5/1 5/1 5/1 5/1 5/2", 0);
    refused_kauri(&state, &[("/kauri", "bead_count"), ("/kauri", "cowrie_count")]);
    let state = kauri("south", "255/255 5/1 5/1 5/1 5/1 5/1", 255, "5/1 5/1 5/1 5/13 5/1 5/1", 0);
    let expected = [
        ("/kauri/south/pits/0/beads", "too_many"),
        ("/kauri/south/pits/0/cowries", "too_many"),
        ("/kauri/south/store", "too_many"),
        ("/kauri/north/pits/3/cowries", "too_many"),
        ("/kauri", "bead_count"),
        ("/kauri", "cowrie_count"),
    ];
    refused_kauri(&state, &expected);
}

#[test]
fn kauri_the_side_to_move_can_move() {
    let (bare, full) = ("5/0 5/0 5/0 5/0 5/0 5/0", "5/2 5/2 5/2 5/2 5/2 5/2");
    refused_kauri(&kauri("north", full, 0, bare, 0), &[("/to_move", "cannot_move")]);
    assert!(RulesId::Kauri.rules().view(&kauri("south", full, 0, bare, 0)).is_ok());
}

#[test]
fn ashta_kashte_seats_in_turn_order() {
    let hand = |seat: &str| format!("{seat} hand hand hand hand");
    let seats = |names: &[&str]| {
        let texts: Vec<_> = names.iter().map(|name| hand(name)).collect();
        ashta_kashte("south", &texts.iter().map(String::as_str).collect::<Vec<_>>(), "")
    };
    let state = seats(&["south"]);
    refused_ashta_kashte(&state, &[("/ashta_kashte/seats", "seat_count")]);
    let state = seats(&["west", "north"]);
    refused_ashta_kashte(&state, &[("/to_move", "unknown_seat")]);
    let state = seats(&["south", "north", "west", "north"]);
    let expected =
        [("/ashta_kashte/seats/2/seat", "seat_order"), ("/ashta_kashte/seats/3/seat", "seat_twice")];
    refused_ashta_kashte(&state, &expected);
    let state = seats(&["south", "west", "north", "east", "east"]);
    refused_ashta_kashte(&state, &[("/ashta_kashte/seats", "seat_count")]);
}

#[test]
fn ashta_kashte_four_pieces_on_squares() {
    let seats = ["south hand hand hand", "north h1 d7 d4 A1"];
    let mut state = ashta_kashte("south", &seats, "");
    state.ashta_kashte.as_mut().unwrap().options.route = "zigzag".into();
    let expected = [
        ("/ashta_kashte/options/route", "unknown_route"),
        ("/ashta_kashte/seats/0/pieces", "piece_count"),
        ("/ashta_kashte/seats/1/pieces/0", "unknown_square"),
        ("/ashta_kashte/seats/1/pieces/1", "own_start"),
        ("/ashta_kashte/seats/1/pieces/2", "on_centre"),
        ("/ashta_kashte/seats/1/pieces/3", "unknown_square"),
    ];
    refused_ashta_kashte(&state, &expected);
}

#[test]
fn ashta_kashte_squares_hold_two_of_one_player() {
    let state = ashta_kashte("south", &["south e1 g4 e1 e1", "north e1 g4 g4 g4"], "");
    let expected = [
        ("/ashta_kashte/seats/0/pieces/3", "square_full"),
        ("/ashta_kashte/seats/1/pieces/3", "square_full"),
        ("/ashta_kashte/seats/1/pieces/0", "square_shared"),
    ];
    refused_ashta_kashte(&state, &expected);
    let state = ashta_kashte("south", &["south d7 a4 hand finished", "north d1 a4 a4 hand"], "");
    assert!(RulesId::AshtaKashte.rules().view(&state).is_ok(), "A8");
}

#[test]
fn ashta_kashte_the_throw_fits() {
    let throw = |seat: &str, throw: u8, south: &str| {
        ashta_kashte(&format!("{seat} {throw}"), &[south, "north hand hand hand hand"], "")
    };
    let wrong = [("/ashta_kashte/throw", "unknown_throw")];
    for number in [0, 5, 7, 255] {
        refused_ashta_kashte(&throw("south", number, "south hand hand hand hand"), &wrong);
    }
    let stuck = throw("south", 4, "south c4 finished finished finished");
    refused_ashta_kashte(&stuck, &[("/ashta_kashte/throw", "unusable_throw")]);
    let over = throw("north", 4, "south finished finished finished finished");
    refused_ashta_kashte(&over, &[("/ashta_kashte/throw", "throw_when_over")]);
}

#[test]
fn ashta_kashte_places_fit() {
    let done = |seat: &str| format!("{seat} finished finished finished finished");
    let (south, west, north) = (done("south"), done("west"), done("north"));
    let east = "east hand hand hand hand";
    let two = ashta_kashte("east", &[&south, &west, east], "places");
    let missing = [("/ashta_kashte/seats/0", "missing_place"), ("/ashta_kashte/seats/1", "missing_place")];
    refused_ashta_kashte(&two, &missing);
    let place = |state: &State, places: [Option<u8>; 3]| {
        let mut state = state.clone();
        for (listed, place) in state.ashta_kashte.as_mut().unwrap().seats.iter_mut().zip(places) {
            listed.place = place;
        }
        state
    };
    let state = place(&two, [Some(1), Some(1), Some(2)]);
    let expected =
        [("/ashta_kashte/seats/1/place", "place_twice"), ("/ashta_kashte/seats/2/place", "unfinished_place")];
    refused_ashta_kashte(&state, &expected);
    let state = place(&two, [Some(3), Some(0), None]);
    let expected =
        [("/ashta_kashte/seats/0/place", "place_range"), ("/ashta_kashte/seats/1/place", "place_range")];
    refused_ashta_kashte(&state, &expected);
    // Without the option the game ends with the first.
    let state = place(&ashta_kashte("east", &[&south, &west, east], ""), [Some(1), Some(2), None]);
    refused_ashta_kashte(&state, &[("/ashta_kashte/seats", "too_many_finished")]);
    // With it, somebody is left; and a finished seat has no turn.
    let state =
        place(&ashta_kashte("south", &[&south, &west, &north], "places"), [Some(3), Some(2), Some(1)]);
    refused_ashta_kashte(
        &state,
        &[("/ashta_kashte/seats", "too_many_finished"), ("/to_move", "seat_finished")],
    );
    // One finished seat needs no place, and is given it.
    let state = ashta_kashte("east", &[&south, east], "");
    let view = RulesId::AshtaKashte.rules().view(&state).unwrap();
    assert_eq!(view.state, place(&state, [Some(1), None, None]));
}

#[test]
fn pieces_may_be_listed_in_any_order() {
    let state = ashta_kashte("south", &["south finished f2 hand e1", "north hand hand hand hand"], "");
    let view = RulesId::AshtaKashte.rules().view(&state).unwrap();
    assert_eq!(
        view.state,
        ashta_kashte("south", &["south hand e1 f2 finished", "north hand hand hand hand"], "")
    );
}

#[test]
fn games_start_with_seats_and_options_of_theirs() {
    let refuse = |id: RulesId, seats: &[Seat], options: &Options, expected: &[(&str, &str)]| {
        let InvalidOptions(reasons) = id.rules().initial(Some(seats), options).unwrap_err();
        assert_eq!(listed(&reasons), expected);
    };
    let options = Options { route: Some("zigzag".to_owned()), places: Some(false), ..Options::default() };
    let expected = [
        ("/seats", "seat_count"),
        ("/seats/0", "unknown_seat"),
        ("/seats/2", "seat_twice"),
        ("/options/route", "unknown_option"),
        ("/options/places", "unknown_option"),
    ];
    refuse(RulesId::Kauri, &[Seat::West, Seat::South, Seat::South], &options, &expected);
    let expected = [("/seats/1", "seat_twice"), ("/options/route", "unknown_route")];
    refuse(RulesId::AshtaKashte, &[Seat::West, Seat::West], &options, &expected);
    refuse(RulesId::AshtaKashte, &[], &Options::default(), &[("/seats", "seat_count")]);
    let turned = RulesId::Kauri.rules().initial(Some(&[Seat::North, Seat::South]), &Options::default());
    assert_eq!(turned.unwrap().state.to_move, Seat::South, "K2");
}

#[test]
fn unknown_members_and_null_are_no_states() {
    let state = serde_json::to_value(kauri("south", FIVES, 0, FIVES, 0)).unwrap();
    for (member, value) in [("kaury", serde_json::json!(1)), ("ashta_kashte", serde_json::Value::Null)] {
        let mut state = state.clone();
        state[member] = value;
        assert!(serde_json::from_value::<State>(state).is_err(), "{member}");
    }
}
