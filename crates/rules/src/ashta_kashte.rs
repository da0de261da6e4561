//! Ashta-kashte, the cowrie-shell race from Bengal for two to four.
//!
//! # Rules used
//!
//! - A1, A2: two to four seats, four pieces each, all in hand; turns go clockwise; the first listed seat starts.
//! - A3, A4: four shells give 1, 2, 3, 4 or 8, for one piece or double.
//! - A5: any throw enters a piece. A6: option `route`, `spiral` or `reversing`.
//! - A7, A8: singles are captured off the resting squares. A9, A10: two own pieces are a double and stay one.
//! - A11: only a double captures a double. A12: never more than two of a seat on a square.
//! - A13: the centre by exact throw. A14: a throw that can't be used passes, as an event of the throw.
//! - A15: option `extra_turn`. A16: the first to finish wins; option `places` plays on. A17: option
//!   `doubles_block`.
//!
//! A state says in which `place` a finished seat came, for the order can't be derived. With two seats the
//! places are known as soon as one has finished; with more they are told only under option `places`.

mod gate;
mod legal;
mod pieces;
mod route;
mod seats;
mod setup;
mod step;

pub use route::Square;
pub use setup::{Setup, SetupOptions, SetupSeat};
pub use step::{Step, Throw};

use crate::reason::Reasons;
use crate::{
    Event, IllegalMove, InvalidOptions, InvalidState, Options, Outcome, Position, RulesId, Seat, State, Turn,
};
use legal::Moves;
use pieces::Pieces;
use route::{CENTRE, RESTING, Route};
use seats::Seats;
use step::Steps;

/// A position of Ashta-kashte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AshtaKashte {
    /// By [`Seat::index`]; a seat nobody sits on has all pieces in hand.
    pieces: [Pieces; 4],
    /// The steps there are, as bits: numbers to throw, or indices of the mover's route to move from.
    steps: u64,
    choices: Choices,
    seated: Seats,
    /// Those of them that have not finished.
    playing: Seats,
    /// The place in which a seat finished, or 0.
    places: [u8; 4],
    to_move: Seat,
    /// There exactly when a move is to be made.
    thrown: Option<Throw>,
}

const _: () = assert!(size_of::<AshtaKashte>() <= 64);

/// The options, which never change during a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Choices {
    route: Route,
    places: bool,
    extra_turn: bool,
    doubles_block: bool,
}

impl AshtaKashte {
    /// The numbers that can be thrown, as bits.
    const THROWS: u64 = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 8;

    const fn over(&self) -> bool {
        let playing = self.playing.len();
        if self.choices.places { playing <= 1 } else { playing < self.seated.len() }
    }

    /// The bit of the step among the steps, if it is there.
    fn bit(&self, step: Step) -> Option<u8> {
        let bit = match (step, self.thrown) {
            (Step::Throw(throw), None) => throw.number(),
            (Step::Enter, Some(_)) => 0,
            // No piece rests on its own start, so index 0 is none to move from (A5).
            (Step::From(square), Some(_)) => {
                self.choices.route.index(self.to_move, square).checked_sub(1)? + 1
            }
            _ => return None,
        };
        (self.steps >> bit & 1 == 1).then_some(bit)
    }

    fn moves(&self, throw: Throw) -> Moves {
        Moves::new(&self.pieces, self.to_move, self.choices.route, self.choices.doubles_block, throw)
    }

    /// Why a step is none of the steps.
    #[cold]
    fn refusal(&self, step: Step) -> IllegalMove {
        let refuse = |code, clause, message| IllegalMove { code, clause: Some(clause), message };
        let Some(throw) = self.thrown else {
            return if self.over() {
                refuse("game_over", "A16", "The game is over.")
            } else {
                refuse("throw_expected", "A3", "The shells are to be thrown first.")
            };
        };
        let own = self.pieces[self.to_move.index()];
        let from = match step {
            Step::Throw(_) => {
                return refuse("move_expected", "A4", "The throw that was made is to be moved first.");
            }
            Step::Enter if own.count(0) == 0 => return refuse("none_in_hand", "A5", "No piece is in hand."),
            Step::Enter => 0,
            Step::From(square) => self.choices.route.index(self.to_move, square),
        };
        let standing = step == Step::Enter || from != CENTRE && from != 0 && own.count(from) > 0;
        self.moves(throw).reason(from).filter(|_| standing).unwrap_or(IllegalMove {
            code: "no_piece_there",
            clause: Some("A4"),
            message: "No piece of the seat to move stands there.",
        })
    }

    /// The seats in the order they came in, the rest in turn order.
    fn ranking(&self) -> impl Iterator<Item = Seat> {
        let placed = move |place| self.seated.iter().find(move |seat| self.places[seat.index()] == place);
        (1..=4).filter_map(placed).chain(self.playing.iter())
    }

    fn throw(&mut self, throw: Throw, on: &mut impl FnMut(Event)) {
        let seat = self.to_move;
        on(Event { seat: Some(seat), value: Some(throw.number()), ..Event::new("throw") });
        self.steps = self.moves(throw).legal();
        if self.steps == 0 {
            on(Event {
                seat: Some(seat),
                clause: Some("A14"),
                why: Some("No piece can use the throw."),
                ..Event::new("pass")
            });
            self.next(false);
        } else {
            self.thrown = Some(throw);
        }
    }

    fn advance(&mut self, from: u8, throw: Throw, on: &mut impl FnMut(Event)) {
        let (mover, route) = (self.to_move, self.choices.route);
        let own = &mut self.pieces[mover.index()];
        let to = from + throw.number();
        let (start, square) = (route.square(mover, from), route.square(mover, to));
        let pieces = if from == 0 { own.shift(0, to, 1) } else { own.shift(from, to, 2) };
        on(Event {
            seat: Some(mover),
            from: Some(start.as_str()),
            to: Some(square.as_str()),
            pieces: (from > 0).then_some(pieces),
            ..Event::new(if from == 0 { "enter" } else { "move" })
        });

        let finished = own.finished();
        if to == CENTRE {
            on(Event { clause: Some("A13"), ..landed("finish", mover, square, Some(pieces)) });
        } else if own.count(to) > pieces {
            on(Event { clause: Some("A9"), ..landed("double", mover, square, None) });
        } else if RESTING >> to & 1 == 0 {
            self.capture(mover, to, on);
        }

        if finished {
            self.places[mover.index()] = 1 + self.places.into_iter().fold(0, u8::max);
            self.playing = self.playing.without(mover);
        }
        let again = self.choices.extra_turn && throw.number() >= 4 && !finished;
        self.next(again);
        if finished && let Turn::Over(outcome) = self.turn() {
            on(Event { seat: Some(outcome.winner), clause: Some("A16"), ..Event::new("over") });
        }
    }

    /// Sends home what stands on the square at the mover's index (A7, A11).
    fn capture(&mut self, mover: Seat, index: u8, on: &mut impl FnMut(Event)) {
        let route = self.choices.route;
        for seat in Seat::ALL.into_iter().filter(|&seat| seat != mover) {
            let at = route.translated(mover, seat, index);
            let captured = self.pieces[seat.index()].shift(at, 0, 2);
            if captured > 0 {
                let clause = if captured == 2 { "A11" } else { "A7" };
                let square = route.square(mover, index);
                on(Event { clause: Some(clause), ..landed("capture", seat, square, Some(captured)) });
            }
        }
    }

    /// Ends the turn: the same seat throws again, or the next one that has not finished.
    fn next(&mut self, again: bool) {
        if !again {
            self.to_move = self.playing.after(self.to_move);
        }
        self.thrown = None;
        self.steps = if self.over() { 0 } else { Self::THROWS };
    }
}

const fn landed(r#type: &'static str, seat: Seat, square: Square, pieces: Option<u8>) -> Event {
    Event { seat: Some(seat), square: Some(square.as_str()), pieces, ..Event::new(r#type) }
}

impl Position for AshtaKashte {
    type Step = Step;

    const RULES: RulesId = RulesId::AshtaKashte;

    fn initial(seats: Option<&[Seat]>, options: &Options) -> Result<Self, InvalidOptions> {
        let mut reasons = Reasons::default();
        let seats = seats.unwrap_or(&[Seat::South, Seat::North]);
        reasons.check_seats(seats, &Seat::ALL, 2);
        let route = options.route.as_deref().map_or(Some(Route::Spiral), Route::named);
        if route.is_none() {
            reasons.push("/options/route", "unknown_route", "The route is spiral or reversing (A6).");
        }
        let (Some(route), Some(&to_move), true) = (route, seats.first(), reasons.is_empty()) else {
            return Err(reasons.into());
        };
        let choices = Choices {
            route,
            places: options.places.unwrap_or(false),
            extra_turn: options.extra_turn.unwrap_or(false),
            doubles_block: options.doubles_block.unwrap_or(false),
        };
        let seated = seats.iter().copied().collect();
        Ok(Self {
            pieces: [Pieces::default(); 4],
            steps: Self::THROWS,
            choices,
            seated,
            playing: seated,
            places: [0; 4],
            to_move,
            thrown: None,
        })
    }

    fn from_state(state: &State) -> Result<Self, InvalidState> {
        Self::read(state)
    }

    fn to_state(&self) -> State {
        self.write()
    }

    fn seats(&self) -> impl Iterator<Item = Seat> {
        self.seated.iter()
    }

    fn finished(&self) -> impl Iterator<Item = Seat> {
        self.ranking().take_while(|seat| self.places[seat.index()] > 0)
    }

    fn to_move(&self) -> Seat {
        self.to_move
    }

    fn turn(&self) -> Turn {
        if self.thrown.is_some() {
            return Turn::Move(self.to_move);
        }
        let mut ranking = self.ranking();
        match ranking.next().filter(|_| self.over()) {
            None => Turn::Throw(self.to_move),
            Some(winner) => {
                let all = self.choices.places || self.seated.len() == 2;
                Turn::Over(Outcome {
                    winner,
                    reason: "finished",
                    places: all.then_some(winner).into_iter().chain(ranking.filter(|_| all)).collect(),
                })
            }
        }
    }

    fn legal_steps(&self) -> impl ExactSizeIterator<Item = Step> + Clone + use<> {
        Steps::new(self.steps, self.choices.route, self.thrown.map(|_| self.to_move))
    }

    fn check(&self, step: Step) -> Result<(), IllegalMove> {
        if self.bit(step).is_some() { Ok(()) } else { Err(self.refusal(step)) }
    }

    fn play_unchecked(&mut self, step: Step, mut on: impl FnMut(Event)) {
        match (step, self.bit(step), self.thrown) {
            (Step::Throw(throw), Some(_), _) => self.throw(throw, &mut on),
            (_, Some(from), Some(throw)) => self.advance(from, throw, &mut on),
            _ => {}
        }
    }

    fn step_name(step: Step) -> &'static str {
        step.name()
    }

    fn parse_step(name: &str) -> Result<Step, IllegalMove> {
        Step::named(name)
    }

    fn weight(step: Step) -> u8 {
        if let Step::Throw(throw) = step { throw.weight() } else { 0 }
    }
}
