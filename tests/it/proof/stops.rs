//! A server is killed between any two messages to Postgres, and started anew: the retry is answered, and
//! what was asked for has happened once.

use super::client::{Client, Post, Reply};
use super::database::Database;
use super::process::Kauri;
use super::proxy::Proxy;
use super::wire::{Met, Stop};
use serde_json::{Value, json};

/// A server behind a proxy, started anew whenever it was killed.
struct Victim {
    database: Database,
    proxy: Proxy,
    server: Kauri,
    client: Client,
    /// Counts what was asked for, for names.
    asked: u32,
}

impl Victim {
    async fn new() -> Self {
        let database = Database::postgres().await;
        let proxy = Proxy::to(database.server()).await;
        let server = Kauri::start(&database.by_way_of(proxy.address()), &[]).await;
        Self { database, proxy, server, client: Client::new(), asked: 0 }
    }

    fn name(&mut self) -> String {
        self.asked += 1;
        format!("request {}", self.asked)
    }

    async fn post(&self, post: &Post) -> Reply {
        self.client.post(self.server.address(), post).await.expect("nobody stops this one")
    }

    async fn get(&self, path: &str) -> Value {
        self.client.get(self.server.address(), path, None).await.unwrap().expect(200).json()
    }

    /// Posts with a stop in the way; once it was met, starts the server anew and posts again. Gives the
    /// reply, and whether the stop was met at all.
    async fn stopped(&mut self, post: &Post, stop: Stop) -> (Reply, Met) {
        self.proxy.meter().arm(stop, self.server.killer());
        let first = self.client.post(self.server.address(), post).await;
        let met = self.proxy.meter().disarm();
        if met != Met::Stopped {
            return (first.expect("no stop was met"), met);
        }
        // The answer may have gone out before the server was killed in something else.
        self.server = Kauri::start(&self.database.by_way_of(self.proxy.address()), &[]).await;
        let retry = self.post(post).await;
        if let Ok(first) = first {
            assert_eq!(first.body, retry.body, "{stop:?}");
        }
        (retry, met)
    }
}

/// Every stop of a kind in turn, until a request meets none. Each step makes and checks one request.
macro_rules! at_every_stop {
    ($victim:ident, $stop:ident => $request:block) => {{
        let kinds: &[fn(u64) -> Stop] = match std::env::var("KAURI_PROOF_STOPS").as_deref() {
            Ok("messages") => &[Stop::Message, Stop::Answer],
            _ => &[Stop::End, Stop::Answer],
        };
        let mut stops = 0;
        for kind in kinds {
            let mut at = 1;
            loop {
                let $stop = kind(at);
                let met: Met = $request;
                match met {
                    Met::Stopped => at += 1,
                    Met::About => {}
                    Met::Never => break,
                }
            }
            assert!(at > 2, "a read and a write are two round trips at least");
            stops += at - 1;
        }
        eprintln!("{stops} injected stops, nothing lost: {}", std::thread::current().name().unwrap());
    }};
}

/// Demands that a game's log is the one step that was answered, and that it stays so.
async fn one_step(victim: &Victim, game: &str, post: &Post, reply: &Reply, stop: Stop) {
    let log = victim.client.log(victim.server.address(), game, None).await;
    assert_eq!(log, [reply.json()["step"].clone()], "{stop:?}");
    let now = victim.get(game).await;
    assert_eq!((&now["version"], &now["position"]), (&json!(1), &reply.json()["position"]), "{stop:?}");
    let again = victim.post(post).await;
    assert_eq!((again.replayed, again.body), (true, reply.body.clone()), "{stop:?}");
}

#[tokio::test]
async fn a_move_with_a_key() {
    let mut victim = Victim::new().await;
    at_every_stop!(victim, stop => {
        let game = victim.client.create_kauri(victim.server.address()).await;
        let post = Post::new(format!("{game}/moves"), &json!({"move": "a"})).keyed(victim.name());
        let (reply, met) = victim.stopped(&post, stop).await;
        let reply = reply.expect(201);
        one_step(&victim, &game, &post, &reply, stop).await;
        met
    });
    assert_eq!(victim.database.count("kept_answers").await, i64::from(victim.asked));
}

#[tokio::test]
async fn a_throw_on_a_version() {
    let mut victim = Victim::new().await;
    at_every_stop!(victim, stop => {
        let game = json!({"rules": "ashta-kashte"});
        let game = victim.client.create(victim.server.address(), &game).await;
        let post = Post::new(format!("{game}/moves"), &json!({"move": "throw", "expected_version": 0}));
        let (reply, met) = victim.stopped(&post, stop).await;
        assert!(matches!((reply.status, reply.replayed), (201, false) | (200, true)), "{stop:?}: {reply:?}");
        one_step(&victim, &game, &post, &reply, stop).await;
        met
    });
}

#[tokio::test]
async fn a_creation_with_a_key() {
    let mut victim = Victim::new().await;
    at_every_stop!(victim, stop => {
        let player = victim.name();
        let seats = json!([{"seat": "south", "player": player}, {"seat": "north"}]);
        let game = json!({"rules": "kauri", "seats": seats, "external_ref": player});
        let post = Post::new("/games", &game).keyed(player.clone());
        let (reply, met) = victim.stopped(&post, stop).await;
        let reply = reply.expect(201);
        let games = victim.get(&format!("/games?player={}", player.replace(' ', "%20"))).await;
        assert_eq!(games["items"].as_array().map(Vec::len), Some(1), "{stop:?}: {games}");
        assert_eq!(games["items"][0]["id"], reply.json()["id"], "{stop:?}");
        for held in reply.json()["seat_tokens"].as_array().unwrap() {
            let path = reply.location.as_deref().unwrap();
            let read = victim.client.get(victim.server.address(), path, held["token"].as_str()).await;
            read.unwrap().expect(200);
        }
        let again = victim.post(&post).await;
        assert_eq!((again.replayed, again.body), (true, reply.body), "{stop:?}");
        met
    });
    for table in ["games", "external_refs", "kept_answers"] {
        assert_eq!(victim.database.count(table).await, i64::from(victim.asked), "{table}");
    }
    assert_eq!(victim.database.count("game_seats").await, 2 * i64::from(victim.asked));
}

#[tokio::test]
async fn a_resignation_with_a_key() {
    let mut victim = Victim::new().await;
    at_every_stop!(victim, stop => {
        let game = victim.client.create_kauri(victim.server.address()).await;
        let body = json!({"seat": "south"});
        let post = Post::new(format!("{game}/resignation"), &body).keyed(victim.name());
        let (reply, met) = victim.stopped(&post, stop).await;
        let reply = reply.expect(200);
        assert_eq!(victim.get(&game).await, reply.json(), "{stop:?}");
        assert_eq!(reply.json()["position"]["result"]["winner"], "north", "{stop:?}");
        let again = victim.post(&post).await;
        assert_eq!((again.replayed, again.body), (true, reply.body), "{stop:?}");
        met
    });
}
