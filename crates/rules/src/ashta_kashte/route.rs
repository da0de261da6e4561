//! Squares and routes: tables made at compile time from South's two routes by turning the board.

use crate::Seat;

/// Places on a route, the centre included (A6).
pub(super) const LENGTH: usize = 49;
/// The centre's index on every route (A13).
pub(super) const CENTRE: u8 = 48;
/// The resting squares' indices, the same on every route (A8), as bits.
pub(super) const RESTING: u64 = 1 | 1 << 6 | 1 << 12 | 1 << 18;
/// The indices where a piece can stand: neither hand (0) nor finished.
pub(super) const ON_ROUTE: u64 = (1 << CENTRE) - 2;

/// What [`translated`] gives where no opponent's piece can be met.
pub(super) const NOWHERE: u8 = 63;

/// The squares' names, rank by rank from a1.
#[rustfmt::skip]
const NAMES: [&str; LENGTH] = [
    "a1", "b1", "c1", "d1", "e1", "f1", "g1",
    "a2", "b2", "c2", "d2", "e2", "f2", "g2",
    "a3", "b3", "c3", "d3", "e3", "f3", "g3",
    "a4", "b4", "c4", "d4", "e4", "f4", "g4",
    "a5", "b5", "c5", "d5", "e5", "f5", "g5",
    "a6", "b6", "c6", "d6", "e6", "f6", "g6",
    "a7", "b7", "c7", "d7", "e7", "f7", "g7",
];

const SPIRAL: &[u8; 3 * LENGTH - 1] =
    b"d1 e1 f1 g1 g2 g3 g4 g5 g6 g7 f7 e7 d7 c7 b7 a7 a6 a5 a4 a3 a2 a1 b1 c1 \
      c2 d2 e2 f2 f3 f4 f5 f6 e6 d6 c6 b6 b5 b4 b3 b2 c3 d3 e3 e4 e5 d5 c5 c4 d4";
const REVERSING: &[u8; 3 * LENGTH - 1] =
    b"d1 e1 f1 g1 g2 g3 g4 g5 g6 g7 f7 e7 d7 c7 b7 a7 a6 a5 a4 a3 a2 a1 b1 c1 \
      b2 b3 b4 b5 b6 c6 d6 e6 f6 f5 f4 f3 f2 e2 d2 c2 c3 c4 c5 d5 e5 e4 e3 d3 d4";

/// A square of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square's name, such as `g3`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        NAMES[self.0 as usize % LENGTH]
    }

    /// The square's number, rank by rank from a1 (0) to g7 (48).
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize % LENGTH
    }

    /// Every square, rank by rank.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=CENTRE).map(Self)
    }

    /// The square a name means.
    pub(super) fn named(name: &str) -> Option<Self> {
        match *name.as_bytes() {
            [file @ b'a'..=b'g', rank @ b'1'..=b'7'] => Some(Self((rank - b'1') * 7 + (file - b'a'))),
            _ => None,
        }
    }

    /// A quarter turn counter-clockwise, which takes d1 to g4.
    const fn turned(self) -> Self {
        let (file, rank) = (self.0 % 7, self.0 / 7);
        Self(7 * file + (6 - rank))
    }
}

/// How the rings are walked (A6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Route {
    Spiral,
    Reversing,
}

impl Route {
    pub(super) const ALL: [Self; 2] = [Self::Spiral, Self::Reversing];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Spiral => "spiral",
            Self::Reversing => "reversing",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.as_str() == name)
    }

    /// The square at an index of the seat's route.
    pub(super) const fn square(self, seat: Seat, index: u8) -> Square {
        SQUARES[self as usize][seat.index()][index as usize]
    }

    /// The index of a square on the seat's route.
    pub(super) const fn index(self, seat: Seat, square: Square) -> u8 {
        INDICES[self as usize][seat.index()][square.index()]
    }

    /// The index on the route of `to` of the square that `from` has at `index`, where its owner could be
    /// met: off the resting squares and the centre; else [`NOWHERE`].
    pub(super) const fn translated(self, from: Seat, to: Seat, index: u8) -> u8 {
        let turns = (to.index() + 4 - from.index()) % 4;
        TRANSLATED[self as usize][turns][index as usize]
    }
}

type PerRoute<T> = [[[T; LENGTH]; 4]; 2];

/// By route, seat and index.
static SQUARES: PerRoute<Square> = squares();
/// By route, seat and square.
static INDICES: PerRoute<u8> = indices();
/// By route, seats apart clockwise, and index.
static TRANSLATED: PerRoute<u8> = translated();

const fn squares() -> PerRoute<Square> {
    let texts = [SPIRAL, REVERSING];
    let mut table = [[[Square(0); LENGTH]; 4]; 2];
    let mut route = 0;
    while route < 2 {
        let mut index = 0;
        while index < LENGTH {
            let name = texts[route].split_at(3 * index).1;
            let mut square = Square((name[1] - b'1') * 7 + (name[0] - b'a'));
            // Seats follow each other clockwise, so the one before is a quarter turn counter-clockwise.
            let mut seat = 4;
            while seat > 0 {
                table[route][seat % 4][index] = square;
                square = square.turned();
                seat -= 1;
            }
            index += 1;
        }
        route += 1;
    }
    table
}

const fn indices() -> PerRoute<u8> {
    let squares = squares();
    let mut table = [[[u8::MAX; LENGTH]; 4]; 2];
    let mut route = 0;
    while route < 2 {
        let mut seat = 0;
        while seat < 4 {
            let mut index = 0;
            while index <= CENTRE {
                let entry = &mut table[route][seat][squares[route][seat][index as usize].index()];
                assert!(*entry == u8::MAX, "a route visits no square twice");
                *entry = index;
                index += 1;
            }
            seat += 1;
        }
        route += 1;
    }
    table
}

const fn translated() -> PerRoute<u8> {
    let (squares, indices) = (squares(), indices());
    let mut table = [[[NOWHERE; LENGTH]; 4]; 2];
    let mut route = 0;
    while route < 2 {
        let mut turns = 0;
        while turns < 4 {
            let mut index = 1;
            while index < CENTRE as usize {
                if RESTING >> index & 1 == 0 {
                    table[route][turns][index] = indices[route][turns][squares[route][0][index].index()];
                }
                index += 1;
            }
            turns += 1;
        }
        route += 1;
    }
    table
}
