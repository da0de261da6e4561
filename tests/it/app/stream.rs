//! A stream of events, as a client reads it: frame by frame, each held against the spec.

use super::{SPEC, TestApp};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest wait for something that has to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// An open stream.
pub(crate) struct Stream {
    response: reqwest::Response,
    buffer: String,
    sse: bool,
}

impl TestApp {
    /// Opens a stream, which must be there; one of server-sent events, unless another is asked for.
    pub(crate) async fn stream(&self, path: &str, headers: &[(&str, &str)]) -> Stream {
        let mut request = self.client.get(format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !headers.iter().any(|(name, _)| *name == "accept") {
            request = request.header("accept", "text/event-stream");
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let sse = response.headers()["content-type"] == "text/event-stream";
        Stream { response, buffer: String::new(), sse }
    }
}

impl Stream {
    pub(crate) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The next event; none when the stream has ended as it should.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(frame) = self.frame() {
                match self.event(&frame) {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            let chunk = tokio::time::timeout(PATIENCE, self.response.chunk()).await.expect("something comes");
            let Some(bytes) = chunk.expect("the stream ends as it should") else {
                assert_eq!(self.buffer, "", "the last frame is whole");
                return None;
            };
            self.buffer.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// So many events.
    pub(crate) async fn take(&mut self, count: usize) -> Vec<Value> {
        let mut events = Vec::new();
        while events.len() < count {
            events.push(self.next().await.expect("the stream goes on"));
        }
        events
    }

    /// All events until the end.
    pub(crate) async fn rest(mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    /// The next whole frame.
    fn frame(&mut self) -> Option<String> {
        let end = if self.sse { "\n\n" } else { "\n" };
        let at = self.buffer.find(end)?;
        let frame = self.buffer.drain(..at + end.len()).collect::<String>();
        Some(frame.trim_end().to_owned())
    }

    /// The event in a frame; none in one that only shows that the stream is alive.
    fn event(&self, frame: &str) -> Option<Value> {
        let json = if self.sse {
            let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
            let json: Value = serde_json::from_str(field("data: ")?).unwrap();
            assert_eq!((field("id: "), field("event: ")), (json["id"].as_str(), json["type"].as_str()));
            json
        } else if frame.is_empty() {
            return None;
        } else {
            serde_json::from_str(frame).unwrap()
        };
        SPEC.check_schema("GameEvent", &json!({"$ref": "#/components/schemas/GameEvent"}), &json);
        Some(json)
    }
}
