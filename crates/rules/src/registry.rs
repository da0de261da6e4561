//! The one place that lists the rules, and the dynamic face to them: state in, answer out.

use crate::wire::{Chance, Phase, View};
use crate::{
    AshtaKashte, Event, IllegalMove, InvalidOptions, InvalidState, Kauri, Options, Position, Seat, State,
    Turn, catalogue,
};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// Which game is played. Adding one is a module, a variant and an arm of [`RulesId::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RulesId {
    /// The sowing game with beads and cowries.
    Kauri,
    /// The cowrie-shell race for two to four.
    AshtaKashte,
}

impl RulesId {
    /// Every game this crate knows.
    pub const ALL: [Self; 2] = [Self::Kauri, Self::AshtaKashte];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kauri => "kauri",
            Self::AshtaKashte => "ashta-kashte",
        }
    }

    /// The rules behind the name.
    #[must_use]
    pub fn rules(self) -> &'static dyn DynRules {
        match self {
            Self::Kauri => &Erased::<Kauri>(PhantomData),
            Self::AshtaKashte => &Erased::<AshtaKashte>(PhantomData),
        }
    }
}

impl fmt::Display for RulesId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no rules of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rules are one of kauri, ashta-kashte")]
pub struct UnknownRules;

impl FromStr for RulesId {
    type Err = UnknownRules;

    fn from_str(text: &str) -> Result<Self, UnknownRules> {
        Self::ALL.into_iter().find(|id| id.as_str() == text).ok_or(UnknownRules)
    }
}

/// A step that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Who made it, or for whom the shells fell.
    pub seat: Seat,
    /// The step's name.
    pub r#move: &'static str,
    /// What happened, in order.
    pub events: Vec<Event>,
}

/// Why a step on a posted state was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The state can't be.
    #[error(transparent)]
    State(#[from] InvalidState),
    /// The step is not allowed; the position it was tried on comes along.
    #[error("{illegal}")]
    Move {
        /// Why.
        illegal: IllegalMove,
        /// The position that stays.
        view: Box<View>,
    },
}

/// The first move of a replay that could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {index}: {illegal}")]
pub struct BadMove {
    /// Its index in the moves, from 0.
    pub index: usize,
    /// Why.
    pub illegal: IllegalMove,
    /// The position it was tried on.
    pub view: Box<View>,
}

/// Any rules, by state.
pub trait DynRules: Send + Sync {
    /// Which rules these are.
    fn id(&self) -> RulesId;

    /// What a newcomer is told about these rules.
    fn catalogue(&self) -> &'static catalogue::Rules;

    /// The start position.
    fn initial(&self, seats: Option<&[Seat]>, options: &Options) -> Result<View, InvalidOptions>;

    /// The position a state stands for.
    fn view(&self, state: &State) -> Result<View, InvalidState>;

    /// The ways the shells can fall on a state, with weights; empty unless they are to be thrown.
    fn chances(&self, state: &State) -> Result<Vec<Chance>, InvalidState>;

    /// The seats of a state, in turn order.
    fn seats(&self, state: &State) -> Result<Vec<Seat>, InvalidState>;

    /// One step.
    fn apply(&self, state: &State, name: &str) -> Result<(Played, View), Refusal>;

    /// Many steps, each told to `on`; stops at the first that can't be made.
    fn replay(
        &self,
        start: &State,
        names: &mut dyn Iterator<Item = &str>,
        on: &mut dyn FnMut(Played),
    ) -> Result<Result<View, BadMove>, InvalidState>;

    /// The position after many steps, without what happened on the way: a replay at a fraction of the cost.
    fn skip(
        &self,
        start: &State,
        names: &mut dyn Iterator<Item = &str>,
    ) -> Result<Result<View, BadMove>, InvalidState>;

    /// The seats of a state that have come in already, in that order.
    fn finished(&self, state: &State) -> Result<Vec<Seat>, InvalidState>;
}

/// A [`Position`] type seen through [`DynRules`].
struct Erased<P>(PhantomData<fn() -> P>);

impl<P: Position> Erased<P> {
    fn view(position: &P) -> View {
        let (phase, result) = match position.turn() {
            Turn::Move(_) => (Phase::Move, None),
            Turn::Throw(_) => (Phase::Throw, None),
            Turn::Over(outcome) => (Phase::Over, Some(outcome)),
        };
        View {
            state: position.to_state(),
            phase,
            legal_moves: position.legal_steps().map(P::step_name).collect(),
            result,
        }
    }

    fn play(position: &mut P, name: &str) -> Result<Played, IllegalMove> {
        let step = P::parse_step(name)?;
        let seat = position.to_move();
        let mut events = Vec::new();
        position.play(step, |event| events.push(event))?;
        Ok(Played { seat, r#move: P::step_name(step), events })
    }

    /// Makes every step the way `play` does, until one can't be made.
    fn run(
        start: &State,
        names: &mut dyn Iterator<Item = &str>,
        mut play: impl FnMut(&mut P, &str) -> Result<(), IllegalMove>,
    ) -> Result<Result<View, BadMove>, InvalidState> {
        let mut position = P::from_state(start)?;
        for (index, name) in names.enumerate() {
            if let Err(illegal) = play(&mut position, name) {
                return Ok(Err(BadMove { index, illegal, view: Box::new(Self::view(&position)) }));
            }
        }
        Ok(Ok(Self::view(&position)))
    }
}

impl<P: Position> DynRules for Erased<P> {
    fn id(&self) -> RulesId {
        P::RULES
    }

    fn catalogue(&self) -> &'static catalogue::Rules {
        catalogue::of(P::RULES)
    }

    fn initial(&self, seats: Option<&[Seat]>, options: &Options) -> Result<View, InvalidOptions> {
        P::initial(seats, options).map(|position| Self::view(&position))
    }

    fn view(&self, state: &State) -> Result<View, InvalidState> {
        P::from_state(state).map(|position| Self::view(&position))
    }

    fn chances(&self, state: &State) -> Result<Vec<Chance>, InvalidState> {
        let position = P::from_state(state)?;
        let chance = |step| Chance { r#move: P::step_name(step), weight: P::weight(step) };
        Ok(position.legal_steps().map(chance).filter(|chance| chance.weight > 0).collect())
    }

    fn seats(&self, state: &State) -> Result<Vec<Seat>, InvalidState> {
        P::from_state(state).map(|position| position.seats().collect())
    }

    fn apply(&self, state: &State, name: &str) -> Result<(Played, View), Refusal> {
        let mut position = P::from_state(state)?;
        match Self::play(&mut position, name) {
            Ok(played) => Ok((played, Self::view(&position))),
            Err(illegal) => Err(Refusal::Move { illegal, view: Box::new(Self::view(&position)) }),
        }
    }

    fn replay(
        &self,
        start: &State,
        names: &mut dyn Iterator<Item = &str>,
        on: &mut dyn FnMut(Played),
    ) -> Result<Result<View, BadMove>, InvalidState> {
        Self::run(start, names, |position, name| Self::play(position, name).map(&mut *on))
    }

    fn skip(
        &self,
        start: &State,
        names: &mut dyn Iterator<Item = &str>,
    ) -> Result<Result<View, BadMove>, InvalidState> {
        Self::run(start, names, |position, name| position.play(P::parse_step(name)?, |_| ()))
    }

    fn finished(&self, state: &State) -> Result<Vec<Seat>, InvalidState> {
        Ok(P::from_state(state)?.finished().collect())
    }
}
