//! One seat's four pieces, by how far they have come on the seat's own route.

use super::route::{CENTRE, ON_ROUTE};

/// The indices of the four pieces, ascending. 0 is the hand: no piece rests on its own start (A5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Pieces([u8; 4]);

impl Pieces {
    pub(super) fn new(mut indices: [u8; 4]) -> Self {
        sort(&mut indices);
        Self(indices)
    }

    pub(super) const fn indices(self) -> [u8; 4] {
        self.0
    }

    /// Whether every piece is finished.
    pub(super) const fn finished(self) -> bool {
        self.0[0] == CENTRE
    }

    /// How many pieces are at the index.
    pub(super) fn count(self, index: u8) -> u8 {
        self.0.iter().map(|&at| u8::from(at == index)).sum()
    }

    /// Indices with at least one piece, hand and centre included, as bits.
    pub(super) fn occupied(self) -> u64 {
        self.0.iter().fold(0, |bits, &at| bits | 1 << at)
    }

    /// Indices with a double (A9), as bits.
    pub(super) fn doubles(self) -> u64 {
        self.pairs().fold(0, |bits, (at, double)| bits | u64::from(double) << at) & ON_ROUTE
    }

    /// Three indices with whether two pieces are there; hand and centre are no doubles but may be among them.
    pub(super) fn pairs(self) -> impl Iterator<Item = (u8, bool)> {
        (0..3).map(move |n| (self.0[n], self.0[n] == self.0[n + 1]))
    }

    /// Moves the pieces that are at one index to another, at most `most` of them; tells how many.
    pub(super) fn shift(&mut self, from: u8, to: u8, most: u8) -> u8 {
        let mut moved = 0;
        for at in &mut self.0 {
            let hit = *at == from && moved < most;
            *at = if hit { to } else { *at };
            moved += u8::from(hit);
        }
        sort(&mut self.0);
        moved
    }
}

/// Sorts four numbers without branches.
fn sort(numbers: &mut [u8; 4]) {
    for (low, high) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        let (a, b) = (numbers[low], numbers[high]);
        numbers[low] = a.min(b);
        numbers[high] = a.max(b);
    }
}
