//! A database that goes away and comes back, that stalls, that vanishes without a word.

use super::client::{Client, Post, Reply};
use super::database::Database;
use super::process::Kauri;
use super::proxy::Proxy;
use super::within;
use serde_json::json;
use sqlx::Connection;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Longest time a refusal may take: the pool's three seconds, and some for a busy machine.
const REFUSED_WITHIN: Duration = Duration::from_secs(8);

struct Service {
    database: Database,
    proxy: Proxy,
    server: Kauri,
    client: Client,
}

impl Service {
    async fn new(options: &[&str]) -> Self {
        let database = Database::postgres().await;
        let proxy = Proxy::to(database.server()).await;
        let server = Kauri::start(&database.by_way_of(proxy.address()), options).await;
        Self { database, proxy, server, client: Client::new() }
    }

    fn address(&self) -> SocketAddr {
        self.server.address()
    }

    async fn games(&self, count: usize) -> Vec<String> {
        let mut games = Vec::new();
        for _ in 0..count {
            games.push(self.client.create_kauri(self.address()).await);
        }
        games
    }

    /// Posts at once; the replies, and how long the slowest took.
    async fn burst(&self, posts: &[Post]) -> (Vec<Reply>, Duration) {
        let began = Instant::now();
        let mut posting = JoinSet::new();
        for post in posts {
            let (client, server, post) = (self.client.clone(), self.address(), post.clone());
            posting.spawn(async move { client.post(server, &post).await.unwrap() });
        }
        let replies = within("a burst of posts", posting.join_all()).await;
        (replies, began.elapsed())
    }

    /// What needs no database is answered, and what asks after it is told.
    async fn answers_without_a_database(&self) {
        let initial = Post::new("/rules/kauri/initial", &json!({}));
        self.client.post(self.address(), &initial).await.unwrap().expect(200);
        self.client.get(self.address(), "/healthz", None).await.unwrap().expect(200);
        let ready = self.client.get(self.address(), "/readyz", None).await.unwrap();
        assert_unavailable(&ready);
    }

    /// Demands that every game has the one step that its post was answered with.
    async fn each_has_one_step(&self, games: &[String]) {
        for game in games {
            let log = self.client.log(self.address(), game, None).await;
            assert_eq!(log.len(), 1, "{game}");
        }
        assert_eq!(self.database.count("steps").await, i64::try_from(games.len()).unwrap());
    }
}

fn assert_unavailable(reply: &Reply) {
    assert_eq!((reply.status, reply.code().as_str()), (503, "unavailable"), "{reply:?}");
    let retry_after = reply.retry_after.as_ref().expect("a 503 says when to come back");
    assert!(retry_after.parse::<u32>().unwrap() >= 1);
}

fn first_moves(games: &[String]) -> Vec<Post> {
    let post = |game: &String| Post::new(format!("{game}/moves"), &json!({"move": "a"})).keyed(game);
    games.iter().map(post).collect()
}

/// Posts until it is answered; how often it was refused.
async fn insist(client: &Client, server: SocketAddr, post: &Post) -> u32 {
    let mut refused = 0;
    loop {
        let reply = client.post(server, post).await.unwrap();
        if reply.status == 201 {
            return refused;
        }
        assert_unavailable(&reply);
        refused += 1;
    }
}

/// The database goes away while moves are made, and comes back.
#[tokio::test]
async fn gone_in_the_middle_of_requests() {
    let service = Service::new(&[]).await;
    let games = service.games(60).await;
    let is_back = Arc::new(AtomicBool::new(false));
    let mut playing = JoinSet::new();
    for post in first_moves(&games) {
        let (client, server, is_back) = (service.client.clone(), service.address(), is_back.clone());
        playing.spawn(async move {
            let (mut before, mut after) = (0, 0);
            loop {
                let refused = if is_back.load(Ordering::SeqCst) { &mut after } else { &mut before };
                let reply = client.post(server, &post).await.unwrap();
                if reply.status == 201 {
                    return (before, after);
                }
                assert_unavailable(&reply);
                *refused += 1;
            }
        });
    }
    let (mut made, mut before, mut after) = (0, 0, 0);
    while let Some(refused) = within("a move", playing.join_next()).await {
        let refused = refused.unwrap();
        before += refused.0;
        after += refused.1;
        made += 1;
        if made == 3 {
            service.proxy.close().await;
            service.answers_without_a_database().await;
            service.proxy.reopen().await;
            is_back.store(true, Ordering::SeqCst);
        }
    }
    eprintln!(
        "gone: {made} moves, {before} refusals, and {after} of requests made after the database was back"
    );
    assert!(before > 0, "the database was gone while moves were made");
    assert_eq!(after, 0, "once it is back, nobody has to notice");
    service.each_has_one_step(&games).await;
    service.client.get(service.address(), "/readyz", None).await.unwrap().expect(200);
}

/// Every connection of the pool is dead: nobody has to notice.
#[tokio::test]
async fn back_before_anyone_asked() {
    let service = Service::new(&[]).await;
    let games = service.games(40).await;
    let (warm, cold) = games.split_at(30);
    for reply in service.burst(&first_moves(warm)).await.0 {
        reply.expect(201);
    }
    service.proxy.cut();
    let mut refused = 0;
    for post in first_moves(cold) {
        refused += insist(&service.client, service.address(), &post).await;
    }
    eprintln!("back: {refused} refusals after the database was back");
    assert_eq!(refused, 0, "the first request finds out for all that follow");
    service.each_has_one_step(&games).await;
}

/// A pool of two, a database that stalls, and more requests than it can take.
#[tokio::test]
async fn more_requests_than_connections() {
    let service = Service::new(&["--pool", "2", "--request-timeout", "4"]).await;
    let games = service.games(20).await;
    service.proxy.stall();
    let (replies, took) = service.burst(&first_moves(&games)).await;
    replies.iter().for_each(assert_unavailable);
    assert!(took < REFUSED_WITHIN, "{took:?}");
    service.answers_without_a_database().await;
    service.proxy.release();
    for post in first_moves(&games) {
        insist(&service.client, service.address(), &post).await;
    }
    service.each_has_one_step(&games).await;
}

/// The database's host vanishes without closing its connections, and another one takes its address.
#[tokio::test]
async fn vanished_without_a_word() {
    let service = Service::new(&["--pool", "2", "--request-timeout", "2"]).await;
    let games = service.games(40).await;
    let (warm, cold) = games.split_at(20);
    for reply in service.burst(&first_moves(warm)).await.0 {
        reply.expect(201);
    }
    service.proxy.stall();
    let (replies, took) = service.burst(&first_moves(cold)).await;
    replies.iter().for_each(assert_unavailable);
    assert!(took < REFUSED_WITHIN, "{took:?}");
    service.proxy.forsake();
    let mut refused = 0;
    for post in first_moves(cold) {
        refused += within("a move", insist(&service.client, service.address(), &post)).await;
    }
    eprintln!("vanished: {refused} refusals after the database was back");
    service.each_has_one_step(&games).await;
}

/// Another process holds SQLite's lock for longer than the service waits.
#[tokio::test]
async fn locked_by_another_process() {
    let database = Database::sqlite();
    let server = Kauri::on(&database).await;
    let client = Client::new();
    let game = client.create_kauri(server.address()).await;
    let mut other = sqlx::SqliteConnection::connect(database.url()).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let post = Post::new(format!("{game}/moves"), &json!({"move": "a"})).keyed("k");
    let began = Instant::now();
    let (first, second) =
        tokio::join!(client.post(server.address(), &post), client.post(server.address(), &post));
    assert_unavailable(&first.unwrap());
    assert_unavailable(&second.unwrap());
    assert!(began.elapsed() < REFUSED_WITHIN, "{:?}", began.elapsed());
    assert_eq!(client.game(server.address(), &game).await["version"], 0);
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    client.post(server.address(), &post).await.unwrap().expect(201);
    assert_eq!(database.count("steps").await, 1);
}
