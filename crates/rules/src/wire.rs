//! The JSON face: what is posted and what is answered, the same for every game.
//!
//! A [`State`] has public fields and may be impossible; the gate from it to a position is
//! [`Position::from_state`](crate::Position::from_state), which reports every reason at once.

use crate::{Outcome, Seat, ashta_kashte, kauri};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

/// Everything that legality depends on, and nothing else.
///
/// One flat object with one optional member per rules; `rules` says which of them is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The rules: `kauri` or `ashta-kashte`.
    #[cfg_attr(feature = "openapi", schema(example = "kauri"))]
    pub rules: String,
    /// Whose turn it is; when the game is over, whose turn it would be.
    pub to_move: Seat,
    /// There exactly when `rules` is `kauri`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub kauri: Option<kauri::Setup>,
    /// There exactly when `rules` is `ashta-kashte`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub ashta_kashte: Option<ashta_kashte::Setup>,
}

/// Choices made when a game starts; each belongs to the rules it names and is absent elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Ashta-kashte (A6): `spiral` (default) or `reversing`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub route: Option<String>,
    /// Ashta-kashte (A16): play on for second, third and last place. Default false.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub places: Option<bool>,
    /// Ashta-kashte (A15): a throw of 4 or 8 that was moved gives another turn. Default false.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub extra_turn: Option<bool>,
    /// Ashta-kashte (A17): a single may not pass an opponent's double. Default false.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub doubles_block: Option<bool>,
}

/// What is expected next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The side to move chooses a move.
    Move,
    /// The shells are to be thrown for the side to move.
    Throw,
    /// Nothing: the game is over.
    Over,
}

/// What is answered about a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct View {
    /// The state itself, in its canonical form.
    pub state: State,
    /// What is expected next.
    pub phase: Phase,
    /// The moves that may be made, in the rules' order; empty when over.
    pub legal_moves: Vec<&'static str>,
    /// There exactly when over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Outcome>,
}

/// One way the shells can fall, with its weight in sixteenths (A3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Chance {
    /// The step, such as `throw:1`.
    #[cfg_attr(feature = "openapi", schema(example = "throw:1"))]
    pub r#move: &'static str,
    /// How many of 16 equally likely falls give it.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 16))]
    pub weight: u8,
}

/// Something that happened in a step, enough to animate it without knowing the rules.
///
/// A flat object: `type` says which of the other members are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Event {
    /// `sow`, `capture`, `pass`, `over`, `throw`, `enter`, `move`, `double`, `finish`.
    #[cfg_attr(feature = "openapi", schema(example = "sow"))]
    pub r#type: &'static str,
    /// Who it happened to or by: the seat whose store gains, that is captured, that passes, that wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub seat: Option<Seat>,
    /// Kauri: the pit concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub pit: Option<&'static str>,
    /// Kauri, `sow`: `bead` or `cowrie`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub piece: Option<&'static str>,
    /// Kauri, `capture`: beads that go into the store of `seat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1, maximum = 60))]
    pub beads: Option<u8>,
    /// `throw`: the number thrown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1, maximum = 8))]
    pub value: Option<u8>,
    /// `throw`, when the service threw: the four shells, true for mouth up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Vec<bool>, min_items = 4, max_items = 4))]
    pub shells: Option<[bool; 4]>,
    /// `move`, `enter`: the square left (the start square when entering).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub from: Option<&'static str>,
    /// `move`, `enter`: the square reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub to: Option<&'static str>,
    /// `capture`, `double`, `finish`: where.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub square: Option<&'static str>,
    /// `move`, `capture`, `finish`: pieces concerned, 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1, maximum = 2))]
    pub pieces: Option<u8>,
    /// `capture`, `pass`, `over`: the clause that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub clause: Option<&'static str>,
    /// `pass`: why, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub why: Option<&'static str>,
}

impl Event {
    /// An event of this type with no other member.
    #[must_use]
    pub const fn new(r#type: &'static str) -> Self {
        Self {
            r#type,
            seat: None,
            pit: None,
            piece: None,
            beads: None,
            value: None,
            shells: None,
            from: None,
            to: None,
            square: None,
            pieces: None,
            clause: None,
            why: None,
        }
    }
}

/// Reads an optional member that may be absent but not `null`.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a whole number, also one written as `3.0`: JSON Schema tells it from 3 as little as some languages do.
pub fn whole<'de, D: Deserializer<'de>, T: TryFrom<i64>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_i64(Whole(PhantomData))
}

/// Reads a whole number that may be absent but not `null`.
pub fn present_whole<'de, D: Deserializer<'de>, T: TryFrom<i64>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    whole(deserializer).map(Some)
}

struct Whole<T>(PhantomData<T>);

impl<T: TryFrom<i64>> Visitor<'_> for Whole<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<T>())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let small = i64::try_from(number).ok().and_then(|number| T::try_from(number).ok());
        small.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        if number.fract() != 0.0 || number.abs() > EXACT {
            return Err(E::invalid_type(Unexpected::Float(number), &self));
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and within what both hold exactly")]
        self.visit_i64(number as i64)
    }
}

/// Up to here a floating point number stands for one whole number alone.
const EXACT: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use crate::kauri::SetupPit;

    #[test]
    fn a_whole_number_is_read_however_it_is_written() {
        let read = |beads: &str| {
            serde_json::from_str::<SetupPit>(&format!("{{\"beads\":{beads},\"cowries\":1}}"))
                .map(|pit| pit.beads)
                .map_err(|error| error.to_string().split(" at ").next().unwrap().to_owned())
        };
        for written in ["10", "10.0", "1e1", "100E-1"] {
            assert_eq!(read(written), Ok(10), "{written}");
        }
        for (written, refusal) in [
            ("10.5", "invalid type: floating point `10.5`, expected u8"),
            ("-1", "invalid value: integer `-1`, expected u8"),
            ("-1.0", "invalid value: integer `-1`, expected u8"),
            ("256", "invalid value: integer `256`, expected u8"),
            ("1e300", "invalid type: floating point `1e+300`, expected u8"),
            ("18446744073709551615", "invalid value: integer `18446744073709551615`, expected u8"),
            ("\"10\"", "invalid type: string \"10\", expected u8"),
            ("null", "invalid type: null, expected u8"),
        ] {
            assert_eq!(read(written), Err(refusal.to_owned()), "{written}");
        }
    }
}
