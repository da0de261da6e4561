//! How many round trips to Postgres a stored move takes.

use super::client::{Client, Post, Reply};
use super::database::Database;
use super::process::{Kauri, operate};
use super::proxy::Proxy;
use serde_json::{Value, json};

/// Moves until every connection has prepared what it needs.
const WARM_UP: i64 = 12;

/// Moves counted.
const COUNTED: i64 = 8;

/// A game, and who plays it: a portal's key or a seat's token.
struct Player {
    client: Client,
    server: Kauri,
    proxy: Proxy,
    game: Value,
    key: String,
}

impl Player {
    async fn new(rules: &str) -> Self {
        let database = Database::postgres().await;
        let proxy = Proxy::to(database.server()).await;
        let server = Kauri::start(&database.by_way_of(proxy.address()), &["--pool", "1"]).await;
        let key = operate(&database, &["keys", "create", "--portal", "p"]);
        let client = Client::new();
        let create = Post::new("/games", &json!({"rules": rules})).by(&key);
        let game = client.post(server.address(), &create).await.unwrap().expect(201).json();
        Self { client, server, proxy, game, key }
    }

    /// The request for the first legal move on a version.
    async fn next(&self, version: i64, by_token: bool) -> Post {
        let path = format!("/games/{}", self.game["id"].as_str().unwrap());
        let now = self.client.get(self.server.address(), &path, Some(&self.key)).await.unwrap().json();
        let position = &now["position"];
        let held = self.game["seat_tokens"].as_array().unwrap();
        let token = held.iter().find(|held| held["seat"] == position["state"]["to_move"]).unwrap();
        let bearer = if by_token { token["token"].as_str().unwrap() } else { &self.key };
        let body = json!({"move": position["legal_moves"][0], "expected_version": version});
        Post::new(format!("{path}/moves"), &body).keyed(format!("step {version}")).by(bearer)
    }

    /// The reply, and the round trips it took.
    async fn counted(&self, post: &Post) -> (Reply, Vec<String>) {
        self.proxy.meter().reset();
        let reply = self.client.post(self.server.address(), post).await.unwrap();
        (reply, self.proxy.meter().trips())
    }
}

/// One read that brings the credential, the game, the kept answer and the step to repeat; one statement
/// that writes everything.
#[tokio::test]
async fn a_stored_move_takes_two_round_trips() {
    for rules in ["kauri", "ashta-kashte"] {
        let player = Player::new(rules).await;
        for version in 0..WARM_UP + COUNTED {
            let post = player.next(version, version % 2 == 0).await;
            let (reply, trips) = player.counted(&post).await;
            reply.expect(201);
            if version >= WARM_UP {
                assert_eq!(trips.len(), 2, "{rules}, version {version}: {trips:?}");
                assert!(trips.iter().all(|trip| !trip.contains(['P', 'Q'])), "all is prepared: {trips:?}");
            }
        }
    }
}

/// The read, and one statement that writes the game and all that belongs to it, or all that its end leaves behind.
#[tokio::test]
async fn a_new_game_and_an_end_take_two_round_trips() {
    let player = Player::new("kauri").await;
    for number in 0..=WARM_UP {
        let seats = json!([{"seat": "south", "player": "ana"}, {"seat": "north", "player": "ben"}]);
        let body =
            json!({"rules": "kauri", "seats": seats, "tags": ["t"], "external_ref": number.to_string()});
        let create = Post::new("/games", &body).keyed(format!("create {number}")).by(&player.key);
        let (reply, created) = player.counted(&create).await;
        let path = format!("/games/{}/resignation", reply.expect(201).json()["id"].as_str().unwrap());
        let resign = Post::new(path, &json!({"seat": "north"})).keyed("resign").by(&player.key);
        let (reply, ended) = player.counted(&resign).await;
        reply.expect(200);
        if number == WARM_UP {
            assert_eq!((created.len(), ended.len()), (2, 2), "{created:?}, {ended:?}");
        }
    }
}

/// What is answered from the first read alone.
#[tokio::test]
async fn a_repeat_or_a_refusal_takes_one_round_trip() {
    let player = Player::new("kauri").await;
    let mut last = None;
    for version in 0..WARM_UP {
        let post = player.next(version, false).await;
        player.counted(&post).await.0.expect(201);
        last = Some(post);
    }
    let kept = last.unwrap();
    let natural = Post { key: None, ..kept.clone() };
    let stale = Post { key: None, ..player.next(WARM_UP - 5, false).await };
    for (post, status) in [(kept, 201), (natural, 200), (stale, 409)] {
        let (reply, trips) = player.counted(&post).await;
        assert_eq!((reply.status, trips.len()), (status, 1), "{reply:?}: {trips:?}");
    }
}
