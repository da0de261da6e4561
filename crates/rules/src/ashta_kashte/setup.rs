//! What an Ashta-kashte state looks like on the wire.

use super::AshtaKashte;
use super::route::CENTRE;
use super::step::Throw;
use crate::{RulesId, Seat, State};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Ashta-kashte: the pieces, the options and the throw to be moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = AshtaKashteSetup))]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The options the game was started with.
    pub options: SetupOptions,
    /// The throw that is to be moved: 1, 2, 3, 4 or 8. There exactly when a move is expected.
    #[serde(default, deserialize_with = "crate::present_whole", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1, maximum = 8))]
    pub throw: Option<u8>,
    /// Two to four seats in turn order: south, west, north, east (A2).
    #[cfg_attr(feature = "openapi", schema(min_items = 2, max_items = 4))]
    pub seats: Vec<SetupSeat>,
}

/// Ashta-kashte: the options, all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = AshtaKashteOptions))]
#[serde(deny_unknown_fields)]
pub struct SetupOptions {
    /// `spiral` or `reversing` (A6).
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "spiral"))]
    pub route: Cow<'static, str>,
    /// Whether second, third and last place are played for (A16).
    pub places: bool,
    /// Whether a throw of 4 or 8 that was moved gives another turn (A15).
    pub extra_turn: bool,
    /// Whether a single may not pass an opponent's double (A17).
    pub doubles_block: bool,
}

/// Ashta-kashte: one seat's pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = AshtaKashteSeat))]
#[serde(deny_unknown_fields)]
pub struct SetupSeat {
    /// Which seat.
    pub seat: Seat,
    /// Where the four pieces are: `hand`, a square such as `g3`, or `finished`. Answered in that order,
    /// squares along the seat's route; accepted in any.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>, min_items = 4, max_items = 4))]
    pub pieces: Vec<Cow<'static, str>>,
    /// In which place the seat finished, from 1. There exactly when all its pieces are finished; may be left
    /// out when no other seat has finished.
    #[serde(default, deserialize_with = "crate::present_whole", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1, maximum = 4))]
    pub place: Option<u8>,
}

/// How a piece in hand is written.
pub(super) const HAND: &str = "hand";
/// How a finished piece is written.
pub(super) const FINISHED: &str = "finished";

impl AshtaKashte {
    pub(super) fn write(&self) -> State {
        let name = |seat, index| match index {
            0 => HAND,
            CENTRE => FINISHED,
            _ => self.choices.route.square(seat, index).as_str(),
        };
        let seat = |seat: Seat| SetupSeat {
            seat,
            pieces: self.pieces[seat.index()]
                .indices()
                .into_iter()
                .map(|index| Cow::Borrowed(name(seat, index)))
                .collect(),
            place: Some(self.places[seat.index()]).filter(|&place| place > 0),
        };
        State {
            rules: RulesId::AshtaKashte.as_str().to_owned(),
            to_move: self.to_move,
            kauri: None,
            ashta_kashte: Some(Setup {
                options: SetupOptions {
                    route: Cow::Borrowed(self.choices.route.as_str()),
                    places: self.choices.places,
                    extra_turn: self.choices.extra_turn,
                    doubles_block: self.choices.doubles_block,
                },
                throw: self.thrown.map(Throw::number),
                seats: self.seated.iter().map(seat).collect(),
            }),
        }
    }
}
