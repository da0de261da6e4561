//! What a caller shows: a portal key, a seat token, or nothing.
//!
//! `kauri_pk_{id}_{secret}` and `kauri_st_{game}{seat}_{secret}`: the part before the secret finds the
//! row, the SHA-256 of the secret is compared with it in constant time. Only hashes are stored.

use hmac::{Hmac, KeyInit, Mac};
use kauri_rules::Seat;
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;
use uuid::Uuid;

const PORTAL_KEY: &str = "kauri_pk_";
const SEAT_TOKEN: &str = "kauri_st_";
const ID_BYTES: usize = 8;

/// A SHA-256.
pub type Hash = [u8; 32];

/// The SHA-256 of some bytes.
#[must_use]
pub fn hash(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// The secret bytes that a key and a salt give for one purpose.
#[must_use]
pub(crate) fn derive(key: &str, salt: &[u8], purpose: &str) -> [u8; 32] {
    let mut block = [0; 64];
    block[..32].copy_from_slice(&hash(key.as_bytes()));
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
    mac.update(salt);
    mac.update(purpose.as_bytes());
    mac.finalize().into_bytes().into()
}

/// Secret bytes; never shown by `Debug`.
#[derive(Clone)]
pub struct Secret([u8; 32]);

impl Secret {
    /// From random bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The secret that a key and a salt give, for one seat: so that a retry under the same
    /// Idempotency-Key gets the same tokens although neither they nor the key are stored.
    #[must_use]
    pub fn derived(key: &str, salt: &[u8], seat: Seat) -> Self {
        Self(derive(key, salt, seat.as_str()))
    }

    /// The HMAC-SHA-256 of the parts, one after the other.
    #[must_use]
    pub fn sign(&self, parts: &[&[u8]]) -> Hash {
        let mut block = [0; 64];
        block[..32].copy_from_slice(&self.0);
        let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// What is stored of it.
    #[must_use]
    pub fn hash(&self) -> Hash {
        hash(&self.0)
    }

    /// Whether it is the one that was stored, in a time that does not depend on where they differ.
    #[must_use]
    pub fn is(&self, stored: &[u8]) -> bool {
        self.hash().as_slice().ct_eq(stored).into()
    }

    fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self(bytes))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Who a caller says to be; not yet believed.
#[derive(Clone, Debug)]
pub enum Credential {
    /// Nothing was shown.
    Anonymous,
    /// A portal key: acts for its portal.
    PortalKey {
        /// Finds the row; not secret.
        id: String,
        /// Proves it.
        secret: Secret,
    },
    /// A seat token: acts for one seat of one game.
    SeatToken {
        /// The game.
        game: Uuid,
        /// The seat.
        seat: Seat,
        /// Proves it.
        secret: Secret,
    },
}

/// The text is no credential of this service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the credential is malformed")]
pub struct Malformed;

impl Credential {
    /// A new portal key from random bytes.
    #[must_use]
    pub fn portal_key(id: &[u8; 32], secret: [u8; 32]) -> Self {
        Self::PortalKey { id: hex::encode(&id[..ID_BYTES]), secret: Secret(secret) }
    }

    /// Reads the value of an `Authorization` header, or its absence.
    pub fn from_header(value: Option<&[u8]>) -> Result<Self, Malformed> {
        let Some(value) = value else { return Ok(Self::Anonymous) };
        let (scheme, token) =
            std::str::from_utf8(value).ok().and_then(|text| text.split_once(' ')).ok_or(Malformed)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Malformed);
        }
        Self::parse(token.trim()).ok_or(Malformed)
    }

    fn parse(token: &str) -> Option<Self> {
        if let Some(rest) = token.strip_prefix(PORTAL_KEY) {
            let (id, secret) = rest.split_once('_')?;
            let known =
                id.len() == 2 * ID_BYTES && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
            return known
                .then_some(())
                .and_then(|()| Some(Self::PortalKey { id: id.to_owned(), secret: Secret::parse(secret)? }));
        }
        let (place, secret) = token.strip_prefix(SEAT_TOKEN)?.split_once('_')?;
        let (game, letter) = place.split_at_checked(32)?;
        let seat =
            Seat::ALL.into_iter().find(|seat| seat.as_str().starts_with(letter) && letter.len() == 1)?;
        Some(Self::SeatToken { game: Uuid::try_parse(game).ok()?, seat, secret: Secret::parse(secret)? })
    }

    /// The whole credential as its holder keeps it. Shown once, when it is made; never logged.
    #[must_use]
    pub fn reveal(&self) -> String {
        match self {
            Self::Anonymous => String::new(),
            Self::PortalKey { id, secret } => format!("{PORTAL_KEY}{id}_{}", hex::encode(secret.0)),
            Self::SeatToken { game, seat, secret } => {
                let letter = &seat.as_str()[..1];
                format!("{SEAT_TOKEN}{}{letter}_{}", game.simple(), hex::encode(secret.0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Credential> {
        let mut all = vec![Credential::portal_key(&[7; 32], [9; 32])];
        all.extend(Seat::ALL.map(|seat| Credential::SeatToken {
            game: Uuid::from_u128(0x0193_7a5e_0000_7000_8000_0000_0000_0001),
            seat,
            secret: Secret::new([3; 32]),
        }));
        all
    }

    #[test]
    fn what_is_revealed_reads_back() {
        for credential in samples() {
            let header = format!("Bearer {}", credential.reveal());
            let read = Credential::from_header(Some(header.as_bytes())).expect("it is well-formed");
            assert_eq!(read.reveal(), credential.reveal());
        }
        assert!(matches!(Credential::from_header(None), Ok(Credential::Anonymous)));
    }

    #[test]
    fn anything_cut_or_changed_is_malformed() {
        for credential in samples() {
            let token = credential.reveal();
            for end in 0..token.len() {
                let header = format!("Bearer {}", &token[..end]);
                assert!(Credential::from_header(Some(header.as_bytes())).is_err(), "cut at {end}");
            }
            for header in [
                format!("Basic {token}"),
                token.clone(),
                format!("Bearer x{token}"),
                format!("Bearer {token}0"),
            ] {
                assert!(Credential::from_header(Some(header.as_bytes())).is_err(), "{header}");
            }
        }
        assert!(Credential::from_header(Some(b"Bearer \xff")).is_err());
        assert!(Credential::from_header(Some("Bearer kauri_st_é".as_bytes())).is_err());
    }

    #[test]
    fn debug_shows_no_secret() {
        for credential in samples() {
            let shown = format!("{credential:?}");
            assert!(
                !shown.contains("0303") && !shown.contains("0909") && !shown.contains(", 3, 3"),
                "{shown}"
            );
        }
    }

    #[test]
    fn a_secret_is_only_itself() {
        let secret = Secret::new([1; 32]);
        assert!(secret.is(&secret.hash()));
        assert!(!secret.is(&Secret::new([2; 32]).hash()));
        assert!(!secret.is(&[]));
    }

    #[test]
    fn derived_secrets_differ_by_key_salt_and_seat() {
        let all = [
            ("k", b"s", Seat::South),
            ("l", b"s", Seat::South),
            ("k", b"t", Seat::South),
            ("k", b"s", Seat::North),
        ]
        .map(|(key, salt, seat)| Secret::derived(key, salt, seat).hash());
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| a != b));
        }
    }
}
