//! Throws and moves, and how they are written.

use super::route::{Route, Square};
use crate::{IllegalMove, Seat};

/// A throw of the four shells: the number of mouths up, or 8 for none (A3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Throw(u8);

impl Throw {
    /// Every throw, ascending.
    pub const ALL: [Self; 5] = [Self(1), Self(2), Self(3), Self(4), Self(8)];

    /// The throw of that number, if there is one.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        match number {
            1 | 2 | 3 | 4 | 8 => Some(Self(number)),
            _ => None,
        }
    }

    /// The number thrown.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// How many of the 16 equally likely falls of four shells give this throw (A3).
    #[must_use]
    pub const fn weight(self) -> u8 {
        match self.0 {
            1 | 3 => 4,
            2 => 6,
            _ => 1,
        }
    }

    const fn name(self) -> &'static str {
        match self.0 {
            1 => "throw:1",
            2 => "throw:2",
            3 => "throw:3",
            4 => "throw:4",
            _ => "throw:8",
        }
    }
}

/// A throw or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The shells fall.
    Throw(Throw),
    /// A piece in hand is entered (A5).
    Enter,
    /// The single or double on the square moves (A4, A10).
    From(Square),
}

impl Step {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Throw(throw) => throw.name(),
            Self::Enter => "enter",
            Self::From(square) => square.as_str(),
        }
    }

    pub(super) fn named(name: &str) -> Result<Self, IllegalMove> {
        if name == "throw" {
            return Err(IllegalMove {
                code: "throw_unstated",
                clause: Some("A3"),
                message: "Nobody throws here: state the throw as throw:N, N one of 1, 2, 3, 4, 8.",
            });
        }
        let throw = || Throw::ALL.into_iter().find(|throw| throw.name() == name).map(Self::Throw);
        let enter = || (name == "enter").then_some(Self::Enter);
        Square::named(name).map(Self::From).or_else(enter).or_else(throw).ok_or(IllegalMove {
            code: "unknown_move",
            clause: None,
            message: "A step is throw:N with N one of 1, 2, 3, 4, 8, or enter, or the square of the piece that moves.",
        })
    }
}

/// Steps from bits, ascending.
#[derive(Clone)]
pub(super) struct Steps {
    bits: u64,
    route: Route,
    mover: Option<Seat>,
}

impl Steps {
    /// Bits are indices of the mover's route, or numbers to throw when there is no mover.
    pub(super) const fn new(bits: u64, route: Route, mover: Option<Seat>) -> Self {
        Self { bits, route, mover }
    }
}

impl Iterator for Steps {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let bit = u8::try_from(self.bits.trailing_zeros()).ok()?;
        let step = match self.mover {
            _ if self.bits == 0 => return None,
            None => Step::Throw(Throw::new(bit)?),
            Some(_) if bit == 0 => Step::Enter,
            Some(mover) => Step::From(self.route.square(mover, bit)),
        };
        self.bits &= self.bits - 1;
        Some(step)
    }

    /// Without branches on the number, which random players make unpredictable; there are five steps at most.
    fn nth(&mut self, n: usize) -> Option<Step> {
        for skipped in 0..5 {
            let rest = self.bits & self.bits.wrapping_sub(1);
            self.bits = if skipped < n { rest } else { self.bits };
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.bits.count_ones() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Steps {}
