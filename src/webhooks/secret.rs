//! What a webhook is signed with, by version 1 of Standard Webhooks.
//!
//! Signing needs the secrets themselves, so these are kept as they are, unlike credentials.

use crate::timestamp::Timestamp;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::fmt;

/// What a secret begins with.
const PREFIX: &str = "whsec_";

/// Most secrets that sign at once: that of now, and those that are on their way out.
const MOST: usize = 5;

/// The secrets of an endpoint, newest first.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Secrets(Vec<Kept>);

#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    secret: String,
    /// Until when it signs; the newest has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<i64>,
}

impl Secrets {
    /// From random bytes.
    pub(super) fn new(bytes: &[u8; 32]) -> Self {
        Self(vec![Kept { secret: BASE64.encode(bytes), until: None }])
    }

    /// The newest, as its holder gets it. Shown once, when it is made; never logged.
    pub(super) fn reveal(&self) -> String {
        let newest = self.0.first().map(|kept| kept.secret.as_str());
        format!("{PREFIX}{}", newest.unwrap_or_default())
    }

    /// With a new one; those before it go on signing until then, so that a receiver can change over at leisure, and
    /// a rotation whose answer was lost can be repeated.
    pub(super) fn rotated(mut self, bytes: &[u8; 32], now: Timestamp, until: Timestamp) -> Self {
        for kept in &mut self.0 {
            kept.until = Some(kept.until.map_or(until.0, |before| before.min(until.0)));
        }
        let mut all = Self::new(bytes).0;
        all.extend(self.0.into_iter().filter(|kept| kept.signs(now)));
        all.truncate(MOST);
        Self(all)
    }

    /// The `webhook-signature` header: one signature by each secret in force.
    pub(super) fn sign(&self, id: &str, seconds: i64, body: &[u8], now: Timestamp) -> Option<String> {
        let signatures: Vec<String> = self
            .0
            .iter()
            .filter(|kept| kept.signs(now))
            .map(|kept| kept.sign(id, seconds, body))
            .collect::<Option<_>>()?;
        Some(signatures.join(" "))
    }
}

impl Kept {
    fn signs(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now.0 < until)
    }

    fn sign(&self, id: &str, seconds: i64, body: &[u8]) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&BASE64.decode(&self.secret).ok()?).ok()?;
        mac.update(format!("{id}.{seconds}.").as_bytes());
        mac.update(body);
        Some(format!("v1,{}", BASE64.encode(mac.finalize().into_bytes())))
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_614_265_330_000_000);
    const LATER: Timestamp = Timestamp(NOW.0 + 1_000_000);

    /// The example of the specification's reference implementations.
    #[test]
    fn a_signature_is_the_one_of_the_specification() {
        let secrets =
            Secrets(vec![Kept { secret: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned(), until: None }]);
        let signed =
            secrets.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b"{\"test\": 2432232314}", NOW);
        assert_eq!(signed.as_deref(), Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
        assert_eq!(secrets.reveal(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    }

    #[test]
    fn old_secrets_sign_until_their_time_is_up() {
        let signatures = |secrets: &Secrets, at| {
            let header = secrets.sign("a", 1, b"b", at).unwrap();
            header.split(' ').map(str::to_owned).collect::<Vec<_>>()
        };
        let first = Secrets::new(&[1; 32]);
        let second = first.clone().rotated(&[2; 32], NOW, LATER);
        assert_eq!(second.reveal(), Secrets::new(&[2; 32]).reveal());
        let both = signatures(&second, NOW);
        assert_eq!(both, [signatures(&Secrets::new(&[2; 32]), NOW), signatures(&first, NOW)].concat());
        assert_eq!(signatures(&second, LATER), both[..1]);
        // Rotated once more, an old secret signs no longer than it was to.
        let third = second.clone().rotated(&[3; 32], NOW, Timestamp(LATER.0 + 1));
        assert_eq!(signatures(&third, NOW).len(), 3);
        assert_eq!(signatures(&third, LATER).len(), 2);
        assert_eq!(signatures(&second.rotated(&[3; 32], LATER, LATER), LATER).len(), 1);
        let many = (0..9).fold(first, |secrets, byte| secrets.rotated(&[byte; 32], NOW, LATER));
        assert_eq!(signatures(&many, NOW).len(), MOST);
    }

    #[test]
    fn debug_shows_no_secret_and_what_is_kept_reads_back() {
        let secrets = Secrets::new(&[7; 32]).rotated(&[8; 32], NOW, LATER);
        assert_eq!(format!("{secrets:?}"), "Secrets(…)");
        let kept = serde_json::to_string(&secrets).unwrap();
        let read: Secrets = serde_json::from_str(&kept).unwrap();
        assert_eq!(read.sign("a", 1, b"b", NOW), secrets.sign("a", 1, b"b", NOW));
    }
}
