//! A portal's client, and a careless one that hangs up.

use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request that changes something.
#[derive(Clone, Debug)]
pub(super) struct Post {
    pub(super) path: String,
    pub(super) body: String,
    pub(super) key: Option<String>,
    pub(super) if_match: Option<String>,
    pub(super) bearer: Option<String>,
}

/// What came back, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: String,
    pub(super) etag: Option<String>,
    pub(super) location: Option<String>,
    pub(super) retry_after: Option<String>,
    pub(super) replayed: bool,
}

/// Nothing came back, or not all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lost;

/// When a careless client hangs up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HangUp {
    /// Once the request is sent.
    AfterSending,
    /// Once the answer begins: the request has had its effect.
    AfterFirstByte,
}

impl Post {
    pub(super) fn new(path: impl Into<String>, body: &Value) -> Self {
        Self { path: path.into(), body: body.to_string(), key: None, if_match: None, bearer: None }
    }

    pub(super) fn keyed(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    pub(super) fn if_match(mut self, tag: impl Into<String>) -> Self {
        self.if_match = Some(tag.into());
        self
    }

    pub(super) fn by(mut self, bearer: &str) -> Self {
        self.bearer = Some(bearer.to_owned());
        self
    }

    /// Sends the request and hangs up.
    pub(super) async fn send_and(&self, hang_up: HangUp, address: SocketAddr) {
        let optional = |name: &str, value: Option<String>| {
            value.map(|value| format!("{name}: {value}\r\n")).unwrap_or_default()
        };
        let request = format!(
            "POST {} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{}{}{}\r\n{}",
            self.path,
            self.body.len(),
            optional("idempotency-key", self.key.clone()),
            optional("if-match", self.if_match.clone()),
            optional("authorization", self.bearer.as_ref().map(|bearer| format!("Bearer {bearer}"))),
            self.body
        );
        // A server that is gone meanwhile loses the reply no less.
        let Ok(mut stream) = TcpStream::connect(address).await else { return };
        if stream.write_all(request.as_bytes()).await.is_ok() && hang_up == HangUp::AfterFirstByte {
            let _ = stream.read(&mut [0]).await;
        }
    }
}

impl Reply {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The code of a problem.
    pub(super) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// The version named in the body.
    pub(super) fn version(&self) -> Option<i64> {
        self.json()["version"].as_i64()
    }

    /// Demands a status.
    #[track_caller]
    pub(super) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}

/// A client that minds its manners.
#[derive(Clone, Debug)]
pub(super) struct Client(reqwest::Client);

impl Client {
    pub(super) fn new() -> Self {
        Self(reqwest::Client::builder().no_proxy().timeout(super::PATIENCE).build().unwrap())
    }

    pub(super) async fn post(&self, address: SocketAddr, post: &Post) -> Result<Reply, Lost> {
        let mut request = self
            .0
            .post(format!("http://{address}{}", post.path))
            .header("content-type", "application/json")
            .body(post.body.clone());
        if let Some(key) = &post.key {
            request = request.header("idempotency-key", key);
        }
        if let Some(tag) = &post.if_match {
            request = request.header("if-match", tag);
        }
        if let Some(bearer) = &post.bearer {
            request = request.bearer_auth(bearer);
        }
        reply(request).await
    }

    pub(super) async fn get(
        &self,
        address: SocketAddr,
        path: &str,
        bearer: Option<&str>,
    ) -> Result<Reply, Lost> {
        let mut request = self.0.get(format!("http://{address}{path}"));
        if let Some(bearer) = bearer {
            request = request.bearer_auth(bearer);
        }
        reply(request).await
    }

    pub(super) async fn delete(&self, address: SocketAddr, path: &str) -> Reply {
        reply(self.0.delete(format!("http://{address}{path}"))).await.unwrap()
    }

    /// Creates a game and gives its path; anyone may on an open service.
    pub(super) async fn create(&self, address: SocketAddr, game: &Value) -> String {
        let created = self.post(address, &Post::new("/games", game)).await.unwrap().expect(201);
        created.location.unwrap()
    }

    /// Creates a game of Kauri and gives its path.
    pub(super) async fn create_kauri(&self, address: SocketAddr) -> String {
        self.create(address, &json!({"rules": "kauri"})).await
    }

    /// A game as it is now.
    pub(super) async fn game(&self, address: SocketAddr, game: &str) -> Value {
        self.get(address, game, None).await.unwrap().expect(200).json()
    }

    /// A game's whole log, page by page.
    pub(super) async fn log(&self, address: SocketAddr, game: &str, bearer: Option<&str>) -> Vec<Value> {
        let mut log = Vec::new();
        let mut after = Some(0);
        while let Some(ply) = after {
            let path = format!("{game}/moves?after={ply}&limit=500");
            let page = self.get(address, &path, bearer).await.unwrap().expect(200).json();
            log.extend(page["items"].as_array().unwrap().iter().cloned());
            after = page["next"].as_i64();
        }
        log
    }
}

async fn reply(request: reqwest::RequestBuilder) -> Result<Reply, Lost> {
    let response = request.send().await.map_err(|_| Lost)?;
    let status = response.status().as_u16();
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    let (etag, location, retry_after) = (header("etag"), header("location"), header("retry-after"));
    let replayed = header("idempotency-replayed").is_some();
    let body = response.text().await.map_err(|_| Lost)?;
    Ok(Reply { status, body, etag, location, retry_after, replayed })
}
