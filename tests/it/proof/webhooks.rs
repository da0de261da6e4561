//! No event is lost on its way to a receiver: not when servers are killed, not when the database's connections are cut.
//! What comes twice has the same id.

use super::client::{Client, Post};
use super::database::Database;
use super::on_both;
use super::process::Kauri;
use super::proxy::Proxy;
use crate::webhooks::receiver::{Answer, Heard, OK, Receiver, within};
use serde_json::json;
use std::collections::BTreeMap;
use std::net::SocketAddr;

const LOOPBACK: &[&str] = &["--webhook-allow-loopback"];

async fn endpoint(client: &Client, server: SocketAddr, receiver: &Receiver) -> String {
    let made = client.post(server, &Post::new("/webhooks", &json!({"url": receiver.url()}))).await.unwrap();
    made.expect(201).location.unwrap()
}

/// Games, each with its first move made; retried until it is.
async fn games(client: &Client, server: SocketAddr, count: usize) -> Vec<String> {
    let mut games = Vec::new();
    for number in 0..count {
        let game = Post::new("/games", &json!({"rules": "kauri"})).keyed(format!("{server}-{number}"));
        let game = insist(client, server, &game).await.expect("a game has a place");
        insist(client, server, &Post::new(format!("{game}/moves"), &json!({"move": "a"})).keyed(&game)).await;
        games.push(game);
    }
    games
}

/// Posts until it is answered as it should be; the place of what was made.
async fn insist(client: &Client, server: SocketAddr, post: &Post) -> Option<String> {
    within("a post to be taken", async {
        loop {
            match client.post(server, post).await {
                Ok(reply) if reply.status == 201 => return reply.location,
                Ok(reply) => assert_eq!(reply.status, 503, "{reply:?}"),
                Err(_) => {}
            }
        }
    })
    .await
}

/// Fails unless each game's two events came, in their order, and each under one id; how many came again.
fn complete(heard: &[Heard], games: &[String]) -> usize {
    let mut ids: BTreeMap<(String, i64), String> = BTreeMap::new();
    let mut last: BTreeMap<String, i64> = BTreeMap::new();
    for post in heard {
        let id = ids.entry((post.game(), post.number())).or_insert_with(|| post.id().to_owned());
        assert_eq!(id, post.id());
        let last = last.entry(post.game()).or_default();
        assert!(*last <= post.number(), "the order within a game");
        *last = post.number();
    }
    assert_eq!(ids.len(), 2 * games.len());
    for game in games {
        let id = game.rsplit('/').next().unwrap().to_owned();
        assert!(ids.contains_key(&(id.clone(), 1)) && ids.contains_key(&(id, 2)), "{game}");
    }
    heard.len() - ids.len()
}

fn seen(heard: &[Heard]) -> usize {
    let mut all: Vec<_> = heard.iter().map(Heard::id).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// Killed when events were taken up for the endpoint and none was delivered, and then again and again while they are.
async fn a_killed_server_loses_no_event(database: Database) {
    let (client, receiver) = (Client::new(), Receiver::start(|_| Answer::Never).await);
    let server = Kauri::start(database.url(), LOOPBACK).await;
    endpoint(&client, server.address(), &receiver).await;
    let mut all = games(&client, server.address(), 6).await;
    receiver.heard(6).await;
    server.killer()();
    assert_eq!(database.count("webhook_deliveries WHERE status = 'delivered'").await, 0);
    for kills in 1..=2 {
        let server = Kauri::start(database.url(), LOOPBACK).await;
        all.extend(games(&client, server.address(), 4).await);
        let before = receiver.so_far().len();
        receiver.answer(|_| OK);
        receiver.heard(before + 3 * kills).await;
        server.killer()();
    }
    let server = Kauri::start(database.url(), LOOPBACK).await;
    all.extend(games(&client, server.address(), 1).await);
    let heard = receiver.until("all events", |heard| seen(heard) == 2 * all.len()).await;
    eprintln!(
        "killed: {} events of {} games, {} posts came again",
        heard.len(),
        all.len(),
        complete(&heard, &all)
    );
    drop(server);
}

/// What is being posted when a server is asked to stop is finished and written down: nothing comes again.
async fn a_stop_finishes_what_is_being_posted(database: Database) {
    let (client, receiver) = (Client::new(), Receiver::start(|_| Answer::Gate).await);
    let server = Kauri::start(database.url(), LOOPBACK).await;
    endpoint(&client, server.address(), &receiver).await;
    let all = games(&client, server.address(), 3).await;
    receiver.heard(3).await;
    server.terminate();
    receiver.open_gate();
    assert!(server.ended().await.success());
    let delivered = database.count("webhook_deliveries WHERE status = 'delivered'").await;
    assert!((3..=6).contains(&delivered), "{delivered}");
    let server = Kauri::start(database.url(), LOOPBACK).await;
    let heard = receiver.heard(6).await;
    assert_eq!(complete(&heard, &all), 0, "nothing comes again");
    drop(server);
}

/// Receivers that never answer, and endpoints that are deleted meanwhile, leave no connection behind.
async fn no_connection_is_left_behind(database: Database) {
    let (client, receiver) = (Client::new(), Receiver::start(|_| Answer::Never).await);
    let server = Kauri::start(database.url(), LOOPBACK).await;
    let mut endpoints = Vec::new();
    for _ in 0..5 {
        endpoints.push(endpoint(&client, server.address(), &receiver).await);
    }
    games(&client, server.address(), 4).await;
    receiver.heard(20).await;
    assert_eq!(connections_to(receiver.address), 20);
    for endpoint in endpoints {
        client.delete(server.address(), &endpoint).await.expect(204);
    }
    let address = receiver.address;
    drop(receiver);
    within("connections to end", async {
        while connections_to(address) > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// How many sockets of this host have this peer, those that only wait for stray packets aside.
fn connections_to(peer: SocketAddr) -> usize {
    let peer = format!("0100007F:{:04X}", peer.port());
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let fields = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    fields.filter(|fields| fields.get(2) == Some(&peer.as_str()) && fields[3] != "06").count()
}

on_both!(a_killed_server_loses_no_event, a_stop_finishes_what_is_being_posted, no_connection_is_left_behind);

#[tokio::test]
async fn cut_connections_to_postgres_lose_no_event() {
    let database = Database::postgres().await;
    let proxy = Proxy::to(database.server()).await;
    let server = Kauri::start(&database.by_way_of(proxy.address()), LOOPBACK).await;
    let (client, receiver) = (Client::new(), Receiver::ok().await);
    endpoint(&client, server.address(), &receiver).await;
    let mut all = Vec::new();
    for cuts in 1..=5 {
        let heard = receiver.so_far().len();
        let more = Post::new("/games", &json!({"rules": "kauri"})).keyed(format!("cut-{cuts}"));
        let game = insist(&client, server.address(), &more).await.unwrap();
        proxy.cut();
        insist(
            &client,
            server.address(),
            &Post::new(format!("{game}/moves"), &json!({"move": "a"})).keyed(&game),
        )
        .await;
        all.push(game);
        receiver.heard(heard + 1).await;
        proxy.cut();
    }
    let heard = receiver.until("all events", |heard| seen(heard) == 2 * all.len()).await;
    eprintln!("cut: {} games, {} posts came again", all.len(), complete(&heard, &all));
}

#[tokio::test]
async fn two_servers_share_the_work() {
    let database = Database::postgres().await;
    let (client, receiver) = (Client::new(), Receiver::ok().await);
    let one = Kauri::start(database.url(), LOOPBACK).await;
    let two = Kauri::start(database.url(), LOOPBACK).await;
    endpoint(&client, one.address(), &receiver).await;
    let (first, second) = tokio::join!(games(&client, one.address(), 15), games(&client, two.address(), 15));
    let all = [first, second].concat();
    let heard = receiver.until("all events", |heard| seen(heard) == 2 * all.len()).await;
    eprintln!("shared: {} games, {} posts came again", all.len(), complete(&heard, &all));
}
