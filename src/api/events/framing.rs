//! How events stand on the wire.

use crate::games::GameEvent;
use actix_web::web::Bytes;

/// The media type of server-sent events.
pub(super) const SSE: &str = "text/event-stream";
/// The media type of one JSON text a line.
pub(super) const NDJSON: &str = "application/x-ndjson";

/// How events are told from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    Sse,
    /// A line each.
    Ndjson,
}

impl Framing {
    pub(super) const fn media_type(self) -> &'static str {
        match self {
            Self::Sse => SSE,
            Self::Ndjson => NDJSON,
        }
    }

    /// The events in their frames.
    pub(super) fn frame(self, events: &[GameEvent]) -> Result<Bytes, serde_json::Error> {
        let mut text = String::new();
        for event in events {
            // JSON has no line breaks of its own, so one line of data holds it.
            let json = serde_json::to_string(event)?;
            match self {
                Self::Sse => {
                    let lines = ["event: ", &event.r#type, "\nid: ", &event.id, "\ndata: ", &json, "\n\n"];
                    text.extend(lines);
                }
                Self::Ndjson => {
                    text.push_str(&json);
                    text.push('\n');
                }
            }
        }
        Ok(Bytes::from(text))
    }

    /// What says no more than that the stream is alive.
    pub(super) const fn heartbeat(self) -> Bytes {
        Bytes::from_static(match self {
            Self::Sse => b":\n\n",
            Self::Ndjson => b"\n",
        })
    }
}
