//! How log lines look: what is said, and of which request.
//!
//! The request is read off the task that says it. A span for each request would do the same, at a cost above that of
//! all else that is told about a request.

use super::{CURRENT, Current};
use crate::config::LogFormat;
use crate::context::{SystemWorld, World};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::fmt::{self, Debug, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The field that an event's text is in.
const MESSAGE: &str = "message";

/// About as long as an access line.
const LENGTH: usize = 320;

/// Writes each event as one line.
pub(super) struct Lines(pub(super) LogFormat);

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let colours = writer.has_ansi_escapes();
        let line = |request: Option<&Current>| match self.0 {
            LogFormat::Json => json(event, request),
            LogFormat::Pretty => pretty(event, request, colours),
        };
        let line = CURRENT.try_with(|request| line(Some(request))).unwrap_or_else(|_| line(None))?;
        writeln!(writer, "{line}")
    }
}

fn json(event: &Event<'_>, request: Option<&Current>) -> Result<String, fmt::Error> {
    let mut line = Vec::with_capacity(LENGTH);
    members(event, request, &mut serde_json::Serializer::new(&mut line)).map_err(|_| fmt::Error)?;
    String::from_utf8(line).map_err(|_| fmt::Error)
}

fn members<S: Serializer>(
    event: &Event<'_>,
    request: Option<&Current>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("timestamp", &SystemWorld.now())?;
    map.serialize_entry("level", event.metadata().level().as_str())?;
    let mut fields = Members { map, failed: None };
    event.record(&mut fields);
    let Members { mut map, failed } = fields;
    if let Some(error) = failed {
        return Err(error);
    }
    map.serialize_entry("target", event.metadata().target())?;
    if let Some(request) = request {
        map.serialize_entry("span", &Span { request, name: "request" })?;
    }
    map.end()
}

/// The request as a line shows it.
#[derive(Serialize)]
struct Span<'a> {
    #[serde(flatten)]
    request: &'a Current,
    name: &'static str,
}

impl Serialize for Current {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("method", self.method.as_str())?;
        map.serialize_entry("request_id", self.id())?;
        map.serialize_entry("route", self.pattern())?;
        if let Some(trace) = &self.trace {
            map.serialize_entry("trace_id", trace)?;
        }
        map.end()
    }
}

/// Fields as members of an object.
struct Members<M: SerializeMap> {
    map: M,
    failed: Option<M::Error>,
}

impl<M: SerializeMap> Members<M> {
    fn add(&mut self, field: &Field, value: &(impl Serialize + ?Sized)) {
        if let Err(error) = self.map.serialize_entry(field.name(), value) {
            self.failed = Some(error);
        }
    }
}

impl<M: SerializeMap> Visit for Members<M> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, &value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, &value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, &value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, &value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, &format_args!("{value:?}"));
    }
}

fn pretty(event: &Event<'_>, request: Option<&Current>, colours: bool) -> Result<String, fmt::Error> {
    let mut line = String::with_capacity(LENGTH);
    let (faint, plain) = if colours { ("\x1b[2m", "\x1b[0m") } else { ("", "") };
    let level = event.metadata().level();
    let colour = if colours { colour(*level) } else { "" };
    write!(line, "{faint}{}{plain} {colour}{:>5}{plain} ", SystemWorld.now(), level.as_str())?;
    if let Some(request) = request {
        line.push_str("request{method=");
        line.push_str(request.method.as_str());
        line.push_str(" route=");
        line.push_str(request.pattern());
        line.push_str(" request_id=");
        line.push_str(request.id());
        if let Some(trace) = &request.trace {
            line.push_str(" trace_id=");
            line.push_str(trace);
        }
        line.push_str("}: ");
    }
    write!(line, "{faint}{}:{plain}", event.metadata().target())?;
    let mut fields = Words { line, failed: Ok(()) };
    event.record(&mut fields);
    fields.failed.map(|()| fields.line)
}

fn colour(level: Level) -> &'static str {
    match level {
        Level::ERROR => "\x1b[31m",
        Level::WARN => "\x1b[33m",
        Level::INFO => "\x1b[32m",
        Level::DEBUG => "\x1b[34m",
        Level::TRACE => "\x1b[35m",
    }
}

/// Fields one after the other, the message without its name.
struct Words {
    line: String,
    failed: fmt::Result,
}

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let written = match field.name() {
            MESSAGE => write!(self.line, " {value:?}"),
            name => write!(self.line, " {name}={value:?}"),
        };
        self.failed = self.failed.and(written);
    }
}

#[cfg(test)]
mod tests {
    use super::{CURRENT, Current, Lines};
    use crate::config::LogFormat;
    use actix_web::http::Method;
    use actix_web::http::header::HeaderValue;
    use serde_json::{Value, json};
    use std::io::Write;
    use std::sync::{Arc, Mutex, PoisonError};

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What a request's warning and a line outside of all requests look like.
    fn said(format: LogFormat) -> Vec<String> {
        let page = Page::default();
        let to = page.clone();
        let lines = tracing_subscriber::fmt().with_ansi(false).event_format(Lines(format));
        let subscriber = lines.with_writer(move || to.clone()).finish();
        let current = Current {
            id: HeaderValue::from_static("a-1"),
            method: Method::GET,
            route: None,
            trace: Some("4bf9".to_owned()),
        };
        tracing::subscriber::with_default(subscriber, || {
            let cause = "no \"luck\"";
            CURRENT.sync_scope(current, || tracing::warn!(%cause, tries = 3, late = true, "it failed"));
            tracing::info!("on {}", "and on");
        });
        let text = page.0.lock().unwrap().clone();
        String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn lines_for_programs_are_objects() {
        let lines: Vec<Value> =
            said(LogFormat::Json).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let timestamp = lines[0]["timestamp"].clone();
        assert_eq!(timestamp.as_str().unwrap().len(), 27);
        assert_eq!(
            lines[0],
            json!({
                "timestamp": timestamp, "level": "WARN", "message": "it failed", "cause": "no \"luck\"", "tries": 3,
                "late": true, "target": "kauri::telemetry::lines::tests",
                "span": {"method": "GET", "request_id": "a-1", "route": "none", "trace_id": "4bf9", "name": "request"},
            })
        );
        assert_eq!((&lines[1]["message"], lines[1].get("span")), (&json!("on and on"), None));
    }

    #[test]
    fn lines_for_people_are_words() {
        let lines = said(LogFormat::Pretty);
        assert_eq!(
            &lines[0][27..],
            "  WARN request{method=GET route=none request_id=a-1 trace_id=4bf9}: kauri::telemetry::lines::tests: \
             it failed cause=no \"luck\" tries=3 late=true"
        );
        assert_eq!(&lines[1][27..], "  INFO kauri::telemetry::lines::tests: on and on");
    }
}
