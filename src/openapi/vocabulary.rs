//! The words of open sets. They are plain strings, so that a client takes new ones; their values are told in prose
//! and, for programs, in members that begin with `x-`, which generators leave alone.

use crate::problem::Code;
use kauri_rules::catalogue::{Rules, Term};
use kauri_rules::{Phase, RulesId};
use serde_json::{Value, json};

/// The member that lists what a string may be.
const VALUES: &str = "x-values";

/// The member that lists how a move may be written.
const MOVES: &str = "x-moves";

/// Adds the values and forms to the schemas.
pub(super) fn tell(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    let mut put = |member: &str, list: &[Value], places: &[(&str, &str)]| {
        for (schema, property) in places {
            add(&mut schemas[schema]["properties"][property], member, list);
        }
    };
    put(
        VALUES,
        &rules(),
        &[
            ("NewGame", "rules"),
            ("Game", "rules"),
            ("GameEvent", "rules"),
            ("State", "rules"),
            ("Rules", "rules"),
        ],
    );
    put(VALUES, &STATUSES.map(word), &[("Game", "status"), ("StepTaken", "status"), ("GameEvent", "status")]);
    put(VALUES, &THROWS.map(word), &[("NewGame", "throws"), ("Game", "throws")]);
    put(VALUES, &PHASES.map(word), &[("Position", "phase"), ("Applied", "phase"), ("Replayed", "phase")]);
    put(VALUES, &terms(|rules| rules.events), &[("Event", "type")]);
    put(VALUES, &HAPPENINGS.map(word), &[("GameEvent", "type")]);
    put(VALUES, &reasons(), &[("GameResult", "reason")]);
    put(VALUES, &terms(|rules| rules.illegal_moves), &[("Validation", "code")]);
    put(VALUES, &REASONS.map(word), &[("Webhook", "disabled_reason")]);
    put(VALUES, &DELIVERED.map(word), &[("Delivery", "status")]);
    put(VALUES, &ERRORS.map(word), &[("Delivery", "error"), ("WebhookTest", "error")]);
    put(VALUES, &codes(), &[("Problem", "code"), ("ProblemExplanation", "code")]);
    put(MOVES, &moves(), &[("NewMove", "move"), ("StepRequest", "move"), ("Step", "move")]);
}

const STATUSES: [(&str, &str); 3] = [
    ("active", "It goes on."),
    ("finished", "It ended by the rules or by a resignation."),
    ("aborted", "It was called off; nobody won."),
];

const THROWS: [(&str, &str); 2] = [
    ("server", "The service throws when `throw` is posted."),
    ("supplied", "The caller throws and posts `throw:N`."),
];

const PHASES: [(&str, &str); 3] = [
    ("move", "The seat to move moves."),
    ("throw", "The shells are thrown for the seat to move."),
    ("over", "Nothing; the game has ended."),
];

const HAPPENINGS: [(&str, &str); 5] = [
    ("game.snapshot", "The game as it is, at the beginning of its own stream; nothing happened."),
    ("game.created", "The game was created."),
    ("game.imported", "A game that was played elsewhere was imported, with its steps so far."),
    ("game.step", "A step was made: a move or a throw."),
    ("game.ended", "The game ended, by the rules or otherwise."),
];

const REASONS: [(&str, &str); 3] = [
    ("portal", "The portal disabled it."),
    ("gone", "It answered 410."),
    ("failing", "It took nothing for four days."),
];

const DELIVERED: [(&str, &str); 3] = [
    ("pending", "It is still to be made."),
    ("delivered", "The endpoint took it."),
    ("failed", "It was given up."),
];

const ERRORS: [(&str, &str); 9] = [
    ("status", "The answer had no status from 200 to 299."),
    ("redirect", "The answer was a redirect, which is not followed."),
    ("timeout", "It took too long."),
    ("connect", "No connection could be made."),
    ("tls", "The connection could not be made secret: its certificate, for instance, is not in order."),
    ("resolve", "The name of the host stands for no address."),
    ("refused_address", "The host is not on the public internet."),
    ("protocol", "What was answered is no HTTP."),
    ("event_gone", "The event is no longer there."),
];

fn word((value, meaning): (&str, &str)) -> Value {
    json!({"value": value, "meaning": meaning})
}

fn catalogue() -> impl Iterator<Item = &'static Rules> {
    RulesId::ALL.into_iter().map(|id| id.rules().catalogue())
}

fn rules() -> Vec<Value> {
    catalogue().map(|rules| word((rules.rules, rules.summary))).collect()
}

fn terms(of: impl Fn(&Rules) -> &'static [Term]) -> Vec<Value> {
    let term = |rules: &Rules, term: &Term| {
        let mut entry = json!({"value": term.word, "rules": rules.rules, "meaning": term.meaning});
        if let Some(clause) = term.clause {
            entry["clause"] = clause.into();
        }
        entry
    };
    catalogue().flat_map(|rules| of(rules).iter().map(move |word| term(rules, word))).collect()
}

fn reasons() -> Vec<Value> {
    let mut reasons = terms(|rules| rules.end_reasons);
    reasons.push(word(("resignation", "A seat of a stored game resigned.")));
    reasons.push(word(("abandoned", "A stored game was aborted.")));
    reasons
}

fn codes() -> Vec<Value> {
    let code = |code: &Code| json!({"value": code.as_str(), "status": code.status().as_u16(), "meaning": format!("{}.", code.title())});
    Code::ALL.iter().map(code).collect()
}

fn moves() -> Vec<Value> {
    let form = |rules: &Rules, phase: Phase, pattern: &str, meaning: &str| json!({"pattern": pattern, "rules": rules.rules, "phase": phase, "meaning": meaning});
    let forms = |rules: &'static Rules| {
        rules.moves.iter().map(move |way| form(rules, way.phase, way.pattern, way.meaning))
    };
    catalogue().flat_map(forms).collect()
}

/// Tells a list after the description, and as it is.
fn add(property: &mut Value, member: &str, list: &[Value]) {
    let mut text = property["description"].as_str().unwrap_or_default().to_owned();
    text.push('\n');
    for entry in list {
        let told = |name: &str| {
            entry[name].as_str().map(str::to_owned).or(entry[name].as_u64().map(|n| n.to_string()))
        };
        let name = told("value").or_else(|| told("pattern")).unwrap_or_default();
        let notes: Vec<String> =
            ["rules", "phase", "clause", "status"].into_iter().filter_map(told).collect();
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        let meaning = told("meaning").unwrap_or_default();
        text.extend(["\n- `", &name, "`", &notes, ": ", &meaning]);
    }
    property["description"] = text.into();
    property[member] = list.into();
}
