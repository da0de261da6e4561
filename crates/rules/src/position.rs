//! What every game is to its callers.

use crate::{Event, InvalidOptions, InvalidState, Options, RulesId, Seat, State};
use serde::Serialize;
use std::fmt::Debug;
use std::hash::Hash;

/// Who acts, and how. Rules never draw: a throw is a step like any other, stated by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The seat chooses a move.
    Move(Seat),
    /// The shells fall for the seat.
    Throw(Seat),
    /// The game has ended.
    Over(Outcome),
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Who won.
    pub winner: Seat,
    /// Why: `majority` (K9), `tie_break` (K10) or `finished` (A16).
    pub reason: &'static str,
    /// Every seat from first to last, where more than the winner is known.
    #[serde(skip_serializing_if = "Places::is_empty")]
    pub places: Places,
}

/// Seats in the order they came in; empty where only the winner is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places([Option<Seat>; 4]);

impl Places {
    /// Whether nothing beyond the winner is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The seats, first to last.
    pub fn iter(&self) -> impl Iterator<Item = Seat> {
        self.0.into_iter().flatten()
    }
}

impl FromIterator<Seat> for Places {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        let mut places = Self::default();
        for (place, seat) in places.0.iter_mut().zip(seats) {
            *place = Some(seat);
        }
        places
    }
}

impl Serialize for Places {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// The step is not allowed here, and by which clause; the position is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct IllegalMove {
    /// A stable word for programs, such as `no_cowrie` or `blocked`.
    pub code: &'static str,
    /// The clause that forbids it, such as `K3`.
    pub clause: Option<&'static str>,
    /// The reason in a sentence, for people. Never echoes the move.
    pub message: &'static str,
}

/// A position that can be: private fields, `Copy`, at most 64 bytes, always valid.
///
/// A step exists whenever the game is not over; a step is legal exactly when it is listed by
/// [`legal_steps`](Self::legal_steps) and exactly when [`play`](Self::play) takes it.
pub trait Position: Copy + Eq + Hash + Debug + Send + Sync + Sized + 'static {
    /// A move or a throw.
    type Step: Copy + Eq + Hash + Debug + Send + Sync;

    /// Which rules these are.
    const RULES: RulesId;

    /// The start position for these seats (in any order; the usual ones when `None`) and options.
    fn initial(seats: Option<&[Seat]>, options: &Options) -> Result<Self, InvalidOptions>;

    /// The gate: checks that a state can be, and reports every reason why not.
    fn from_state(state: &State) -> Result<Self, InvalidState>;

    /// The state in its canonical form.
    fn to_state(&self) -> State;

    /// The occupied seats, in turn order.
    fn seats(&self) -> impl Iterator<Item = Seat>;

    /// The seats that have come in already, in that order, where a game goes on after the first has.
    fn finished(&self) -> impl Iterator<Item = Seat> {
        std::iter::empty()
    }

    /// Whose turn it is, or would be when the game is over.
    fn to_move(&self) -> Seat;

    /// Who acts next.
    fn turn(&self) -> Turn;

    /// The legal steps in the rules' order; none exactly when the game is over. Neither allocates nor borrows.
    fn legal_steps(&self) -> impl ExactSizeIterator<Item = Self::Step> + Clone + use<Self>;

    /// Whether the step is legal, and the clause if not.
    fn check(&self, step: Self::Step) -> Result<(), IllegalMove>;

    /// Makes a step known to be legal, and tells `on` what happens, in order.
    ///
    /// An illegal step leaves some valid position or panics; it never breaks memory safety.
    fn play_unchecked(&mut self, step: Self::Step, on: impl FnMut(Event));

    /// Makes a step; an illegal one leaves the position unchanged.
    fn play(&mut self, step: Self::Step, on: impl FnMut(Event)) -> Result<(), IllegalMove> {
        self.check(step)?;
        self.play_unchecked(step, on);
        Ok(())
    }

    /// The step's name on the wire.
    fn step_name(step: Self::Step) -> &'static str;

    /// The step a name means; an unknown name is an illegal move that says how moves are written.
    fn parse_step(name: &str) -> Result<Self::Step, IllegalMove>;

    /// The weight of a throw in sixteenths; 0 for a step that is no throw.
    fn weight(step: Self::Step) -> u8;
}
