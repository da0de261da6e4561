//! A server that is asked to stop finishes the requests in flight.

use super::client::{Client, Post};
use super::database::Database;
use super::process::Kauri;
use super::proxy::Proxy;
use super::{on_both, within};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Moves in flight.
const IN_FLIGHT: usize = 8;

/// A move whose head the server has read, and whose body it waits for.
struct Begun {
    stream: TcpStream,
    body: String,
}

impl Begun {
    async fn on(server: &Kauri, game: &str) -> Self {
        let body = json!({"move": "a", "expected_version": 0}).to_string();
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        let head = format!(
            "POST {game}/moves HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nexpect: 100-continue\r\n\r\n",
            server.address(),
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = [0; 25];
        within("the server to go on", stream.read_exact(&mut answer)).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
        Self { stream, body }
    }

    /// Sends the body; the status.
    async fn finish(mut self) -> String {
        self.stream.write_all(self.body.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        within("an answer", self.stream.read_exact(&mut status)).await.unwrap();
        String::from_utf8(status.to_vec()).unwrap()
    }
}

async fn requests_in_flight_finish(database: Database) {
    let server = Kauri::on(&database).await;
    let client = Client::new();
    let mut begun = Vec::new();
    for _ in 0..IN_FLIGHT {
        let game = client.create_kauri(server.address()).await;
        begun.push(Begun::on(&server, &game).await);
    }
    // The client's idle connection must not keep the server from stopping.
    server.terminate();
    deaf(&server).await;
    for request in begun {
        assert_eq!(request.finish().await, "HTTP/1.1 201");
    }
    assert!(server.ended().await.success());
    assert_eq!(database.count("steps").await, i64::try_from(IN_FLIGHT).unwrap());
}

/// Waits until a server takes no more connections.
async fn deaf(server: &Kauri) {
    let listens = async || TcpStream::connect(server.address()).await.is_ok();
    within("the server to stop listening", async { while listens().await {} }).await;
}

/// What is in flight is a statement, held on its way to the database.
#[tokio::test]
async fn a_statement_in_flight_finishes() {
    let database = Database::postgres().await;
    let proxy = Proxy::to(database.server()).await;
    let server = Kauri::start(&database.by_way_of(proxy.address()), &[]).await;
    let client = Client::new();
    let game = client.create_kauri(server.address()).await;
    let post = Post::new(format!("{game}/moves"), &json!({"move": "a"}));
    proxy.stall();
    let (posting, address) = (client.clone(), server.address());
    let reply = tokio::spawn(async move { posting.post(address, &post).await });
    proxy.holds(1).await;
    server.terminate();
    deaf(&server).await;
    proxy.release();
    within("the answer", reply).await.unwrap().unwrap().expect(201);
    assert!(server.ended().await.success());
    assert_eq!(database.count("steps").await, 1);
}

on_both!(requests_in_flight_finish);
