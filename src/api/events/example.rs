//! The streams shown in the spec: made by the service's own types, so that they can't drift.

use super::framing::Framing;
use crate::games::{EventPage, GameEvent, sample};

pub(super) fn page() -> EventPage {
    EventPage { items: sample::events().into(), next: "2".to_owned(), ended: false }
}

pub(super) fn feed_page() -> EventPage {
    let items: Vec<GameEvent> = sample::feed().into();
    EventPage { next: items.iter().map(|event| event.id.clone()).collect(), items, ended: false }
}

pub(super) fn sse() -> String {
    text(Framing::Sse, &sample::events())
}

pub(super) fn ndjson() -> String {
    text(Framing::Ndjson, &sample::events())
}

pub(super) fn feed_sse() -> String {
    text(Framing::Sse, &sample::feed())
}

pub(super) fn feed_ndjson() -> String {
    text(Framing::Ndjson, &sample::feed())
}

fn text(framing: Framing, events: &[GameEvent]) -> String {
    let bytes = framing.frame(events).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
