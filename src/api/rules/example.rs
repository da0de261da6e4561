//! What the spec shows. Made by the rules themselves, so that no example can be wrong.

use crate::api::schema::{Applied, Position, Replayed};
use kauri_rules::{Options, RulesId, Seat, View};
use serde_json::{Value, json};

/// The steps an example makes.
const fn moves(rules: RulesId) -> [&'static str; 2] {
    match rules {
        RulesId::Kauri => ["b", "E"],
        RulesId::AshtaKashte => ["throw:4", "enter"],
    }
}

fn start_view(rules: RulesId) -> Option<View> {
    rules.rules().initial(None, &Options::default()).ok()
}

/// A start with seats and options.
pub(super) fn start() -> Value {
    let options = Options { route: Some("reversing".to_owned()), places: Some(true), ..Options::default() };
    json!({"seats": [Seat::South, Seat::West, Seat::North], "options": options})
}

/// The start position.
pub(super) fn initial(rules: RulesId) -> Option<Position> {
    start_view(rules).map(Position::from)
}

/// The start position with what the shells can do there.
pub(super) fn looked_at(rules: RulesId) -> Option<Position> {
    let position = initial(rules)?;
    let outcomes = rules.rules().chances(&position.state).ok();
    Some(Position { outcomes, ..position })
}

/// A question about the start position.
pub(super) fn state(rules: RulesId) -> Value {
    json!({"state": start_view(rules).map(|view| view.state)})
}

/// A step from the start position.
pub(super) fn step(rules: RulesId) -> Value {
    json!({"state": start_view(rules).map(|view| view.state), "move": moves(rules)[0]})
}

/// The answer to that step.
pub(super) fn applied(rules: RulesId) -> Option<Applied> {
    let (played, view) = rules.rules().apply(&start_view(rules)?.state, moves(rules)[0]).ok()?;
    Some(Applied::new(view, played.events))
}

/// A few steps from the start.
pub(super) fn replay(rules: RulesId) -> Value {
    json!({"moves": moves(rules)})
}

/// The answer to those steps.
pub(super) fn replayed(rules: RulesId) -> Option<Replayed> {
    let mut steps = Vec::new();
    let start = start_view(rules)?.state;
    let end = rules
        .rules()
        .replay(&start, &mut moves(rules).into_iter(), &mut |played| steps.push(played.into()))
        .ok()?
        .ok()?;
    Some(Replayed::new(end, steps))
}
