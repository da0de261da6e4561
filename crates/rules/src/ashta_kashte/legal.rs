//! Which pieces may move with a throw: all of them at once, as bits by index on the mover's own route.

use super::pieces::Pieces;
use super::route::{CENTRE, NOWHERE, ON_ROUTE, Route};
use super::step::Throw;
use crate::{IllegalMove, Seat};

/// The mover's pieces, and what stands in their way.
pub(super) struct Moves {
    /// Singles on the board, and bit 0 when a piece is in hand.
    singles: u64,
    doubles: u64,
    /// Opponents' doubles off the resting squares (A11).
    barred: u64,
    throw: u8,
    /// Indices from where a single would pass an opponent's double, if that is forbidden (A17).
    blocked: u64,
}

impl Moves {
    pub(super) fn new(pieces: &[Pieces; 4], mover: Seat, route: Route, block: bool, throw: Throw) -> Self {
        let own = pieces[mover.index()];
        let doubles = own.doubles();
        let mut barred = 0;
        for opponent in Seat::ALL.into_iter().filter(|&seat| seat != mover) {
            for (at, double) in pieces[opponent.index()].pairs() {
                barred |= u64::from(double) << route.translated(opponent, mover, at);
            }
        }
        barred &= !(1 << NOWHERE);
        let throw = throw.number();
        let passed = if block { throw } else { 1 };
        Self {
            singles: own.occupied() & !doubles & (ON_ROUTE | 1),
            doubles,
            barred,
            throw,
            blocked: (1..passed).fold(0, |bits, far| bits | barred >> far),
        }
    }

    /// The indices that can be moved from.
    pub(super) const fn legal(&self) -> u64 {
        let within = (1 << (CENTRE + 1 - self.throw)) - 1;
        let singles = self.singles & !((self.doubles | self.barred) >> self.throw) & !self.blocked;
        let doubles = self.doubles & !((self.singles | self.doubles) >> self.throw);
        (singles | doubles) & within
    }

    /// Why an index can't be moved from; `None` when it can or nothing is there to move.
    pub(super) fn reason(&self, from: u8) -> Option<IllegalMove> {
        let to = from + self.throw;
        let single = self.singles >> from & 1 == 1;
        let own = if single { self.doubles } else { self.singles | self.doubles };
        if to > CENTRE {
            Some(IllegalMove {
                code: "overshoot",
                clause: Some("A13"),
                message: "The centre is reached by exact throw only.",
            })
        } else if own >> to & 1 == 1 {
            Some(IllegalMove {
                code: "square_full",
                clause: Some("A12"),
                message: "No square but the centre holds more than two pieces of one player.",
            })
        } else if single && self.barred >> to & 1 == 1 {
            Some(IllegalMove {
                code: "double_stands",
                clause: Some("A11"),
                message: "A single may not land on an opponent's double.",
            })
        } else if single && self.blocked >> from & 1 == 1 {
            Some(IllegalMove {
                code: "blocked",
                clause: Some("A17"),
                message: "A single may not pass an opponent's double.",
            })
        } else {
            None
        }
    }
}
