//! States written short, and moves made on them.

use kauri_rules::{Event, Phase, Played, Refusal, RulesId, Seat, State, View};
use serde_json::{Value, json};

/// A Kauri state: pits as `beads/cowries`, then each side's store.
pub(crate) fn kauri(to_move: &str, south: &str, south_store: u8, north: &str, north_store: u8) -> State {
    let side = |pits: &str, store| {
        let pit = |text: &str| {
            let (beads, cowries) = text.split_once('/').unwrap();
            json!({"beads": beads.parse::<u8>().unwrap(), "cowries": cowries.parse::<u8>().unwrap()})
        };
        json!({"pits": pits.split_whitespace().map(pit).collect::<Vec<_>>(), "store": store})
    };
    let setup = json!({"south": side(south, south_store), "north": side(north, north_store)});
    serde_json::from_value(json!({"rules": "kauri", "to_move": to_move, "kauri": setup})).unwrap()
}

/// An Ashta-kashte state: seats as `south hand e1 e1 finished`, the one to move first in `turn`, as
/// `south 4` at phase `move` and `south` at phase `throw`; options that are true, or `reversing`.
pub(crate) fn ashta_kashte(turn: &str, seats: &[&str], options: &str) -> State {
    let on = |option: &str| options.split_whitespace().any(|word| word == option);
    let seat = |text: &&str| {
        let mut words = text.split_whitespace();
        json!({"seat": words.next().unwrap(), "pieces": words.collect::<Vec<_>>()})
    };
    let mut setup = json!({
        "options": {
            "route": if on("reversing") { "reversing" } else { "spiral" },
            "places": on("places"),
            "extra_turn": on("extra_turn"),
            "doubles_block": on("doubles_block"),
        },
        "seats": seats.iter().map(seat).collect::<Vec<_>>(),
    });
    let (to_move, throw) = turn.split_once(' ').map_or((turn, None), |(seat, throw)| (seat, Some(throw)));
    if let Some(throw) = throw {
        setup["throw"] = json!(throw.parse::<u8>().unwrap());
    }
    serde_json::from_value(json!({"rules": "ashta-kashte", "to_move": to_move, "ashta_kashte": setup}))
        .unwrap()
}

fn rules(state: &State) -> &'static dyn kauri_rules::DynRules {
    state.rules.parse::<RulesId>().unwrap().rules()
}

/// The moves that may be made.
pub(crate) fn legal(state: &State) -> Vec<&'static str> {
    rules(state).view(state).unwrap().legal_moves
}

/// Makes a move that is allowed.
pub(crate) fn apply(state: &State, name: &str) -> (Played, View) {
    rules(state).apply(state, name).unwrap()
}

/// The code and clause of a move that is not allowed.
pub(crate) fn refused(state: &State, name: &str) -> (&'static str, Option<&'static str>) {
    match rules(state).apply(state, name) {
        Err(Refusal::Move { illegal, view }) => {
            assert_eq!(*view, rules(state).view(state).unwrap(), "a refused move changes nothing");
            (illegal.code, illegal.clause)
        }
        other => panic!("{name} was not refused: {other:?}"),
    }
}

/// The events of a type.
pub(crate) fn events<'a>(played: &'a Played, r#type: &str) -> Vec<&'a Event> {
    played.events.iter().filter(|event| event.r#type == r#type).collect()
}

/// The pits pieces drop into, in order, as one string.
pub(crate) fn pits(played: &Played, piece: &str) -> String {
    events(played, "sow")
        .iter()
        .filter(|event| event.piece == Some(piece))
        .filter_map(|event| event.pit)
        .collect()
}

/// The only event of a type.
pub(crate) fn event<'a>(played: &'a Played, r#type: &str) -> &'a Event {
    let found = events(played, r#type);
    assert_eq!(found.len(), 1, "{type} in {:?}", played.events);
    found[0]
}

/// Beads in the stores, South's first.
pub(crate) fn stores(view: &View) -> (u8, u8) {
    let setup = view.state.kauri.as_ref().unwrap();
    (setup.south.store, setup.north.store)
}

/// What a pit holds: beads, cowries.
pub(crate) fn pit(view: &View, name: char) -> (u8, u8) {
    let setup = view.state.kauri.as_ref().unwrap();
    let (side, first) = if name.is_lowercase() { (&setup.south, 'a') } else { (&setup.north, 'A') };
    let pit = side.pits[name as usize - first as usize];
    (pit.beads, pit.cowries)
}

/// A seat's pieces, as one string.
pub(crate) fn pieces(view: &View, seat: Seat) -> String {
    let seats = &view.state.ashta_kashte.as_ref().unwrap().seats;
    seats.iter().find(|listed| listed.seat == seat).unwrap().pieces.join(" ")
}

/// Who acts, and how.
pub(crate) fn turn(view: &View) -> (Seat, Phase) {
    (view.state.to_move, view.phase)
}

/// An event as its JSON.
pub(crate) fn as_json(event: &Event) -> Value {
    serde_json::to_value(event).unwrap()
}
