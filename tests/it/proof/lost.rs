//! A reply that is lost after its request took effect: the retry is answered as the first time.

use super::client::{Client, HangUp, Post};
use super::database::Database;
use super::on_both;
use super::process::Kauri;
use serde_json::{Value, json};

/// A server, and a game of Kauri there.
async fn table(database: &Database) -> (Kauri, Client, String) {
    let server = Kauri::on(database).await;
    let client = Client::new();
    let game = client.create_kauri(server.address()).await;
    (server, client, game)
}

/// Posts, loses the reply, and retries twice, once on a server started anew. Gives what the retries say.
async fn retried(database: &Database, server: Kauri, post: &Post, status: u16) -> Value {
    let client = Client::new();
    post.send_and(HangUp::AfterFirstByte, server.address()).await;
    let retry = client.post(server.address(), post).await.unwrap().expect(status);
    assert!(retry.replayed);
    drop(server);
    let server = Kauri::on(database).await;
    assert_eq!(client.post(server.address(), post).await.unwrap(), retry);
    retry.json()
}

async fn a_move_with_a_key(database: Database) {
    let (server, _, game) = table(&database).await;
    let post = Post::new(format!("{game}/moves"), &json!({"move": "a"})).keyed("k");
    let body = retried(&database, server, &post, 201).await;
    assert_eq!((&body["step"]["move"], &body["version"]), (&json!("a"), &json!(1)));
    assert_eq!(database.count("steps").await, 1);
}

async fn a_move_on_a_version(database: Database) {
    let (server, _, game) = table(&database).await;
    let post = Post::new(format!("{game}/moves"), &json!({"move": "a", "expected_version": 0}));
    let body = retried(&database, server, &post, 200).await;
    assert_eq!((&body["step"]["move"], &body["version"]), (&json!("a"), &json!(1)));
    assert_eq!(database.count("steps").await, 1);
}

/// The game goes on before the retry comes: the answer is still that of the first time.
async fn a_move_that_others_followed(database: Database) {
    let (server, client, game) = table(&database).await;
    let first = Post::new(format!("{game}/moves"), &json!({"move": "a", "expected_version": 0}));
    let said = client.post(server.address(), &first).await.unwrap().expect(201);
    for version in 1..6 {
        let position = &client.game(server.address(), &game).await["position"];
        let next = json!({"move": position["legal_moves"][0], "expected_version": version});
        let next = Post::new(format!("{game}/moves"), &next);
        client.post(server.address(), &next).await.unwrap().expect(201);
    }
    let resignation = Post::new(format!("{game}/resignation"), &json!({"seat": "north"}));
    client.post(server.address(), &resignation).await.unwrap().expect(200);
    let again = client.post(server.address(), &first).await.unwrap().expect(200);
    assert_eq!((&again.body, &again.etag, again.replayed), (&said.body, &said.etag, true));
}

async fn a_creation_with_a_key(database: Database) {
    let server = Kauri::on(&database).await;
    let client = Client::new();
    let post = Post::new("/games", &json!({"rules": "ashta-kashte"})).keyed("k");
    let game = retried(&database, server, &post, 201).await;
    assert_eq!(database.count("games").await, 1);
    // The tokens that only the retry told are the ones that count.
    let server = Kauri::on(&database).await;
    let path = format!("/games/{}", game["id"].as_str().unwrap());
    for held in game["seat_tokens"].as_array().unwrap() {
        client.get(server.address(), &path, held["token"].as_str()).await.unwrap().expect(200);
    }
}

async fn a_creation_under_a_reference(database: Database) {
    let server = Kauri::on(&database).await;
    let post = Post::new("/games", &json!({"rules": "kauri", "external_ref": "table 7"}));
    post.send_and(HangUp::AfterFirstByte, server.address()).await;
    let client = Client::new();
    let retry = client.post(server.address(), &post).await.unwrap().expect(200);
    assert_eq!(retry.json()["external_ref"], "table 7");
    assert_eq!(database.count("games").await, 1);
}

async fn a_resignation(database: Database) {
    let (server, _, game) = table(&database).await;
    let post = Post::new(format!("{game}/resignation"), &json!({"seat": "north"})).keyed("k");
    let body = retried(&database, server, &post, 200).await;
    assert_eq!(body["position"]["result"]["winner"], "south");
}

async fn a_resignation_on_a_version(database: Database) {
    let (server, _, game) = table(&database).await;
    let body = json!({"seat": "north", "expected_version": 0});
    let body = retried(&database, server, &Post::new(format!("{game}/resignation"), &body), 200).await;
    assert_eq!(body["position"]["result"]["winner"], "south");
}

on_both!(
    a_move_with_a_key,
    a_move_on_a_version,
    a_move_that_others_followed,
    a_creation_with_a_key,
    a_creation_under_a_reference,
    a_resignation,
    a_resignation_on_a_version,
);
