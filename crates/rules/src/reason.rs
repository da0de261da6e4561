//! Why an input can't be: every reason at once, each with a place.

use crate::{Options, RulesId, Seat, State};
use serde::Serialize;

/// One reason why an input can't be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// JSON pointer into the state (or into `{seats, options}`), such as `/kauri/south/pits/2/beads`.
    pub pointer: String,
    /// A stable word for programs, such as `bead_count`.
    pub code: &'static str,
    /// The reason in a sentence, for people, with the clause where there is one.
    pub message: String,
}

/// The state is not one this game can be in. Every reason found, never just the first.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state is not possible: {}", .0.iter().map(|r| r.message.as_str()).collect::<Vec<_>>().join(" "))]
pub struct InvalidState(pub Vec<Reason>);

/// The seats or options are not ones this game can be started with. Every reason found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game can't be started so: {}", .0.iter().map(|r| r.message.as_str()).collect::<Vec<_>>().join(" "))]
pub struct InvalidOptions(pub Vec<Reason>);

/// Reasons as they are found.
#[derive(Default)]
pub(crate) struct Reasons(Vec<Reason>);

impl Reasons {
    pub(crate) fn push(
        &mut self,
        pointer: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) {
        self.0.push(Reason { pointer: pointer.into(), code, message: message.into() });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A state names its rules and carries the member of these rules and of no others.
    pub(crate) fn check_members(&mut self, state: &State, rules: RulesId) {
        if state.rules != rules.as_str() {
            self.push("/rules", "wrong_rules", format!("The state is read by the rules of {rules}."));
        }
        let members = [
            (RulesId::Kauri, "/kauri", state.kauri.is_some()),
            (RulesId::AshtaKashte, "/ashta_kashte", state.ashta_kashte.is_some()),
        ];
        for (id, pointer, there) in members {
            if there && id != rules {
                self.push(pointer, "unexpected_member", format!("A state of {rules} has no such member."));
            } else if !there && id == rules {
                self.push(pointer, "missing_member", format!("A state of {rules} has this member."));
            }
        }
    }

    /// Seats a game starts with: some of the allowed ones, none twice, at least `least`.
    pub(crate) fn check_seats(&mut self, seats: &[Seat], allowed: &[Seat], least: usize) {
        let most = allowed.len();
        if !(least..=most).contains(&seats.len()) {
            let number = if least == most { least.to_string() } else { format!("{least} to {most}") };
            self.push("/seats", "seat_count", format!("The game has {number} seats."));
        }
        // Beyond four, the number is reason enough.
        for (index, seat) in seats.iter().enumerate().take(Seat::ALL.len()) {
            if !allowed.contains(seat) {
                self.push(format!("/seats/{index}"), "unknown_seat", "The game has no such seat.");
            } else if seats[..index].contains(seat) {
                self.push(format!("/seats/{index}"), "seat_twice", "A seat is listed once.");
            }
        }
    }

    /// Options of other rules, where a game has none.
    pub(crate) fn refuse_options(&mut self, options: &Options) {
        let given = [
            ("/options/route", options.route.is_some()),
            ("/options/places", options.places.is_some()),
            ("/options/extra_turn", options.extra_turn.is_some()),
            ("/options/doubles_block", options.doubles_block.is_some()),
        ];
        for (pointer, _) in given.into_iter().filter(|&(_, given)| given) {
            self.push(pointer, "unknown_option", "The game has no such option.");
        }
    }
}

impl From<Reasons> for InvalidState {
    fn from(reasons: Reasons) -> Self {
        Self(reasons.0)
    }
}

impl From<Reasons> for InvalidOptions {
    fn from(reasons: Reasons) -> Self {
        Self(reasons.0)
    }
}
