//! What a newcomer is told about each game: everything a client needs to offer it without knowing its rules.

mod ashta_kashte;
mod kauri;

use crate::{Phase, RulesId, Seat};
use serde::Serialize;

/// What is known of these rules.
#[must_use]
pub const fn of(rules: RulesId) -> &'static Rules {
    match rules {
        RulesId::Kauri => &kauri::RULES,
        RulesId::AshtaKashte => &ashta_kashte::RULES,
    }
}

/// One game, described.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Rules {
    /// The name on the wire.
    #[cfg_attr(feature = "openapi", schema(example = "kauri"))]
    pub rules: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// The game in a few sentences.
    pub summary: &'static str,
    /// Who can sit where.
    pub seats: RulesSeats,
    /// What can be chosen when a game starts.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub options: &'static [RulesOption],
    /// How moves are written.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub moves: &'static [MoveForm],
    /// The ways the shells can fall; empty in a game without chance.
    #[cfg_attr(feature = "openapi", schema(max_items = 16))]
    pub throws: &'static [ThrowForm],
    /// The rules' clauses, which events and refusals cite.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub clauses: &'static [Clause],
    /// The reasons for which a game can be over by its rules.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub end_reasons: &'static [Term],
    /// The types of events.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub events: &'static [Term],
    /// The codes of illegal moves.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub illegal_moves: &'static [Term],
    /// Where the rules come from.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub sources: &'static [&'static str],
}

/// Who can sit where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RulesSeats {
    /// The seats there are, in turn order.
    #[cfg_attr(feature = "openapi", schema(min_items = 2, max_items = 4))]
    pub allowed: &'static [Seat],
    /// The least number of players.
    #[cfg_attr(feature = "openapi", schema(minimum = 2, maximum = 4))]
    pub min: u8,
    /// The greatest number of players.
    #[cfg_attr(feature = "openapi", schema(minimum = 2, maximum = 4))]
    pub max: u8,
    /// The seats of a game that names none.
    #[cfg_attr(feature = "openapi", schema(min_items = 2, max_items = 4))]
    pub default: &'static [Seat],
}

/// Something that can be chosen when a game starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RulesOption {
    /// The member's name.
    pub name: &'static str,
    /// The member's JSON type: `string` or `boolean`.
    pub kind: &'static str,
    /// The values there are, as text.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub values: &'static [&'static str],
    /// The value of a game that names none, as text.
    pub default: &'static str,
    /// The clause that tells of it.
    pub clause: &'static str,
    /// What it changes.
    pub meaning: &'static str,
}

/// A way to write a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MoveForm {
    /// The phase in which it is made: `move` or `throw`.
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "move"))]
    pub phase: Phase,
    /// A regular expression for the whole text.
    pub pattern: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// A way the shells can fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ThrowForm {
    /// The number thrown.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 8))]
    pub value: u8,
    /// How many of the four shells lie with the mouth up.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 4))]
    pub mouths_up: u8,
    /// How many of 16 equally likely falls give it.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 16))]
    pub weight: u8,
}

/// A clause of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Clause {
    /// Its stable number, such as `K5`.
    pub id: &'static str,
    /// What it says, in short.
    pub title: &'static str,
}

/// A stable word of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = RulesTerm))]
pub struct Term {
    /// The word.
    pub word: &'static str,
    /// The clause it comes from, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub clause: Option<&'static str>,
    /// What it means.
    pub meaning: &'static str,
}

const fn clause(id: &'static str, title: &'static str) -> Clause {
    Clause { id, title }
}

const fn term(word: &'static str, clause: &'static str, meaning: &'static str) -> Term {
    Term { word, clause: Some(clause), meaning }
}

/// A word that no single clause gives.
const fn plain(word: &'static str, meaning: &'static str) -> Term {
    Term { word, clause: None, meaning }
}
