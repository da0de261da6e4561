//! Who sits at the board, and who follows whom.

use crate::Seat;

/// A set of seats, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Seats(u8);

impl Seats {
    pub(super) const fn has(self, seat: Seat) -> bool {
        self.0 >> seat.index() & 1 == 1
    }

    pub(super) const fn without(self, seat: Seat) -> Self {
        Self(self.0 & !(1 << seat.index()))
    }

    pub(super) const fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Seat> {
        Seat::ALL.into_iter().filter(move |&seat| self.has(seat))
    }

    /// The seat of the set that follows clockwise.
    pub(super) const fn after(self, seat: Seat) -> Seat {
        let from = seat.index() + 1;
        let twice = (self.0 | self.0 << 4) >> from;
        Seat::ALL[(from + twice.trailing_zeros() as usize) % 4]
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        Self(seats.into_iter().fold(0, |bits, seat| bits | 1 << seat.index()))
    }
}
