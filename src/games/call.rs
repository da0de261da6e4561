//! What a request says besides its body: who calls, on what condition, under which key.

use super::wire::etag_of;
use crate::credential::{Credential, Hash};
use crate::problem::{Code, Problem};
use crate::store::{GameRow, Slot};

/// A state-changing request, less its body.
#[derive(Debug)]
pub struct Call {
    /// Who calls.
    pub credential: Credential,
    /// Method and path, which an Idempotency-Key is good for.
    pub target: String,
    /// The Idempotency-Key.
    pub key: Option<IdempotencyKey>,
    /// The If-Match header.
    pub condition: Option<Condition>,
    /// The SHA-256 of the body's bytes.
    pub body_hash: Hash,
}

impl Call {
    /// Where the answer to this request is kept. A seat's keys are its own: another seat that happens
    /// to choose the same one must not get its answer.
    pub(crate) fn slot(&self) -> Option<Slot> {
        let key = self.key.as_ref()?;
        let scope = match &self.credential {
            Credential::SeatToken { seat, .. } => format!("{} {seat}", self.target),
            Credential::Anonymous | Credential::PortalKey { .. } => self.target.clone(),
        };
        Some(Slot { scope, key_hash: crate::credential::hash(key.0.as_bytes()) })
    }
}

/// How often a request that lost its write to another is decided anew. What it then finds tells it what to answer, so
/// the second time is the last, but for a clash with an answer that has just expired.
pub(crate) const ROUNDS: usize = 3;

/// For a request that lost its write every time.
pub(crate) fn crowded() -> Problem {
    tracing::warn!("a request lost its write again and again");
    Problem::new(Code::Unavailable)
}

/// An Idempotency-Key: 1 to 255 printable ASCII characters. Stored only as a hash.
#[derive(Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Reads the header's value.
    pub fn parse(value: &[u8]) -> Result<Self, Problem> {
        let printable = value.iter().all(|byte| matches!(byte, b' '..=b'~'));
        match std::str::from_utf8(value) {
            Ok(text) if printable && (1..=255).contains(&text.len()) => Ok(Self(text.to_owned())),
            _ => Err(Problem::new(Code::InvalidHeader)
                .detail("Idempotency-Key takes 1 to 255 printable ASCII characters.")),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IdempotencyKey(…)")
    }
}

/// An If-Match or If-None-Match header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `*`: any version.
    Any,
    /// One of these tags, quotes included.
    Tags(Vec<String>),
}

impl Condition {
    /// Reads the header's value; `name` is for the failure.
    pub fn parse(name: &str, value: &[u8]) -> Result<Self, Problem> {
        let text = std::str::from_utf8(value).unwrap_or_default().trim();
        if text == "*" {
            return Ok(Self::Any);
        }
        tags(text).map(Self::Tags).ok_or_else(|| {
            Problem::new(Code::InvalidHeader)
                .detail(format!("{name} takes * or entity tags in double quotes, such as \"v12\"."))
        })
    }

    /// Whether the game is as the condition wants it, by strong comparison (If-Match).
    #[must_use]
    pub fn holds(&self, game: &GameRow) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => tags.contains(&etag_of(game)),
        }
    }

    /// Whether a representation with this tag is known already, by weak comparison (If-None-Match).
    #[must_use]
    pub fn knows(&self, etag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => tags.iter().any(|tag| tag.strip_prefix("W/").unwrap_or(tag) == etag),
        }
    }
}

/// The tags of a list; a comma may stand within their quotes.
fn tags(mut text: &str) -> Option<Vec<String>> {
    let mut tags = Vec::new();
    loop {
        let opened = text.strip_prefix("W/").unwrap_or(text).strip_prefix('"')?;
        let closed = opened.find('"')? + 1;
        let (tag, rest) = text.split_at(text.len() - opened.len() + closed);
        tags.push(tag.to_owned());
        match rest.trim_start().strip_prefix(',') {
            Some(rest) => text = rest.trim_start(),
            None => return rest.trim().is_empty().then_some(tags),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_a_star_or_quoted_tags() {
        assert_eq!(Condition::parse("If-Match", b"*").ok(), Some(Condition::Any));
        let two = Condition::parse("If-Match", b"\"v1\", W/\"v2\"").expect("it is well-formed");
        assert!(two.knows("\"v2\"") && two.knows("\"v1\"") && !two.knows("\"v3\""));
        let commas = Condition::parse("If-Match", b"\"a,b\" , \"v2\"").expect("it is well-formed");
        assert!(commas.knows("\"a,b\"") && commas.knows("\"v2\"") && !commas.knows("\"a"));
        for bad in [&b""[..], b"v1", b"\"v1", b"\"v1\",", b"\"v1\" \"v2\"", b"W/v1", b"\xff"] {
            assert!(Condition::parse("If-Match", bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn idempotency_keys_are_printable_and_bounded() {
        assert!(IdempotencyKey::parse(&[b'k'; 255]).is_ok());
        for bad in [&b""[..], &[b'k'; 256], b"a\x07b", "é".as_bytes()] {
            assert!(IdempotencyKey::parse(bad).is_err());
        }
    }
}
