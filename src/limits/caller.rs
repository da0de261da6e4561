//! Whose budget a request is taken from.

use super::Budget;
use crate::credential::{Credential, Hash, hash};
use crate::problem::Problem;
use actix_web::dev::ServiceRequest;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a credential that was accepted is remembered after its last use.
const REMEMBER: Duration = Duration::from_mins(10);

/// Most credentials remembered.
const MOST: usize = 1 << 16;

/// An address, as far as one caller has only one of them.
pub(super) type Peer = Option<IpAddr>;

/// Whose budget a request is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Payer {
    /// The hash of a credential, as this service writes it.
    Credential(Hash),
    /// An address.
    Peer(Peer),
}

/// Where a request comes from, and what it shows where that will be looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    peer: Peer,
    shown: Option<Hash>,
}

impl Caller {
    /// A credential counts by what it says, secret included, not by how it is spelled. Where an operation asks for
    /// none, whatever is shown proves nothing, and the address pays.
    pub(super) fn of(request: &ServiceRequest, asked: bool) -> Self {
        let shown = request.headers().get(header::AUTHORIZATION).filter(|_| asked);
        let shown = match Credential::from_header(shown.map(HeaderValue::as_bytes)) {
            Err(_) | Ok(Credential::Anonymous) => None,
            Ok(credential) => Some(hash(credential.reveal().as_bytes())),
        };
        Self { peer: request.peer_addr().map(|address| network(address.ip())), shown }
    }

    pub(super) fn payer(&self) -> Payer {
        self.shown.map_or(Payer::Peer(self.peer), Payer::Credential)
    }
}

/// What one host can have at will is one: with IPv6 that is a network of 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        short @ IpAddr::V4(_) => short,
    }
}

/// Keeps an address from trying one credential after the other.
///
/// Credentials that were refused are charged to the address. Once it has had too many, it is heard only with
/// credentials that were accepted before: others may share it, behind a proxy.
#[derive(Debug)]
pub(super) struct Doorkeeper {
    refusals: Budget,
    accepted: Mutex<HashMap<Hash, Instant>>,
    barred: Mutex<HashMap<Peer, Instant>>,
}

impl Doorkeeper {
    pub(super) fn new(per_second: u32) -> Option<Self> {
        let refusals = Budget::new("refusals", per_second)?;
        Some(Self { refusals, accepted: Mutex::default(), barred: Mutex::default() })
    }

    /// Whether the caller's credential will be looked at now.
    pub(super) fn admit(&self, caller: &Caller) -> Result<(), Problem> {
        let Some(shown) = caller.shown else { return Ok(()) };
        let now = Instant::now();
        if let Some(last) = lock(&self.accepted).get_mut(&shown) {
            *last = now;
            return Ok(());
        }
        let until = lock(&self.barred).get(&caller.peer).copied();
        match until.and_then(|until| until.checked_duration_since(now)) {
            Some(wait) if !wait.is_zero() => Err(self.refusals.refusal(wait)),
            _ => Ok(()),
        }
    }

    /// Notes what the caller was answered.
    pub(super) fn learn(&self, caller: &Caller, status: StatusCode) {
        let Some(shown) = caller.shown else { return };
        if status == StatusCode::UNAUTHORIZED {
            lock(&self.accepted).remove(&shown);
            if let Err(wait) = self.refusals.take(&Payer::Peer(caller.peer)) {
                lock(&self.barred).insert(caller.peer, Instant::now() + wait);
            }
        } else if status.is_success() {
            let mut accepted = lock(&self.accepted);
            if accepted.len() < MOST {
                accepted.insert(shown, Instant::now());
            }
        }
    }

    /// Forgets what no longer matters.
    pub(super) fn forget_idle(&self) {
        self.refusals.forget_idle();
        let now = Instant::now();
        lock(&self.accepted).retain(|_, last| now.duration_since(*last) < REMEMBER);
        lock(&self.barred).retain(|_, until| *until > now);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{Caller, Doorkeeper, IpAddr, Payer, network};
    use crate::credential::Credential;
    use actix_web::http::StatusCode;
    use actix_web::test::TestRequest;

    fn caller(header: &str, asked: bool) -> Caller {
        let request = TestRequest::default().peer_addr("192.0.2.1:7".parse().unwrap());
        Caller::of(&request.insert_header(("authorization", header)).to_srv_request(), asked)
    }

    #[test]
    fn a_credential_counts_by_what_it_says() {
        let token = Credential::portal_key(&[0xab; 32], [0xcd; 32]).reveal();
        let payer = caller(&format!("Bearer {token}"), true).payer();
        assert!(matches!(payer, Payer::Credential(_)));
        assert_eq!(caller(&format!("bEARER   {}", token.replace("cd", "CD")), true).payer(), payer);
        assert_ne!(caller(&format!("Bearer {}", token.replace("cd", "ce")), true).payer(), payer);
        let peer = Payer::Peer(Some("192.0.2.1".parse().unwrap()));
        for header in ["", "Bearer", "Bearer x", "Basic x", &token] {
            assert_eq!(caller(header, true).payer(), peer, "{header}");
        }
        assert_eq!(caller(&format!("Bearer {token}"), false).payer(), peer);
    }

    #[test]
    fn addresses_of_one_network_are_one() {
        for (one, other, same) in [
            ("2001:db8::1", "2001:db8::ffff:1", true),
            ("2001:db8::1", "2001:db8:0:1::1", false),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true),
        ] {
            let [one, other] = [one, other].map(|address| network(address.parse::<IpAddr>().unwrap()));
            assert_eq!(one == other, same, "{one} {other}");
        }
    }

    #[test]
    fn who_is_refused_too_often_is_heard_only_with_what_was_accepted() {
        let keeper = Doorkeeper::new(2).unwrap();
        let [good, bad] = [[1; 32], [2; 32]].map(|secret| {
            caller(&format!("Bearer {}", Credential::portal_key(&[0; 32], secret).reveal()), true)
        });
        keeper.learn(&good, StatusCode::OK);
        for _ in 0..3 {
            assert!(keeper.admit(&bad).is_ok());
            keeper.learn(&bad, StatusCode::UNAUTHORIZED);
        }
        assert!(keeper.admit(&bad).is_err() && keeper.admit(&good).is_ok());
        assert!(keeper.admit(&caller("", true)).is_ok());
        keeper.learn(&good, StatusCode::UNAUTHORIZED);
        assert!(keeper.admit(&good).is_err());
        keeper.forget_idle();
    }
}
