//! What the service has thrown stays thrown.

use super::client::{Client, HangUp, Post, Reply};
use super::database::Database;
use super::on_both;
use super::process::Kauri;
use serde_json::{Value, json};
use std::net::SocketAddr;

/// Throws made in one game; each must survive everything.
const THROWS: usize = 12;

async fn new_game(client: &Client, server: &Kauri) -> String {
    client.create(server.address(), &json!({"rules": "ashta-kashte"})).await
}

/// Makes moves until shells are to be thrown; the version then.
async fn until_a_throw(client: &Client, server: SocketAddr, game: &str) -> i64 {
    loop {
        let now = client.game(server, game).await;
        if now["position"]["phase"] == "throw" {
            return now["version"].as_i64().unwrap();
        }
        let body = json!({"move": now["position"]["legal_moves"][0], "expected_version": now["version"]});
        client.post(server, &Post::new(format!("{game}/moves"), &body)).await.unwrap().expect(201);
    }
}

fn throw(game: &str, version: i64) -> Post {
    Post::new(format!("{game}/moves"), &json!({"move": "throw", "expected_version": version}))
}

/// The step as the log has it.
async fn logged(client: &Client, server: SocketAddr, game: &str, ply: i64) -> Value {
    client.get(server, &format!("{game}/moves/{ply}"), None).await.unwrap().expect(200).json()
}

async fn a_retry_or_a_reload_never_throws_again(database: Database) {
    let server = Kauri::on(&database).await;
    let client = Client::new();
    let game = new_game(&client, &server).await;
    let mut thrown: Vec<(Post, Reply)> = Vec::new();
    for count in 0..THROWS {
        let version = until_a_throw(&client, server.address(), &game).await;
        let mut post = throw(&game, version);
        if count % 2 == 0 {
            post = post.keyed(format!("throw {count}"));
        }
        post.send_and(HangUp::AfterFirstByte, server.address()).await;
        let value = logged(&client, server.address(), &game, version + 1).await;
        let retry = client.post(server.address(), &post).await.unwrap();
        assert_eq!(retry.json()["step"], value);
        thrown.push((post, retry));
    }
    drop(server);
    let server = Kauri::on(&database).await;
    for (post, said) in &thrown {
        let again = client.post(server.address(), post).await.unwrap();
        assert_eq!(&again, said);
        let step = &said.json()["step"];
        let ply = step["ply"].as_i64().unwrap();
        assert_eq!(&logged(&client, server.address(), &game, ply).await, step);
    }
}

async fn parallel_throws_are_one(database: Database) {
    let server = Kauri::on(&database).await;
    let client = Client::new();
    let game = new_game(&client, &server).await;
    for _ in 0..THROWS {
        let version = until_a_throw(&client, server.address(), &game).await;
        let posting: Vec<_> = (0..20)
            .map(|index| {
                let (client, server) = (client.clone(), server.address());
                let post = throw(&game, version);
                let post = if index % 2 == 0 { post.keyed(format!("throw {version}")) } else { post };
                tokio::spawn(async move { client.post(server, &post).await.unwrap() })
            })
            .collect();
        let value = {
            let mut bodies = Vec::new();
            for reply in posting {
                bodies.push(reply.await.unwrap().body);
            }
            bodies.dedup();
            assert_eq!(bodies.len(), 1, "one value was told to all");
            let body: Value = serde_json::from_str(&bodies[0]).unwrap();
            body["step"].clone()
        };
        assert_eq!(logged(&client, server.address(), &game, version + 1).await, value);
        assert!(value["move"].as_str().unwrap().starts_with("throw:"), "{value}");
    }
}

/// Who may not say how the shells fell can't throw them again by any other way either.
async fn nobody_else_throws(database: Database) {
    let server = Kauri::on(&database).await;
    let client = Client::new();
    let game = new_game(&client, &server).await;
    let moves = format!("{game}/moves");
    let stated = Post::new(&moves, &json!({"move": "throw:8"}));
    let refused = client.post(server.address(), &stated).await.unwrap().expect(422);
    assert_eq!(refused.code(), "illegal_move");
    let said = client.post(server.address(), &throw(&game, 0)).await.unwrap().expect(201);
    // The value that fell is no request's: stating it is not a repeat of the throw.
    let value = said.json()["step"]["move"].clone();
    let stated = Post::new(&moves, &json!({"move": value, "expected_version": 0}));
    let refused = client.post(server.address(), &stated).await.unwrap().expect(409);
    assert_eq!(refused.code(), "version_conflict");
    assert_eq!(database.count("steps").await, 1);
}

on_both!(a_retry_or_a_reload_never_throws_again, parallel_throws_are_one, nobody_else_throws);
