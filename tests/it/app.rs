//! The harness: a real server inside the test process, a client with verbs, and replies held against the spec.

mod conformance;
mod database;
mod reply;
mod stream;

pub(crate) use conformance::{SPEC, is_json};
pub(crate) use database::Database;
pub(crate) use reply::Reply;

use clap::Parser;
use kauri::config::{Cli, Command, Serve};
use kauri::context::{Context, SystemWorld, World};
use kauri::server::Application;
use reqwest::Method;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// Runs each test on SQLite and on Postgres: on a `TestApp`, or on a `Database` alone.
macro_rules! on_both_databases {
    ($($(#[$meta:meta])* async fn $name:ident($given:ident: $kind:ident) $body:block)*) => {$(
        $(#[$meta])*
        mod $name {
            use super::*;

            async fn test($given: $kind) $body

            #[tokio::test]
            async fn sqlite() {
                test($kind::sqlite().await).await;
            }

            #[tokio::test]
            async fn postgres() {
                test($kind::postgres().await).await;
            }
        }
    )*};
}
pub(crate) use on_both_databases;

/// A running service with a database of its own.
pub(crate) struct TestApp {
    pub(crate) address: SocketAddr,
    /// What the handlers are given.
    pub(crate) context: Context,
    client: reqwest::Client,
    stop: Option<oneshot::Sender<()>>,
    server: Option<JoinHandle<()>>,
    pub(crate) database: Database,
}

impl TestApp {
    pub(crate) async fn sqlite() -> Self {
        Self::start(Database::sqlite().await, |_| {}, Arc::new(SystemWorld))
    }

    pub(crate) async fn postgres() -> Self {
        Self::start(Database::postgres().await, |_| {}, Arc::new(SystemWorld))
    }

    /// On SQLite, with another configuration than the usual one.
    pub(crate) async fn with(change: impl FnOnce(&mut Serve)) -> Self {
        Self::start(Database::sqlite().await, change, Arc::new(SystemWorld))
    }

    /// Starts a service; returns when it listens.
    pub(crate) fn start(database: Database, change: impl FnOnce(&mut Serve), world: Arc<dyn World>) -> Self {
        let mut config = serve();
        config.database = database.config();
        change(&mut config);
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let server = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let stopped = async { drop(stopped.await) };
                let application = Application::bind(&config, world, stopped).await.unwrap();
                tell.send((application.address(), application.context().clone())).unwrap();
                application.run().await.unwrap();
            });
        });
        let (address, context) = told.recv().expect("the service starts");
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self { address, context, client, stop: Some(stop), server: Some(server), database }
    }

    /// The same world and database on connections of the test's own: those of the service belong to its thread, and
    /// one that is given back while the test waits for that thread would never arrive.
    pub(crate) async fn beside(&self) -> Context {
        Context { store: self.database.store().await, ..self.context.clone() }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.get_with(path, &[]).await
    }

    pub(crate) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.send(Method::GET, path, headers, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_with(path, body, &[]).await
    }

    pub(crate) async fn post_with(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Reply {
        let headers = [headers, &[("content-type", "application/json")]].concat();
        self.send(Method::POST, path, &headers, Some(body.to_string().into_bytes())).await
    }

    pub(crate) async fn post_nothing(&self, path: &str) -> Reply {
        self.send(Method::POST, path, &[], None).await
    }

    /// Sends these very bytes as JSON.
    pub(crate) async fn post_bytes(&self, path: &str, body: impl Into<Vec<u8>>) -> Reply {
        self.send(Method::POST, path, &[("content-type", "application/json")], Some(body.into())).await
    }

    /// Sends a request. The answer must be one that the spec documents, or the test fails here.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> Reply {
        let mut request = self.client.request(method.clone(), format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        let reply = Reply::read(request.send().await.unwrap()).await;
        SPEC.check(&method, path, &reply);
        reply
    }

    /// Opens a bare connection and sends these bytes on it.
    pub(crate) fn connect(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    }

    /// Sends these bytes on a bare connection; whatever comes back until the service closes it.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect(bytes);
        let reading = tokio::task::spawn_blocking(move || {
            let mut answer = Vec::new();
            // A reset after the answer loses nothing of it.
            let _ = stream.read_to_end(&mut answer);
            String::from_utf8_lossy(&answer).into_owned()
        });
        reading.await.unwrap()
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(server) = self.server.take() {
            // A panic of the server has been printed; a second one here would hide the test's own.
            let _ = server.join();
        }
    }
}

/// The usual configuration, on one worker and a free port.
fn serve() -> Serve {
    let line = ["kauri", "serve", "--listen", "127.0.0.1:0", "--workers", "1", "--shutdown-timeout", "1"];
    match Cli::parse_from(line).command {
        Command::Serve(config) => *config,
        _ => unreachable!("the line says serve"),
    }
}
