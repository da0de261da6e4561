//! Kauri, clause by clause.

use crate::boards::{apply, as_json, event, events, kauri, legal, pit, pits, refused, stores, turn};
use kauri_rules::{Options, Phase, RulesId, Seat};
use serde_json::json;

const FIVES: &str = "5/1 5/1 5/1 5/1 5/1 5/1";

#[test]
fn k1_nothing_is_sown_into_a_store() {
    let (played, view) = apply(&kauri("south", FIVES, 0, FIVES, 0), "f");
    assert_eq!(pits(&played, "bead") + &pits(&played, "cowrie"), "ABCDEF");
    assert_eq!(stores(&view), (0, 0));
}

#[test]
fn k2_the_start() {
    let start = RulesId::Kauri.rules().initial(None, &Options::default()).unwrap();
    assert_eq!(start.state, kauri("south", FIVES, 0, FIVES, 0));
    assert_eq!(start.phase, Phase::Move);
    assert_eq!(start.legal_moves, ["a", "b", "c", "d", "e", "f"]);
}

#[test]
fn k3_a_pit_without_a_cowrie_cannot_be_played() {
    let state = kauri("south", "5/0 5/1 5/0 5/1 5/3 5/1", 0, FIVES, 0);
    assert_eq!(legal(&state), ["b", "d", "e", "f"]);
    assert_eq!(refused(&state, "a"), ("no_cowrie", Some("K3")));
    assert_eq!(refused(&state, "A"), ("not_your_pit", Some("K3")));
    assert_eq!(refused(&state, "g"), ("unknown_move", None));
    let state = kauri("north", "5/1 5/1 5/1 5/1 5/1 5/1", 0, "5/1 5/0 5/2 5/1 5/1 5/1", 0);
    assert_eq!(legal(&state), ["A", "C", "D", "E", "F"]);
}

#[test]
fn k4_beads_before_cowries_worked_example_1() {
    let (played, view) = apply(&kauri("south", "5/1 5/1 5/1 5/1 5/2 5/0", 0, FIVES, 0), "e");
    assert_eq!((pits(&played, "bead").as_str(), pits(&played, "cowrie").as_str()), ("fABCD", "EF"));
    let types: Vec<_> = played.events.iter().map(|event| event.piece).collect();
    assert_eq!(types, [[Some("bead"); 5].as_slice(), &[Some("cowrie"); 2]].concat());
    assert_eq!((pit(&view, 'e'), pit(&view, 'E'), pit(&view, 'f')), ((0, 0), (5, 2), (6, 0)));
    assert_eq!(turn(&view), (Seat::North, Phase::Move));
}

#[test]
fn k4_sowing_runs_round_the_board_and_into_the_emptied_pit() {
    let state = kauri("south", "0/1 0/1 25/3 0/1 0/0 0/0", 0, "5/1 5/1 5/1 5/1 5/1 10/1", 0);
    let (played, view) = apply(&state, "c");
    assert_eq!(pits(&played, "bead"), "defABCDEFabcdefABCDEFabcd");
    assert_eq!(pits(&played, "cowrie"), "efA");
    assert_eq!((pit(&view, 'c'), pit(&view, 'd')), ((2, 0), (3, 1)));
}

#[test]
fn k4_all_twelve_cowries_go_round_once() {
    let state = kauri("north", "5/0 5/0 5/0 5/0 5/0 5/0", 0, "5/0 5/0 5/12 5/0 5/0 5/0", 0);
    let (played, view) = apply(&state, "C");
    assert_eq!(pits(&played, "bead"), "DEFab");
    assert_eq!(pits(&played, "cowrie"), "cdefABCDEFab");
    assert_eq!(stores(&view), (0, 32));
    assert_eq!(turn(&view), (Seat::South, Phase::Over));
}

#[test]
fn k5_a_cowrie_captures_worked_example_2() {
    let state = kauri("south", "5/1 7/1 5/1 5/1 5/2 5/1", 0, "5/1 5/1 5/1 1/0 5/1 7/1", 0);
    let (played, view) = apply(&state, "b");
    assert_eq!((pits(&played, "bead").as_str(), pits(&played, "cowrie").as_str()), ("cdefABC", "D"));
    let capture = json!({"type": "capture", "seat": "south", "pit": "D", "beads": 1, "clause": "K5"});
    assert_eq!(as_json(event(&played, "capture")), capture);
    assert_eq!((pit(&view, 'D'), stores(&view)), ((0, 1), (1, 0)));
}

#[test]
fn k5_captures_beads_of_the_same_move_too() {
    // 17 beads from a: A gets the 6th, and the 18th piece, the cowrie.
    let state = kauri("south", "17/1 2/1 2/1 2/1 2/1 2/1", 0, "3/0 5/1 5/1 5/1 5/1 10/2", 0);
    let (played, view) = apply(&state, "a");
    assert_eq!(event(&played, "capture").beads, Some(4));
    assert_eq!(stores(&view), (4, 0));
}

#[test]
fn k5_spares_pits_with_a_cowrie_and_finds_nothing_in_empty_ones() {
    let (played, view) = apply(&kauri("south", FIVES, 0, FIVES, 0), "f");
    assert_eq!((events(&played, "capture").len(), pit(&view, 'F')), (0, (5, 2)));
    let state = kauri("south", "5/1 5/1 5/1 5/1 5/1 2/1", 0, "8/2 10/2 0/0 5/0 5/1 5/1", 0);
    let (played, view) = apply(&state, "f");
    assert_eq!((events(&played, "capture").len(), pit(&view, 'C')), (0, (0, 1)));
}

#[test]
fn k6_a_bead_on_lone_cowries_worked_example_3() {
    let state = kauri("south", FIVES, 0, "5/1 5/1 5/1 5/1 0/1 10/1", 0);
    let (played, view) = apply(&state, "f");
    assert_eq!((pits(&played, "bead").as_str(), pits(&played, "cowrie").as_str()), ("ABCDE", "F"));
    let capture = json!({"type": "capture", "seat": "north", "pit": "E", "beads": 1, "clause": "K6"});
    assert_eq!(as_json(event(&played, "capture")), capture);
    assert_eq!(played.events[5], *event(&played, "capture"), "right after the bead that caused it");
    assert_eq!((pit(&view, 'E'), stores(&view)), ((0, 1), (0, 1)));
}

#[test]
fn k6_again_on_the_next_lap() {
    let state = kauri("south", "18/1 2/1 2/1 2/1 2/1 2/1", 0, "0/2 7/1 5/1 5/0 5/1 10/1", 0);
    let (played, view) = apply(&state, "a");
    let gains: Vec<_> = events(&played, "capture").iter().map(|event| (event.pit, event.clause)).collect();
    assert_eq!(gains, [(Some("A"), Some("K6")), (Some("A"), Some("K6"))]);
    assert_eq!((pit(&view, 'A'), stores(&view)), ((0, 2), (0, 2)));
}

#[test]
fn k7_own_pits_keep_what_drops() {
    // b holds a lone cowrie and gets a bead; c holds beads only and gets the cowrie.
    let state = kauri("south", "1/1 0/1 9/0 5/2 5/1 5/1", 0, "5/1 5/1 5/1 5/1 5/1 10/1", 0);
    let (played, view) = apply(&state, "a");
    assert_eq!(events(&played, "capture").len(), 0);
    assert_eq!((pit(&view, 'b'), pit(&view, 'c'), stores(&view)), ((1, 1), (9, 1), (0, 0)));
}

#[test]
fn k8_who_has_no_cowrie_passes() {
    let state = kauri("south", "1/1 1/1 9/1 5/3 5/3 5/3", 0, "5/0 5/0 5/0 5/0 5/0 9/0", 0);
    let (played, view) = apply(&state, "a");
    let pass = json!({"type": "pass", "seat": "north", "clause": "K8", "why": "No own pit holds a cowrie."});
    assert_eq!(as_json(played.events.last().unwrap()), pass);
    assert_eq!(turn(&view), (Seat::South, Phase::Move));
    // For as long as that lasts.
    let (played, view) = apply(&view.state, "b");
    assert_eq!((event(&played, "pass").seat, turn(&view)), (Some(Seat::North), (Seat::South, Phase::Move)));
}

#[test]
fn k8_holds_while_a_bead_is_on_the_board() {
    let state = kauri("south", "1/0 0/1 0/11 0/0 0/0 0/0", 29, "0/0 0/0 0/0 0/0 0/0 0/0", 30);
    let (played, view) = apply(&state, "b");
    assert_eq!((event(&played, "pass").seat, turn(&view)), (Some(Seat::North), (Seat::South, Phase::Move)));
}

#[test]
fn k9_thirty_one_beads_win_at_once() {
    let state = kauri("south", "1/1 0/1 0/1 0/3 5/3 0/0", 30, "5/1 5/1 5/1 5/0 4/0 0/0", 0);
    let (played, view) = apply(&state, "e");
    // e sows f A B C D and drops its cowries on E, F and a; E is bare and held four beads.
    assert_eq!(event(&played, "capture").beads, Some(4));
    assert_eq!(as_json(event(&played, "over")), json!({"type": "over", "seat": "south", "clause": "K9"}));
    let result = json!({"winner": "south", "reason": "majority", "places": ["south", "north"]});
    assert_eq!(serde_json::to_value(view.result).unwrap(), result);
    assert_eq!((stores(&view), turn(&view)), ((34, 0), (Seat::North, Phase::Over)));
    assert_eq!(view.legal_moves, [""; 0]);
    assert_eq!(refused(&view.state, "A"), ("game_over", Some("K9")));
}

#[test]
fn k9_the_move_is_sown_to_its_end() {
    let state = kauri("south", "0/0 0/0 0/0 0/0 0/0 0/4", 29, "3/0 2/0 4/0 1/0 1/4 0/4", 20);
    let (played, view) = apply(&state, "f");
    let captures: Vec<_> = events(&played, "capture").iter().map(|event| event.beads).collect();
    assert_eq!(captures, [Some(3), Some(2), Some(4), Some(1)]);
    assert_eq!(stores(&view), (39, 20));
    assert_eq!(events(&played, "pass").len(), 0);
}

#[test]
fn k9_a_mover_can_lose_by_the_own_bead() {
    let state = kauri("south", "0/1 0/1 0/1 0/1 0/1 1/1", 20, "0/1 0/0 3/1 3/1 3/1 0/2", 30);
    let (played, view) = apply(&state, "f");
    assert_eq!(event(&played, "over").seat, Some(Seat::North));
    assert_eq!((stores(&view), turn(&view)), ((20, 31), (Seat::North, Phase::Over)));
}

#[test]
fn k10_the_cowries_play_on() {
    let state = kauri("north", "0/2 0/2 0/2 0/2 0/2 0/1", 30, "0/0 0/0 0/0 0/0 0/0 0/1", 30);
    let (played, view) = apply(&state, "F");
    assert_eq!(pits(&played, "cowrie"), "a");
    assert_eq!(turn(&view), (Seat::South, Phase::Move));
    // South keeps its cowries at home: North has none to play, and K8's pass does not help.
    let (played, view) = apply(&view.state, "a");
    assert_eq!(events(&played, "pass").len(), 0);
    assert_eq!(as_json(event(&played, "over")), json!({"type": "over", "seat": "south", "clause": "K10"}));
    let result = json!({"winner": "south", "reason": "tie_break", "places": ["south", "north"]});
    assert_eq!(serde_json::to_value(view.result).unwrap(), result);
    assert_eq!(turn(&view), (Seat::North, Phase::Over));
    // A posted state in which the side to move has none is lost, not impossible.
    let lost = kauri("south", "0/0 0/0 0/0 0/0 0/0 0/0", 30, "0/12 0/0 0/0 0/0 0/0 0/0", 30);
    let view = RulesId::Kauri.rules().view(&lost).unwrap();
    assert_eq!(view.result.unwrap().winner, Seat::North);
}

#[test]
fn k10_begins_when_the_last_bead_is_captured() {
    let state = kauri("south", "0/1 0/1 0/1 0/1 0/1 0/1", 29, "1/0 0/1 0/1 0/1 0/1 0/2", 30);
    let (played, view) = apply(&state, "f");
    assert_eq!((event(&played, "capture").beads, stores(&view)), (Some(1), (30, 30)));
    assert_eq!(turn(&view), (Seat::North, Phase::Move));
}
