//! Kauri, the sowing game with beads and cowries (Ralf Gering, 2006).
//!
//! # Rules used
//!
//! - K1, K2: twelve pits, six a side, with 5 beads and 1 cowrie each; two empty stores; South moves first.
//! - K3: a move empties an own pit that holds a cowrie. K4: all beads are sown first, then the cowries,
//!   counter-clockwise, round the board and into the emptied pit if there are enough.
//! - K5: a cowrie captures the beads of an opponent's pit without cowries into the mover's store.
//! - K6: a bead that drops on lone cowries of the opponent goes into the opponent's store.
//! - K7: in the mover's own pits nothing is captured.
//! - K8: a player without cowries passes; that is an event of the move before.
//! - K9: 31 beads in a store win. The move that brings them is sown to its end, so that the pieces stay
//!   conserved; nothing later in it can change the result.
//! - K10: at 30–30 the player to move who has no cowrie loses. K11: there is no draw, and no bound on the
//!   number of moves.
//!
//! When the game is over, the seat that would move is the opponent of the last mover: nobody passes any more.

mod board;
mod setup;
#[cfg(test)]
mod tie_break;

pub use board::Pit;
pub use setup::{Setup, SetupPit, SetupSide};

use crate::reason::Reasons;
use crate::{
    Event, IllegalMove, InvalidOptions, InvalidState, Options, Outcome, Position, RulesId, Seat, State, Turn,
};
use board::{BEADS, Board, MAJORITY, Side};

/// A position of Kauri.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kauri {
    board: Board,
    mover: Side,
}

const _: () = assert!(size_of::<Kauri>() <= 64);

/// How a game ends.
#[derive(Clone, Copy)]
enum End {
    /// K9.
    Majority,
    /// K10.
    TieBreak,
}

impl End {
    const fn reason(self) -> &'static str {
        match self {
            Self::Majority => "majority",
            Self::TieBreak => "tie_break",
        }
    }

    const fn clause(self) -> &'static str {
        match self {
            Self::Majority => "K9",
            Self::TieBreak => "K10",
        }
    }
}

impl Kauri {
    /// The winner, once there is one.
    const fn end(&self) -> Option<(Side, End)> {
        let [south, north] = self.board.stores;
        if south >= MAJORITY {
            Some((Side::South, End::Majority))
        } else if north >= MAJORITY {
            Some((Side::North, End::Majority))
        } else if south + north == BEADS && self.board.playable(self.mover) == 0 {
            Some((self.mover.other(), End::TieBreak))
        } else {
            None
        }
    }

    /// The pits that may be played, as bits in sowing order; none when the game is over.
    const fn legal(&self) -> u16 {
        let [south, north] = self.board.stores;
        if south >= MAJORITY || north >= MAJORITY { 0 } else { self.board.playable(self.mover) }
    }
}

impl Position for Kauri {
    type Step = Pit;

    const RULES: RulesId = RulesId::Kauri;

    fn initial(seats: Option<&[Seat]>, options: &Options) -> Result<Self, InvalidOptions> {
        let mut reasons = Reasons::default();
        reasons.check_seats(seats.unwrap_or(&[Seat::South, Seat::North]), &[Seat::South, Seat::North], 2);
        reasons.refuse_options(options);
        if reasons.is_empty() {
            Ok(Self { board: Board::initial(), mover: Side::South })
        } else {
            Err(reasons.into())
        }
    }

    fn from_state(state: &State) -> Result<Self, InvalidState> {
        Self::read(state)
    }

    fn to_state(&self) -> State {
        self.write()
    }

    fn seats(&self) -> impl Iterator<Item = Seat> {
        [Seat::South, Seat::North].into_iter()
    }

    fn to_move(&self) -> Seat {
        self.mover.seat()
    }

    fn turn(&self) -> Turn {
        match self.end() {
            None => Turn::Move(self.to_move()),
            Some((winner, end)) => Turn::Over(Outcome {
                winner: winner.seat(),
                reason: end.reason(),
                places: [winner.seat(), winner.other().seat()].into_iter().collect(),
            }),
        }
    }

    fn legal_steps(&self) -> impl ExactSizeIterator<Item = Pit> + Clone + use<> {
        Pits(self.legal())
    }

    fn check(&self, pit: Pit) -> Result<(), IllegalMove> {
        if self.legal() & 1 << pit.index() != 0 {
            return Ok(());
        }
        Err(if self.end().is_some() {
            IllegalMove { code: "game_over", clause: Some("K9"), message: "The game is over." }
        } else if pit.side() != self.mover {
            IllegalMove {
                code: "not_your_pit",
                clause: Some("K3"),
                message: "A move empties one of the mover's own pits.",
            }
        } else {
            IllegalMove {
                code: "no_cowrie",
                clause: Some("K3"),
                message: "A pit without a cowrie can't be played.",
            }
        })
    }

    fn play_unchecked(&mut self, pit: Pit, mut on: impl FnMut(Event)) {
        let mover = self.mover;
        self.board.sow(pit, mover).tell(&mut on);
        self.mover = mover.other();
        if let Some((winner, end)) = self.end() {
            on(Event { seat: Some(winner.seat()), clause: Some(end.clause()), ..Event::new("over") });
        } else if self.board.playable(self.mover) == 0 {
            on(Event {
                seat: Some(self.to_move()),
                clause: Some("K8"),
                why: Some("No own pit holds a cowrie."),
                ..Event::new("pass")
            });
            self.mover = mover;
        }
    }

    fn step_name(pit: Pit) -> &'static str {
        pit.as_str()
    }

    fn parse_step(name: &str) -> Result<Pit, IllegalMove> {
        Pit::named(name).ok_or(IllegalMove {
            code: "unknown_move",
            clause: None,
            message: "A move is the letter of a pit: a to f for South, A to F for North.",
        })
    }

    fn weight(_: Pit) -> u8 {
        0
    }
}

/// Pits from a set of bits.
#[derive(Clone)]
struct Pits(u16);

impl Iterator for Pits {
    type Item = Pit;

    fn next(&mut self) -> Option<Pit> {
        let pit = Pit::ALL.get(self.0.trailing_zeros() as usize).copied()?;
        self.0 &= self.0 - 1;
        Some(pit)
    }

    /// Without branches on the number, which random players make unpredictable.
    fn nth(&mut self, n: usize) -> Option<Pit> {
        for skipped in 0..6 {
            let rest = self.0 & self.0.wrapping_sub(1);
            self.0 = if skipped < n { rest } else { self.0 };
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.count_ones() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Pits {}
