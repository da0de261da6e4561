//! K11, checked: retrograde analysis of the whole tie-break.

use super::Kauri;
use super::board::{Board, Counts, Pit, Side};
use crate::{Position, Turn};

/// Ways to put 12 cowries into 12 pits.
const POSITIONS: usize = 1_352_078;

/// `WAYS[pits][cowries]`: ways to put that many cowries into that many pits.
const WAYS: [[usize; 13]; 13] = {
    let mut ways = [[0; 13]; 13];
    ways[0][0] = 1;
    let mut pits = 1;
    while pits <= 12 {
        let mut cowries = 0;
        while cowries <= 12 {
            ways[pits][cowries] =
                ways[pits - 1][cowries] + if cowries > 0 { ways[pits][cowries - 1] } else { 0 };
            cowries += 1;
        }
        pits += 1;
    }
    ways
};

/// The position's number, with the player to move as South.
fn number(position: &Kauri) -> usize {
    let shift = 6 * position.mover as usize;
    let mut left = 12;
    let mut number = 0;
    for at in 0..12 {
        let count = usize::from(position.board.cowries.get(Pit::ALL[(at + shift) % 12]));
        number += (0..count).map(|fewer| WAYS[11 - at][left - fewer]).sum::<usize>();
        left -= count;
    }
    number
}

/// The position of a number, South to move.
fn position(mut number: usize) -> Kauri {
    let mut cowries = [0; 12];
    let mut left = 12;
    for (at, count) in cowries.iter_mut().enumerate() {
        while number >= WAYS[11 - at][left] {
            number -= WAYS[11 - at][left];
            *count += 1;
            left -= 1;
        }
    }
    let board = Board { beads: Counts::default(), cowries: Counts::from_array(cowries), stores: [30, 30] };
    Kauri { board, mover: Side::South }
}

fn children(of: &Kauri) -> impl Iterator<Item = usize> {
    let of = *of;
    of.legal_steps().map(move |pit| {
        let mut next = of;
        next.play_unchecked(pit, |_| ());
        number(&next)
    })
}

#[test]
fn k11_every_tie_break_is_won_or_lost() {
    assert_eq!(WAYS[12][12], POSITIONS);

    // Who can be reached from where, backwards: the parents of n are parents[first[n]..first[n + 1]].
    let mut unknown = Vec::with_capacity(POSITIONS);
    let mut edges = Vec::new();
    for parent in 0..POSITIONS {
        let before = edges.len();
        edges.extend(children(&position(parent)));
        unknown.push(edges.len() - before);
    }
    let mut first = vec![0; POSITIONS + 2];
    for child in &edges {
        first[child + 2] += 1;
    }
    for n in 2..first.len() {
        first[n] += first[n - 1];
    }
    let mut parents = vec![0; edges.len()];
    let mut children = edges.into_iter();
    for (parent, &number) in unknown.iter().enumerate() {
        for child in children.by_ref().take(number) {
            parents[first[child + 1]] = parent;
            first[child + 1] += 1;
        }
    }

    // Who can't move has lost (K10); who can move to a lost position has won; who can't but do so has lost.
    let mut lost: Vec<usize> = (0..POSITIONS).filter(|&n| unknown[n] == 0).collect();
    assert!(lost.iter().all(|&n| matches!(position(n).turn(), Turn::Over(_))));
    let mut won = vec![false; POSITIONS];
    let (mut all_lost, mut all_won, mut longest) = (lost.len(), 0, 0);
    for moves in (2..).step_by(2) {
        let mut newly_lost = Vec::new();
        for parent in lost.iter().flat_map(|&n| &parents[first[n]..first[n + 1]]) {
            if std::mem::replace(&mut won[*parent], true) {
                continue;
            }
            all_won += 1;
            for &grandparent in &parents[first[*parent]..first[*parent + 1]] {
                unknown[grandparent] -= 1;
                if unknown[grandparent] == 0 && !won[grandparent] {
                    newly_lost.push(grandparent);
                }
            }
        }
        if newly_lost.is_empty() {
            break;
        }
        longest = moves;
        all_lost += newly_lost.len();
        lost = newly_lost;
    }
    assert_eq!((all_won, all_lost), (657_937, 694_141));
    assert_eq!(all_won + all_lost, POSITIONS, "no draw");
    assert_eq!(longest, 86, "moves until the last one is decided");
}
