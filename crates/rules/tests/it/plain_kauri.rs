//! Kauri once more, as plainly as the clauses read: slow, and without anything of the crate's ways.

use crate::games::{always_alike, games, walk};
use kauri_rules::{Event, Kauri, Position, Seat, State, kauri};
use proptest::prelude::*;

/// The pits, `a` to `F`, and the stores.
#[derive(Debug, PartialEq)]
struct Board {
    beads: [u8; 12],
    cowries: [u8; 12],
    stores: [u8; 2],
}

fn board(state: &State) -> Board {
    let setup = state.kauri.as_ref().unwrap();
    let pits: Vec<kauri::SetupPit> = setup.south.pits.iter().chain(&setup.north.pits).copied().collect();
    Board {
        beads: std::array::from_fn(|at| pits[at].beads),
        cowries: std::array::from_fn(|at| pits[at].cowries),
        stores: [setup.south.store, setup.north.store],
    }
}

/// Sows one piece after the other (K3 to K7) and tells it as the events do.
fn sow(board: &mut Board, pit: usize) -> Vec<(String, char, u8)> {
    let letters: Vec<char> = "abcdefABCDEF".chars().collect();
    let (mover, opponent) = (pit / 6, 1 - pit / 6);
    let beads = std::mem::take(&mut board.beads[pit]);
    let cowries = std::mem::take(&mut board.cowries[pit]);
    let mut told = Vec::new();
    let mut at = pit;
    for piece in 0..beads + cowries {
        at = (at + 1) % 12;
        let theirs = at / 6 == opponent;
        if piece < beads {
            told.push(("bead".to_owned(), letters[at], 1));
            if theirs && board.cowries[at] > 0 && board.beads[at] == 0 {
                board.stores[opponent] += 1;
                told.push((format!("K6 {opponent}"), letters[at], 1));
            } else {
                board.beads[at] += 1;
            }
        } else {
            told.push(("cowrie".to_owned(), letters[at], 1));
            if theirs && board.cowries[at] == 0 && board.beads[at] > 0 {
                let captured = std::mem::take(&mut board.beads[at]);
                board.stores[mover] += captured;
                told.push((format!("K5 {mover}"), letters[at], captured));
            }
            board.cowries[at] += 1;
        }
    }
    told
}

fn told_of(event: &Event) -> Option<(String, char, u8)> {
    let pit = event.pit?.chars().next().unwrap();
    let what = match event.piece {
        Some(piece) => piece.to_owned(),
        None => format!("{} {}", event.clause.unwrap(), usize::from(event.seat.unwrap() == Seat::North)),
    };
    Some((what, pit, event.beads.unwrap_or(1)))
}

fn is_plain(before: &Kauri, pit: kauri::Pit, after: &Kauri) {
    let mut plain = board(&before.to_state());
    let story = sow(&mut plain, pit.index());
    assert_eq!(board(&after.to_state()), plain);

    let (mut position, mut events) = (*before, Vec::new());
    position.play(pit, |event| events.push(event)).unwrap();
    assert_eq!(events.iter().filter_map(told_of).collect::<Vec<_>>(), story);

    let next = 1 - pit.index() / 6;
    let over = plain.stores.iter().any(|&store| store > 30);
    let cowries = |side: usize| plain.cowries[6 * side..6 * side + 6].iter().sum::<u8>();
    let passes = cowries(next) == 0 && plain.stores != [30, 30] && !over;
    let to_move = if passes { 1 - next } else { next };
    assert_eq!(after.to_move(), [Seat::South, Seat::North][to_move]);
    let playable = |at: &usize| at / 6 == to_move && plain.cowries[*at] > 0 && !over;
    let legal: Vec<usize> = (0..12).filter(playable).collect();
    assert_eq!(after.legal_steps().map(kauri::Pit::index).collect::<Vec<_>>(), legal);
}

proptest! {
    #![proptest_config(always_alike(128))]

    #[test]
    fn kauri_is_as_the_clauses_read((start, choices) in games::<Kauri>()) {
        walk(start, &choices, is_plain);
    }
}
