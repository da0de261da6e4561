//! A portal's receiver: hears what is posted, answers as it is told to, and checks signatures by itself.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Longest time that anything here may take.
const PATIENCE: Duration = Duration::from_secs(40);

/// Waits for something that must happen, but not forever.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    let Ok(value) = tokio::time::timeout(PATIENCE, future).await else { panic!("waited in vain: {what}") };
    value
}

/// What was posted once.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) text: String,
}

impl Heard {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    pub(crate) fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }

    pub(crate) fn number(&self) -> i64 {
        self.json()["data"]["number"].as_i64().unwrap()
    }

    pub(crate) fn game(&self) -> String {
        self.json()["data"]["game_id"].as_str().unwrap().to_owned()
    }

    /// How many of the signatures are by this secret.
    pub(crate) fn signed_by(&self, secret: &str) -> usize {
        let key = BASE64.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{}.{}.{}", self.id(), self.headers["webhook-timestamp"], self.text).as_bytes());
        let expected = format!("v1,{}", BASE64.encode(mac.finalize().into_bytes()));
        self.headers["webhook-signature"].split(' ').filter(|signature| *signature == expected).count()
    }
}

/// How a post is answered.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// With this status line and these headers, each with its line end.
    Status(&'static str, &'static str),
    /// Never.
    Never,
    /// With 200, when the gate is opened.
    Gate,
}

pub(crate) const OK: Answer = Answer::Status("200 OK", "");
pub(crate) const BROKEN: Answer = Answer::Status("500 Internal Server Error", "");

type Rule = dyn Fn(&Heard) -> Answer + Send + Sync;

#[derive(Clone)]
struct Shared {
    rule: Arc<Mutex<Box<Rule>>>,
    heard: Arc<watch::Sender<Vec<Heard>>>,
    gate: Arc<watch::Sender<bool>>,
}

/// A receiver; gone with all its connections when dropped.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    shared: Shared,
    _serving: JoinSet<()>,
}

impl Receiver {
    pub(crate) async fn start(rule: impl Fn(&Heard) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Shared {
            rule: Arc::new(Mutex::new(Box::new(rule))),
            heard: Arc::new(watch::Sender::new(Vec::new())),
            gate: Arc::new(watch::Sender::new(false)),
        };
        let mut serving = JoinSet::new();
        let all = shared.clone();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(serve(stream, all.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, shared, _serving: serving }
    }

    pub(crate) async fn ok() -> Self {
        Self::start(|_| OK).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Answers otherwise from now on.
    pub(crate) fn answer(&self, rule: impl Fn(&Heard) -> Answer + Send + Sync + 'static) {
        *self.shared.rule.lock().unwrap() = Box::new(rule);
    }

    pub(crate) fn open_gate(&self) {
        self.shared.gate.send_replace(true);
    }

    /// All that was posted so far.
    pub(crate) fn so_far(&self) -> Vec<Heard> {
        self.shared.heard.borrow().clone()
    }

    /// Waits until so much was posted; all of it.
    pub(crate) async fn heard(&self, count: usize) -> Vec<Heard> {
        self.until(&format!("{count} posts"), |heard| heard.len() >= count).await
    }

    /// Waits until what was posted is as wanted; all of it.
    pub(crate) async fn until(&self, what: &str, wanted: impl Fn(&[Heard]) -> bool) -> Vec<Heard> {
        let mut heard = self.shared.heard.subscribe();
        within(what, heard.wait_for(|heard| wanted(heard))).await.unwrap().clone()
    }
}

async fn serve(stream: TcpStream, shared: Shared) {
    let mut stream = BufReader::new(stream);
    // A sender that goes away, as a killed one does, was not heard.
    let Some(heard) = read(&mut stream).await else { return };
    let answer = shared.rule.lock().unwrap()(&heard);
    shared.heard.send_modify(|all| all.push(heard));
    let (status, headers) = match answer {
        Answer::Status(status, headers) => (status, headers),
        Answer::Never => std::future::pending().await,
        Answer::Gate => {
            let mut gate = shared.gate.subscribe();
            gate.wait_for(|open| *open).await.unwrap();
            ("200 OK", "")
        }
    };
    let answer = format!("HTTP/1.1 {status}\r\n{headers}content-length: 0\r\nconnection: close\r\n\r\n");
    // Whether anyone still waits for it is theirs to know.
    let _ = stream.get_mut().write_all(answer.as_bytes()).await;
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Heard> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let path = line.strip_prefix("POST ")?.split(' ').next()?.to_owned();
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    stream.read_exact(&mut body).await.ok()?;
    Some(Heard { path, headers, text: String::from_utf8(body).ok()? })
}
