//! The catalogue says what the rules do.

use crate::games::{Chance, Game, pick};
use crate::laws::told;
use kauri_rules::{AshtaKashte, Kauri, Options, Position, Reason, RulesId, catalogue};
use std::collections::BTreeSet;

fn words(terms: &[catalogue::Term]) -> BTreeSet<&str> {
    terms.iter().map(|term| term.word).collect()
}

/// Plays at random and gathers every word that events, refusals and results use.
fn gather<G: Game>(start: G, words: &mut [BTreeSet<&'static str>; 4]) {
    let mut chance = Chance(1);
    let mut position = start;
    for _ in 0..20_000 {
        for refusal in G::names().iter().filter_map(|name| position.check(G::parse_step(name).unwrap()).err())
        {
            words[1].insert(refusal.code);
            words[3].extend(refusal.clause);
        }
        if let kauri_rules::Turn::Over(outcome) = position.turn() {
            words[2].insert(outcome.reason);
            position = start;
        }
        let Some(step) = pick(&position, chance.next()) else { continue };
        for event in told(&position, step) {
            words[0].insert(event.r#type);
            words[3].extend(event.clause);
        }
        position.play_unchecked(step, |_| ());
    }
    for text in ["throw", "nonsense", "", "throw:5"] {
        words[1].extend(G::parse_step(text).err().map(|refusal| refusal.code));
    }
}

fn agrees(id: RulesId, found: &[BTreeSet<&'static str>; 4]) {
    let rules = id.rules().catalogue();
    assert_eq!(rules.rules, id.as_str());
    assert_eq!(words(rules.events), found[0]);
    assert_eq!(words(rules.illegal_moves), found[1]);
    assert_eq!(words(rules.end_reasons), found[2]);
    let clauses: Vec<_> = rules.clauses.iter().map(|clause| clause.id).collect();
    let terms = || rules.events.iter().chain(rules.illegal_moves).chain(rules.end_reasons);
    let cited =
        terms().filter_map(|term| term.clause).chain(rules.options.iter().map(|option| option.clause));
    for clause in cited.chain(found[3].iter().copied()) {
        assert!(clauses.contains(&clause), "{clause}");
    }
}

#[test]
fn words_of_kauri() {
    let mut found = <[BTreeSet<_>; 4]>::default();
    gather(Kauri::initial(None, &Options::default()).unwrap(), &mut found);
    agrees(RulesId::Kauri, &found);
}

#[test]
fn words_of_ashta_kashte() {
    let mut found = <[BTreeSet<_>; 4]>::default();
    let blocking = Options { doubles_block: Some(true), places: Some(true), ..Options::default() };
    for options in [Options::default(), blocking] {
        gather(AshtaKashte::initial(None, &options).unwrap(), &mut found);
    }
    agrees(RulesId::AshtaKashte, &found);
}

#[test]
fn clauses_are_numbered() {
    for (id, letter) in [(RulesId::Kauri, 'K'), (RulesId::AshtaKashte, 'A')] {
        for (at, clause) in id.rules().catalogue().clauses.iter().enumerate() {
            assert_eq!(clause.id, format!("{letter}{}", at + 1));
        }
    }
}

#[test]
fn seats_are_those_that_start() {
    for id in RulesId::ALL {
        let rules = id.rules();
        let seats = rules.catalogue().seats;
        let view = rules.initial(Some(seats.default), &Options::default()).unwrap();
        assert_eq!(view, rules.initial(None, &Options::default()).unwrap());
        assert_eq!(rules.seats(&view.state).unwrap(), seats.default);
        let all = &seats.allowed[..usize::from(seats.max)];
        assert!(rules.initial(Some(all), &Options::default()).is_ok());
        let few = &seats.allowed[..usize::from(seats.min) - 1];
        assert!(rules.initial(Some(few), &Options::default()).is_err());
    }
}

#[test]
fn options_are_those_that_are_taken() {
    for id in RulesId::ALL {
        let listed = id.rules().catalogue().options;
        let set = |name: &str, value: &str| {
            let value =
                if matches!(value, "true" | "false") { value.to_owned() } else { format!("\"{value}\"") };
            let options: Options = serde_json::from_str(&format!("{{\"{name}\": {value}}}")).unwrap();
            id.rules().initial(None, &options)
        };
        for option in listed {
            assert!(option.values.contains(&option.default));
            for value in option.values {
                let view = set(option.name, value).unwrap();
                let usual = view == id.rules().initial(None, &Options::default()).unwrap();
                assert_eq!(usual, *value == option.default, "{} {value}", option.name);
            }
        }
        for name in ["route", "places", "extra_turn", "doubles_block"] {
            let value = if name == "route" { "spiral" } else { "true" };
            assert_eq!(set(name, value).is_ok(), listed.iter().any(|option| option.name == name), "{name}");
        }
    }
}

#[test]
fn throws_are_the_chances() {
    let rules = RulesId::AshtaKashte.rules();
    let start = rules.initial(None, &Options::default()).unwrap();
    let chances = rules.chances(&start.state).unwrap();
    let listed = rules.catalogue().throws;
    assert_eq!(listed.iter().map(|throw| throw.weight).sum::<u8>(), 16);
    for (chance, throw) in chances.iter().zip(listed) {
        assert_eq!((chance.r#move, chance.weight), (format!("throw:{}", throw.value).as_str(), throw.weight));
        assert_eq!(if throw.mouths_up == 0 { 8 } else { throw.mouths_up }, throw.value);
    }
    assert_eq!(chances.len(), listed.len());
}

#[test]
fn errors_read_as_sentences() {
    let reason = |message: &str| Reason { pointer: "/x".to_owned(), code: "x", message: message.to_owned() };
    let state = kauri_rules::InvalidState(vec![reason("One."), reason("Two.")]);
    assert_eq!(state.to_string(), "the state is not possible: One. Two.");
}
