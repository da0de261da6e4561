//! Twelve pits and two stores: sowing and capture, a whole move at once.
//!
//! A move drops at most one cowrie into each pit (there are twelve of either), and beads meet only cowries
//! that lay there before the move, because all beads fall first (K4). So what a pit does to the pieces that
//! fall into it is known before the first one falls, and the sowing is arithmetic on all pits side by side.

use crate::{Event, Seat};
use std::fmt;

/// Beads in the game (K2).
pub(super) const BEADS: u8 = 60;
/// Cowries in the game (K2).
pub(super) const COWRIES: u8 = 12;
/// More than half of the beads (K9).
pub(super) const MAJORITY: u8 = BEADS / 2 + 1;

/// The pits' names in sowing order.
const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "A", "B", "C", "D", "E", "F"];

/// One of the twelve pits, by its place in sowing order: `a`–`f` are South's, `A`–`F` North's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pit(u8);

impl Pit {
    /// Every pit, in sowing order.
    pub const ALL: [Self; 12] = {
        let mut all = [Self(0); 12];
        let mut index = 0;
        while index < 12 {
            all[index as usize] = Self(index);
            index += 1;
        }
        all
    };

    /// The pit's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        NAMES[self.0 as usize % 12]
    }

    /// The pit's place in sowing order, 0 to 11.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize % 12
    }

    /// The pit a name means.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pit| pit.as_str() == name)
    }

    /// Whose pit it is.
    pub(super) const fn side(self) -> Side {
        if self.0 < 6 { Side::South } else { Side::North }
    }

    /// The pit that many drops further on.
    const fn after(self, drops: u8) -> Self {
        Self((self.0 + drops) % 12)
    }
}

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    South,
    North,
}

impl Side {
    pub(super) const fn other(self) -> Self {
        match self {
            Self::South => Self::North,
            Self::North => Self::South,
        }
    }

    pub(super) const fn seat(self) -> Seat {
        match self {
            Self::South => Seat::South,
            Self::North => Seat::North,
        }
    }

    /// The place of the side's first pit in sowing order.
    const fn first(self) -> u32 {
        6 * self as u32
    }

    /// The bytes of the side's own pits.
    const fn pits(self) -> u128 {
        0xffff_ffff_ffff << (8 * self.first())
    }
}

/// Twelve counts, one byte a pit, the first in sowing order lowest. No count exceeds 60, so the top bit of
/// every byte is free and sums don't carry from one pit into the next.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Counts(u128);

/// A one in every pit.
const ONES: u128 = 0x0101_0101_0101_0101_0101_0101;
/// The free bit of every pit.
const TOPS: u128 = ONES << 7;

impl Counts {
    pub(super) fn from_array(counts: [u8; 12]) -> Self {
        let mut bytes = [0; 16];
        bytes[..12].copy_from_slice(&counts);
        Self(u128::from_le_bytes(bytes))
    }

    #[expect(clippy::cast_possible_truncation, reason = "one byte is what is wanted")]
    pub(super) const fn get(self, pit: Pit) -> u8 {
        (self.0 >> (8 * pit.index())) as u8
    }

    /// Empties a pit.
    const fn take(&mut self, pit: Pit) -> u8 {
        let count = self.get(pit);
        self.0 &= !(0xff << (8 * pit.index()));
        count
    }

    /// The free bit of every pit that holds something.
    const fn held(self) -> u128 {
        (self.0 + (TOPS - ONES)) & TOPS
    }

    /// All bits of every pit that holds something.
    const fn held_mask(self) -> u128 {
        let tops = self.held();
        (tops << 1) - (tops >> 7)
    }

    /// The sum of all pits.
    #[expect(clippy::cast_possible_truncation, reason = "the halves are taken apart; a sum fits a byte")]
    const fn sum(self) -> u8 {
        let pairs = (self.0 as u64).wrapping_add((self.0 >> 64) as u64);
        (pairs.wrapping_mul(ONES as u64) >> 56) as u8
    }
}

impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(Pit::ALL.iter().map(|&pit| self.get(pit))).finish()
    }
}

/// `RUNS[pit][n]` is a one in each of the n pits after `pit`, n up to 12: the lap that ends in it (K4).
static RUNS: [[u128; 13]; 12] = {
    let mut runs = [[0; 13]; 12];
    let mut pit = 0;
    while pit < 12 {
        let mut n = 1;
        while n <= 12 {
            runs[pit][n] = runs[pit][n - 1] | 1 << (8 * ((pit + n) % 12));
            n += 1;
        }
        pit += 1;
    }
    runs
};

/// What lies where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Board {
    pub(super) beads: Counts,
    pub(super) cowries: Counts,
    /// South's store, then North's.
    pub(super) stores: [u8; 2],
}

impl Board {
    /// The start position (K2).
    pub(super) fn initial() -> Self {
        Self { beads: Counts(5 * ONES), cowries: Counts(ONES), stores: [0, 0] }
    }

    /// The side's pits that hold a cowrie (K3), as bits in sowing order.
    #[expect(clippy::cast_possible_truncation, reason = "the side's six bytes are taken out")]
    pub(super) const fn playable(&self, side: Side) -> u16 {
        // The product moves the free bit of byte n, brought down to bit 8n, to bit 56 + n.
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let tops = (self.cowries.held() >> (8 * side.first())) as u64 & 0x8080_8080_8080;
        let bits = (tops >> 7).wrapping_mul(GATHER) >> 56;
        (bits as u16) << side.first()
    }

    /// Empties the pit and sows what it held (K4), with all captures (K5, K6, K7).
    pub(super) fn sow(&mut self, pit: Pit, mover: Side) -> Sowing {
        let (beads, cowries) = (self.beads.take(pit), self.cowries.take(pit));
        let opponent = mover.other();

        let occupied = self.cowries.held_mask();
        let lone = occupied & !self.beads.held_mask() & opponent.pits();
        let dropped = RUNS[pit.index()][usize::from(beads % 12)] + ONES * u128::from(beads / 12);
        self.stores[opponent as usize] += Counts(dropped & lone).sum();
        self.beads.0 += dropped & !lone;

        let dropped = RUNS[pit.after(beads).index()][usize::from(cowries.min(COWRIES))];
        let bare = !occupied & opponent.pits() & ((dropped << 8) - dropped);
        let captured = Counts(self.beads.0 & bare);
        self.stores[mover as usize] += captured.sum();
        self.beads.0 &= !bare;
        self.cowries.0 += dropped;

        Sowing { pit, beads, cowries, mover, lone: Counts(lone), captured }
    }
}

/// What one move did.
pub(super) struct Sowing {
    pit: Pit,
    beads: u8,
    cowries: u8,
    mover: Side,
    /// Pits whose lone cowries turned beads away (K6).
    lone: Counts,
    /// Beads that cowries captured, by pit (K5).
    captured: Counts,
}

impl Sowing {
    /// Tells the move piece by piece.
    pub(super) fn tell(&self, on: &mut impl FnMut(Event)) {
        for drop in 0..self.beads {
            let pit = self.pit.after(1 + drop);
            on(sown(pit, "bead"));
            if self.lone.get(pit) != 0 {
                on(captured(pit, 1, self.mover.other(), "K6"));
            }
        }
        for drop in 0..self.cowries {
            let pit = self.pit.after(self.beads + 1 + drop);
            on(sown(pit, "cowrie"));
            if self.captured.get(pit) != 0 {
                on(captured(pit, self.captured.get(pit), self.mover, "K5"));
            }
        }
    }
}

const fn sown(pit: Pit, piece: &'static str) -> Event {
    Event { pit: Some(pit.as_str()), piece: Some(piece), ..Event::new("sow") }
}

const fn captured(pit: Pit, beads: u8, gains: Side, clause: &'static str) -> Event {
    Event {
        seat: Some(gains.seat()),
        pit: Some(pit.as_str()),
        beads: Some(beads),
        clause: Some(clause),
        ..Event::new("capture")
    }
}
