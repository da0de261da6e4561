//! The gate from a posted state to a position: every reason why it can't be.

use super::pieces::Pieces;
use super::route::{CENTRE, RESTING, Route, Square};
use super::seats::Seats;
use super::setup::{FINISHED, HAND, Setup, SetupSeat};
use super::step::Throw;
use super::{AshtaKashte, Choices};
use crate::reason::Reasons;
use crate::{InvalidState, RulesId, Seat, State};

impl AshtaKashte {
    pub(super) fn read(state: &State) -> Result<Self, InvalidState> {
        let mut reasons = Reasons::default();
        reasons.check_members(state, RulesId::AshtaKashte);
        let position = state.ashta_kashte.as_ref().map(|setup| {
            let mut gate = Gate { setup, reasons: &mut reasons };
            gate.position(state.to_move)
        });
        match position {
            Some(position) if reasons.is_empty() => Ok(position),
            _ => Err(reasons.into()),
        }
    }
}

struct Gate<'a> {
    setup: &'a Setup,
    reasons: &'a mut Reasons,
}

impl<'a> Gate<'a> {
    /// The position if there is no reason against it; with one, something to go on checking with.
    fn position(&mut self, to_move: Seat) -> AshtaKashte {
        let options = &self.setup.options;
        let choices = Choices {
            route: self.route(),
            places: options.places,
            extra_turn: options.extra_turn,
            doubles_block: options.doubles_block,
        };
        self.seats();
        let seats = self.listed();
        let mut read = [[0; 4]; 4];
        for (at, (listed, indices)) in seats.iter().zip(&mut read).enumerate() {
            *indices = self.pieces(at, listed, choices.route);
        }
        self.squares(&read, choices.route);
        let places = self.places(&read);

        let seated: Seats = seats.iter().map(|listed| listed.seat).collect();
        let mut position = AshtaKashte {
            pieces: [Pieces::default(); 4],
            steps: 0,
            choices,
            seated,
            playing: seated,
            places: [0; 4],
            to_move,
            thrown: None,
        };
        for ((listed, indices), place) in seats.iter().zip(read).zip(places) {
            position.pieces[listed.seat.index()] = Pieces::new(indices);
            position.places[listed.seat.index()] = place;
            if place > 0 {
                position.playing = position.playing.without(listed.seat);
            }
        }
        self.turn(&mut position);
        position
    }

    /// The seats that are looked at; a fifth is reason enough by itself.
    fn listed(&self) -> &'a [SetupSeat] {
        let seats = &self.setup.seats;
        &seats[..seats.len().min(4)]
    }

    /// The route; any where it can't be read, because squares are checked alike on all.
    fn route(&mut self) -> Route {
        Route::named(&self.setup.options.route).unwrap_or_else(|| {
            let pointer = "/ashta_kashte/options/route";
            self.reasons.push(pointer, "unknown_route", "The route is spiral or reversing (A6).");
            Route::Spiral
        })
    }

    fn seats(&mut self) {
        if !(2..=4).contains(&self.setup.seats.len()) {
            self.reasons.push("/ashta_kashte/seats", "seat_count", "The game has 2 to 4 seats (A1).");
        }
        let seats = self.listed();
        for (at, listed) in seats.iter().enumerate() {
            let before = || seats[..at].iter().map(|listed| listed.seat);
            let pointer = || format!("/ashta_kashte/seats/{at}/seat");
            if before().any(|seat| seat == listed.seat) {
                self.reasons.push(pointer(), "seat_twice", "A seat is listed once.");
            } else if before().any(|seat| seat > listed.seat) {
                let message = "Seats are listed in turn order: south, west, north, east (A2).";
                self.reasons.push(pointer(), "seat_order", message);
            }
        }
    }

    /// The indices of a seat's pieces; one that can't be read is put into hand, and a reason says so.
    fn pieces(&mut self, at: usize, listed: &SetupSeat, route: Route) -> [u8; 4] {
        let pointer = || format!("/ashta_kashte/seats/{at}/pieces");
        if listed.pieces.len() != 4 {
            self.reasons.push(pointer(), "piece_count", "Each seat has four pieces (A1).");
        }
        let mut indices = [0; 4];
        for (piece, (index, name)) in indices.iter_mut().zip(&listed.pieces).enumerate() {
            match read_piece(name, listed.seat, route) {
                Ok(read) => *index = read,
                Err((code, message)) => self.reasons.push(format!("{}/{piece}", pointer()), code, message),
            }
        }
        for (piece, index) in indices.iter().enumerate() {
            let before = indices[..piece].iter().fold(0, |found, other| found + u32::from(other == index));
            if before > 1 && !matches!(*index, 0 | CENTRE) {
                let message = "No square but the centre holds more than two pieces of one player (A12).";
                self.reasons.push(format!("{}/{piece}", pointer()), "square_full", message);
            }
        }
        indices
    }

    /// Off the resting squares nobody stands with an opponent, for landing there captures (A7, A11).
    fn squares(&mut self, read: &[[u8; 4]; 4], route: Route) {
        let mut owners: [Option<Seat>; 49] = [None; 49];
        for (at, (listed, indices)) in self.listed().iter().zip(read).enumerate() {
            for (piece, &index) in indices.iter().enumerate() {
                if RESTING >> index & 1 == 1 || index == CENTRE {
                    continue;
                }
                let square = route.square(listed.seat, index).index();
                if *owners[square].get_or_insert(listed.seat) != listed.seat {
                    let pointer = format!("/ashta_kashte/seats/{at}/pieces/{piece}");
                    let message =
                        "Off the resting squares a square holds pieces of one player only (A7, A11).";
                    self.reasons.push(pointer, "square_shared", message);
                }
            }
        }
    }

    /// The place of each listed seat, 0 for one that still plays (A16).
    fn places(&mut self, read: &[[u8; 4]; 4]) -> [u8; 4] {
        let seats = self.listed();
        let finished = |at: usize| read[at] == [CENTRE; 4];
        let number = (0..seats.len()).filter(|&at| finished(at)).count();
        let most = if self.setup.options.places { seats.len().saturating_sub(1) } else { 1 };
        if number > most {
            let message = "The game was over before so many seats had finished (A16).";
            self.reasons.push("/ashta_kashte/seats", "too_many_finished", message);
        }

        let mut places = [0; 4];
        for (at, listed) in seats.iter().enumerate() {
            let pointer = || format!("/ashta_kashte/seats/{at}/place");
            match listed.place {
                None if !finished(at) => {}
                None if number == 1 => places[at] = 1,
                None => self.reasons.push(
                    format!("/ashta_kashte/seats/{at}"),
                    "missing_place",
                    "When several seats have finished, each says in which place (A16).",
                ),
                Some(_) if !finished(at) => {
                    self.reasons.push(
                        pointer(),
                        "unfinished_place",
                        "Only a finished seat has a place (A16).",
                    );
                }
                Some(place) if !(1..=number).contains(&usize::from(place)) => {
                    let message = "Places run from 1 to the number of finished seats (A16).";
                    self.reasons.push(pointer(), "place_range", message);
                }
                Some(place) if places.contains(&place) => {
                    self.reasons.push(pointer(), "place_twice", "No two seats come in the same place (A16).");
                }
                Some(place) => places[at] = place,
            }
        }
        places
    }

    /// Whose turn it is and what is to be done.
    fn turn(&mut self, position: &mut AshtaKashte) {
        let seat = position.to_move;
        if !position.seated.has(seat) {
            self.reasons.push("/to_move", "unknown_seat", "Nobody sits on the seat to move.");
        } else if !position.playing.has(seat) {
            self.reasons.push("/to_move", "seat_finished", "The seat to move has finished (A16).");
        }
        let pointer = "/ashta_kashte/throw";
        let throw = self.setup.throw.map(Throw::new);
        if throw == Some(None) {
            self.reasons.push(pointer, "unknown_throw", "A throw is 1, 2, 3, 4 or 8 (A3).");
        }
        if self.setup.throw.is_some() && position.over() {
            self.reasons.push(pointer, "throw_when_over", "Nobody throws when the game is over (A16).");
        }
        position.thrown = throw.flatten();
        position.steps = match position.thrown {
            _ if position.over() => 0,
            None => AshtaKashte::THROWS,
            Some(throw) => position.moves(throw).legal(),
        };
        // With a reason before, the pieces may not be the posted ones.
        if position.steps == 0 && position.thrown.is_some() && self.reasons.is_empty() {
            self.reasons.push(
                pointer,
                "unusable_throw",
                "No piece can use the throw, so it was passed (A14).",
            );
        }
    }
}

/// The index a piece's place means on the route of its seat.
fn read_piece(name: &str, seat: Seat, route: Route) -> Result<u8, (&'static str, &'static str)> {
    match name {
        HAND => return Ok(0),
        FINISHED => return Ok(CENTRE),
        _ => {}
    }
    let square = Square::named(name)
        .ok_or(("unknown_square", "A piece is in hand, on a square from a1 to g7, or finished."))?;
    match route.index(seat, square) {
        0 => Err(("own_start", "No piece rests on its own start: entering moves it on (A5).")),
        CENTRE => Err(("on_centre", "A piece that reaches the centre is finished (A13).")),
        index => Ok(index),
    }
}
