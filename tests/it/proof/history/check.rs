//! Whether a history is linearizable: whether its log, step by step, explains every answer at some moment
//! between its request and its reply.

use super::record::{Attempt, Intent, Look, Moment, Wish};
use crate::proof::client::Reply;
use kauri_rules::{DynRules, Refusal, RulesId, State};
use serde_json::{Value, json};
use std::collections::HashMap;

/// What is there when all is over.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct End {
    pub(super) start: Value,
    pub(super) log: Vec<Value>,
    pub(super) now: Value,
}

/// Checks one game; how many steps its log has.
pub(super) fn game(intents: &[Intent], attempts: &[&Attempt], looks: &[&Look], end: &End) -> usize {
    let states = replayed(end);
    let game = Game { intents, attempts, looks, end, states };
    game.answers_are_true();
    let owners = game.owners();
    game.steps_were_sent(&owners);
    game.order_is_real(&owners);
    game.endings_stand();
    end.log.len()
}

/// The states that a legal play of the log goes through; the last one must be the stored one.
fn replayed(end: &End) -> Vec<State> {
    let rules = rules(end);
    let mut states: Vec<State> = vec![serde_json::from_value(end.start.clone()).unwrap()];
    for (index, step) in end.log.iter().enumerate() {
        let name = step["move"].as_str().unwrap();
        let (played, view) = rules.apply(&states[index], name).expect("the log is a legal sequence");
        assert_eq!(step["ply"], json!(index + 1), "the log has no gap");
        assert_eq!(step["seat"], json!(played.seat));
        // How each shell fell is told where the service threw; rules know only the sum.
        let mut events = step["events"].clone();
        for event in events.as_array_mut().unwrap() {
            event.as_object_mut().unwrap().remove("shells");
        }
        assert_eq!(events, json!(played.events));
        states.push(view.state);
    }
    assert_eq!(end.now["version"], json!(end.log.len()), "the version is the length of the log");
    let last = states.last().unwrap();
    assert_eq!(end.now["position"]["state"], json!(last), "the state is the replay of the log");
    states
}

fn rules(end: &End) -> &'static dyn DynRules {
    end.now["rules"].as_str().unwrap().parse::<RulesId>().unwrap().rules()
}

struct Game<'a> {
    intents: &'a [Intent],
    attempts: &'a [&'a Attempt],
    looks: &'a [&'a Look],
    end: &'a End,
    /// After each ply, 0 included.
    states: Vec<State>,
}

/// Which intent made each step, where an answer says so.
type Owners = HashMap<usize, usize>;

impl Game<'_> {
    fn intent(&self, attempt: &Attempt) -> &Intent {
        &self.intents[attempt.intent]
    }

    /// Whether a step is what an intent asks for.
    fn fits(&self, intent: &Intent, ply: usize) -> bool {
        let step = &self.end.log[ply - 1];
        let made = step["move"].as_str().unwrap();
        let name = if made.starts_with("throw:") { "throw" } else { made };
        intent.wish == Wish::Step(name.to_owned())
            && intent.seat.as_ref().is_none_or(|seat| step["seat"] == json!(seat))
            && intent.expected.is_none_or(|expected| usize::try_from(expected + 1) == Ok(ply))
    }

    /// Each answer, taken by itself, is true of the log.
    fn answers_are_true(&self) {
        let mut bodies: HashMap<usize, &str> = HashMap::new();
        for attempt in self.attempts {
            let Some(reply) = &attempt.reply else { continue };
            let intent = self.intent(attempt);
            match (reply.status, &intent.wish) {
                (200 | 201, Wish::Step(_)) => self.step_is_stored(intent, reply),
                (200, Wish::Resignation) => assert_eq!(reply.json(), self.end.now, "{intent:?}"),
                (409 | 422, _) => self.refusal_is_right(intent, reply),
                (503, _) => assert!(reply.retry_after.is_some(), "{reply:?}"),
                _ => panic!("{intent:?}: {reply:?}"),
            }
            if reply.status < 300 {
                let body = bodies.entry(attempt.intent).or_insert(&reply.body);
                assert_eq!(*body, reply.body, "every answer is the same to {intent:?}");
            }
        }
        for look in self.looks {
            let version = usize::try_from(look.seen["version"].as_i64().unwrap()).unwrap();
            assert_eq!(look.seen["position"]["state"], json!(self.states[version]), "{look:?}");
        }
    }

    fn step_is_stored(&self, intent: &Intent, reply: &Reply) {
        let body = reply.json();
        let ply = usize::try_from(body["version"].as_u64().unwrap()).unwrap();
        assert_eq!(Some(&body["step"]), self.end.log.get(ply - 1), "an answered step is in the log");
        assert!(self.fits(intent, ply), "{intent:?}: {body}");
        assert_eq!(body["position"]["state"], json!(self.states[ply]), "{intent:?}");
        assert_eq!(reply.etag, Some(format!("\"v{ply}\"")));
        // Only the first answer and what is kept under a key say 201.
        assert!(reply.status == 201 || reply.replayed, "{reply:?}");
    }

    fn refusal_is_right(&self, intent: &Intent, reply: &Reply) {
        let version = usize::try_from(reply.version().expect("a refusal names the version")).unwrap();
        let state = self.states.get(version).expect("a refusal knows no future");
        let is = format!("{intent:?}: {reply:?}");
        match reply.code().as_str() {
            "version_conflict" => match intent.expected {
                Some(expected) => {
                    let expected = usize::try_from(expected).unwrap();
                    assert!(expected < version, "{is}");
                    let made = intent.wish != Wish::Resignation && self.fits(intent, expected + 1);
                    assert!(!made, "the step that was asked for is in the log: {is}");
                }
                None => assert!(version > 0, "{is}"),
            },
            "not_your_turn" => {
                assert!(intent.seat.as_ref().is_some_and(|seat| json!(seat) != json!(state.to_move)), "{is}");
            }
            "illegal_move" => {
                let Wish::Step(name) = &intent.wish else { panic!("{is}") };
                // Where the service throws, `throw` stands for any of the five values.
                let name = if name == "throw" { "throw:1" } else { name };
                assert!(matches!(rules(self.end).apply(state, name), Err(Refusal::Move { .. })), "{is}");
            }
            "game_over" => assert_ne!(self.end.now["status"], "active", "{is}"),
            _ => panic!("{is}"),
        }
    }

    /// Who made each step. An answer of 201 is its maker's, whether for the first time or from under its key.
    fn owners(&self) -> Owners {
        let mut owners = Owners::new();
        let mut first: HashMap<usize, &Attempt> = HashMap::new();
        for attempt in self.attempts {
            let Some(reply) = attempt.reply.as_ref().filter(|reply| reply.status == 201) else { continue };
            let ply = usize::try_from(reply.version().unwrap()).unwrap();
            let owner = *owners.entry(ply).or_insert(attempt.intent);
            assert_eq!(owner, attempt.intent, "two were told that they made ply {ply}");
            if !reply.replayed {
                let other = first.insert(ply, attempt);
                assert!(other.is_none(), "ply {ply} was made twice: {other:?}, {attempt:?}");
            }
        }
        let mut intents: Vec<usize> = owners.values().copied().collect();
        intents.sort_unstable();
        intents.dedup();
        assert_eq!(intents.len(), owners.len(), "an intent made two steps");
        owners
    }

    /// No step appears that nobody sent: those that nobody was told to have made fit intents, one each,
    /// of which an answer was lost.
    fn steps_were_sent(&self, owners: &Owners) {
        let orphans: Vec<usize> = (1..self.states.len()).filter(|ply| !owners.contains_key(ply)).collect();
        let mut taken: HashMap<usize, usize> = HashMap::new();
        for &ply in &orphans {
            assert!(self.adopt(ply, owners, &mut taken, &mut Vec::new()), "nobody sent ply {ply}");
        }
    }

    /// Finds an intent for a step, moving other steps to other intents where that helps.
    fn adopt(
        &self,
        ply: usize,
        owners: &Owners,
        taken: &mut HashMap<usize, usize>,
        tried: &mut Vec<usize>,
    ) -> bool {
        for intent in self.candidates(ply, owners) {
            if tried.contains(&intent) {
                continue;
            }
            tried.push(intent);
            let other = taken.get(&intent).copied();
            if other.is_none_or(|other| self.adopt(other, owners, taken, tried)) {
                taken.insert(intent, ply);
                return true;
            }
        }
        false
    }

    /// The intents that may have made a step without being told.
    fn candidates(&self, ply: usize, owners: &Owners) -> Vec<usize> {
        let mut candidates: Vec<usize> = self
            .attempts
            .iter()
            .filter(|attempt| attempt.is_unsure() && self.fits(self.intent(attempt), ply))
            .map(|attempt| attempt.intent)
            .filter(|intent| !owners.values().any(|owner| owner == intent))
            .collect();
        candidates.dedup();
        candidates
    }

    /// The order of the log is an order in which all could have happened: nothing that was known before a
    /// request is undone by its answer, and no answer knows of a step that nobody had sent yet.
    fn order_is_real(&self, owners: &Owners) {
        let mut known: Vec<(Moment, i64)> = Vec::new();
        for attempt in self.attempts {
            let version = attempt.reply.as_ref().filter(|reply| reply.status != 503).and_then(Reply::version);
            known.extend(version.map(|version| (attempt.back, version)));
        }
        known.extend(self.looks.iter().map(|look| (look.back, look.seen["version"].as_i64().unwrap())));
        let before = |moment| {
            known.iter().filter(|(back, _)| *back < moment).map(|(_, version)| *version).max().unwrap_or(0)
        };
        for look in self.looks {
            assert!(
                look.seen["version"].as_i64().unwrap() >= before(look.sent),
                "a look into the past: {look:?}"
            );
        }
        for attempt in self.attempts {
            let Some(reply) = attempt.reply.as_ref().filter(|reply| reply.status != 503) else { continue };
            let (version, earlier) = (reply.version().unwrap(), before(attempt.sent));
            let late = match (reply.status, reply.replayed) {
                (201, false) => version <= earlier,
                (_, true) => false,
                _ => version < earlier,
            };
            assert!(!late, "version {earlier} was known before: {attempt:?}");
        }
        for ply in 1..self.states.len() {
            let version = i64::try_from(ply).unwrap();
            let makers = owners.get(&ply).map_or_else(|| self.candidates(ply, owners), |&owner| vec![owner]);
            let sent = |maker: &usize| {
                let sent = self.attempts.iter().filter(|attempt| attempt.intent == *maker);
                sent.map(|attempt| attempt.sent).min().unwrap()
            };
            let sent = makers.iter().map(sent).min().unwrap();
            let told = known.iter().filter(|(_, known)| *known >= version).map(|(back, _)| *back).min();
            assert!(told.is_none_or(|told| sent < told), "ply {ply} was known before it was sent");
        }
    }

    /// A game that was ended stays so.
    fn endings_stand(&self) {
        let result = &self.end.now["position"]["result"];
        if result["reason"] == "resignation" {
            let sent = self.attempts.iter().any(|attempt| {
                let intent = self.intent(attempt);
                intent.wish == Wish::Resignation
                    && intent.seat.as_ref().is_some_and(|seat| result["seat"] == json!(seat))
            });
            assert!(sent, "nobody resigned: {result}");
        }
    }
}
