//! One attempt at one delivery: a POST on a connection of its own.
//!
//! A connection is made for each attempt, to an address that was looked up and checked just then. None is kept, so
//! none can outlive the check; a receiver that has moved is found at once.

use super::network::Network;
use super::target::{Policy, Target};
use futures_util::future::{Either, select};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_rustls::TlsConnector;

/// Most attempts at once in this process, each a connection, to endpoints that take what they are sent.
const MOST_TO_WELL: usize = 256;

/// The same to those that do not. They wait for each other, and nobody else waits for them.
const MOST_TO_FAILING: usize = 64;

/// Most tests at once in this process, for which callers wait.
const MOST_TESTS: usize = 16;

/// Most addresses of one name that are tried.
const MOST_ADDRESSES: usize = 4;

/// Longest time that one address is tried.
const CONNECT: Duration = Duration::from_secs(5);

/// Most bytes of an answer's head.
const LONGEST_HEAD: usize = 16 * 1024;

/// Most bytes read of an answer's body, which nobody looks at: only so that a receiver that has answered is not cut
/// off while it writes.
const LONGEST_BODY: usize = 4 * 1024;

/// How long such bytes are waited for.
const BODY: Duration = Duration::from_secs(1);

const AGENT: HeaderValue = HeaderValue::from_static(concat!("kauri/", env!("CARGO_PKG_VERSION")));
const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// What is sent.
#[derive(Clone, Debug)]
pub struct Message {
    /// The same at every attempt.
    pub id: String,
    /// When this attempt is made, in seconds since 1970.
    pub timestamp: i64,
    /// By every secret in force.
    pub signature: String,
    /// JSON.
    pub body: String,
}

/// Why an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The URL, or the address that its name stands for, may not be posted to.
    RefusedAddress,
    /// The name stands for no address.
    Resolve,
    /// No connection could be made.
    Connect,
    /// The connection could not be made secret.
    Tls,
    /// What came back was no answer in HTTP.
    Protocol,
    /// It took too long.
    Timeout,
    /// The answer sends the sender elsewhere, where it does not go.
    Redirect,
    /// The answer has no status of success.
    Status,
    /// The event is no longer there.
    EventGone,
}

impl Failure {
    /// The stable word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RefusedAddress => "refused_address",
            Self::Resolve => "resolve",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Protocol => "protocol",
            Self::Timeout => "timeout",
            Self::Redirect => "redirect",
            Self::Status => "status",
            Self::EventGone => "event_gone",
        }
    }
}

/// What came of an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The answer's status, if there was one.
    pub status: Option<u16>,
    /// Why it failed; none when it was taken.
    pub failure: Option<Failure>,
    /// When the receiver wants to hear again, as it said so.
    pub retry_after: Option<String>,
    /// How long it took.
    pub took: Duration,
}

/// What sends: shared by all of a process.
#[derive(Debug)]
pub struct Sender {
    policy: Policy,
    network: Arc<dyn Network>,
    /// Made at the first use: most services never post anything.
    tls: OnceLock<Arc<ClientConfig>>,
    well: Semaphore,
    failing: Semaphore,
    tests: Semaphore,
}

impl Sender {
    /// A sender by this policy, which trusts the authorities that browsers trust.
    #[must_use]
    pub fn new(policy: Policy, network: Arc<dyn Network>) -> Self {
        Self {
            policy,
            network,
            tls: OnceLock::new(),
            well: Semaphore::new(MOST_TO_WELL),
            failing: Semaphore::new(MOST_TO_FAILING),
            tests: Semaphore::new(MOST_TESTS),
        }
    }

    /// What may be posted to.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Waits for room for one more attempt. None when there will never be any.
    pub(super) async fn room(&self, failing: bool) -> Option<SemaphorePermit<'_>> {
        let lane = if failing { &self.failing } else { &self.well };
        lane.acquire().await.ok()
    }

    /// Room for one more test, if there is any now.
    pub(super) fn room_for_test(&self) -> Option<SemaphorePermit<'_>> {
        self.tests.try_acquire().ok()
    }

    /// Posts a message, once, in this time.
    pub async fn post(&self, url: &str, message: &Message, limit: Duration) -> Outcome {
        let began = Instant::now();
        let outcome = match tokio::time::timeout(limit, self.exchange(url, message)).await {
            Ok(Ok(answer)) => outcome(&answer),
            Ok(Err(failure)) => Outcome { failure: Some(failure), ..Outcome::default() },
            Err(_) => Outcome { failure: Some(Failure::Timeout), ..Outcome::default() },
        };
        Outcome { took: began.elapsed(), ..outcome }
    }

    async fn exchange(&self, url: &str, message: &Message) -> Result<Response<()>, Failure> {
        let target = Target::parse(url, self.policy).map_err(|_| Failure::RefusedAddress)?;
        let request = request(&target, message).map_err(|_| Failure::RefusedAddress)?;
        let stream = self.connect(&target).await?;
        if !target.is_https() {
            return converse(stream, request).await;
        }
        let name = ServerName::try_from(target.host().to_owned()).map_err(|_| Failure::Tls)?;
        let connector = TlsConnector::from(self.tls().ok_or(Failure::Tls)?);
        let stream = connector.connect(name, stream).await.map_err(|_| Failure::Tls)?;
        converse(stream, request).await
    }

    /// Connects to the first of the target's addresses that may be connected to and can be.
    async fn connect(&self, target: &Target) -> Result<TcpStream, Failure> {
        let addresses = match target.literal() {
            Some(address) => vec![address],
            None => self.network.resolve(target.host()).await.map_err(|_| Failure::Resolve)?,
        };
        if addresses.is_empty() {
            return Err(Failure::Resolve);
        }
        let mut failure = Failure::RefusedAddress;
        let allowed = addresses.into_iter().filter(|address| self.policy.allows(*address));
        for address in allowed.take(MOST_ADDRESSES) {
            let connecting = self.network.connect(SocketAddr::new(address, target.port()));
            match tokio::time::timeout(CONNECT, connecting).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(_)) | Err(_) => failure = Failure::Connect,
            }
        }
        Err(failure)
    }

    fn tls(&self) -> Option<Arc<ClientConfig>> {
        if let Some(config) = self.tls.get() {
            return Some(Arc::clone(config));
        }
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let config = trusting(roots)?;
        Some(Arc::clone(self.tls.get_or_init(|| config)))
    }
}

fn trusting(roots: RootCertStore) -> Option<Arc<ClientConfig>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
    Some(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}

fn request(target: &Target, message: &Message) -> hyper::http::Result<Request<Full<Bytes>>> {
    Request::post(target.path())
        .header(header::HOST, target.authority())
        .header(header::USER_AGENT, AGENT)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::CONNECTION, "close")
        .header(ID, &message.id)
        .header(TIMESTAMP, message.timestamp)
        .header(SIGNATURE, &message.signature)
        .body(Full::from(message.body.clone()))
}

/// Sends a request and waits for the answer's head.
async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
) -> Result<Response<()>, Failure> {
    let mut builder = http1::Builder::new();
    builder.max_buf_size(LONGEST_HEAD);
    let (mut requests, connection) =
        builder.handshake(TokioIo::new(stream)).await.map_err(|_| Failure::Protocol)?;
    let exchange = async {
        let answer = requests.send_request(request).await.map_err(|_| Failure::Protocol)?;
        let (head, body) = answer.into_parts();
        // What is answered counts, whether or not it ends.
        let _ = tokio::time::timeout(BODY, drain(body)).await;
        Ok(Response::from_parts(head, ()))
    };
    // The connection does the work of both; when it ends, the exchange learns of it.
    match select(pin!(exchange), pin!(connection)).await {
        Either::Left((answer, _)) => answer,
        Either::Right((_, exchange)) => exchange.await,
    }
}

async fn drain(mut body: Incoming) {
    let mut read = 0;
    while let Some(Ok(frame)) = body.frame().await {
        read += frame.data_ref().map_or(0, Bytes::len);
        if read > LONGEST_BODY {
            return;
        }
    }
}

fn outcome(answer: &Response<()>) -> Outcome {
    let status = answer.status();
    let failure = match status.as_u16() {
        200..=299 => None,
        300..=399 => Some(Failure::Redirect),
        _ => Some(Failure::Status),
    };
    let asked = answer.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    Outcome {
        status: Some(status.as_u16()),
        failure,
        retry_after: asked.map(str::to_owned),
        took: Duration::ZERO,
    }
}

#[cfg(test)]
mod tests;
