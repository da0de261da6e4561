//! Who follows what happens, while servers are killed and the database is cut off; and what is left of those who went.

use super::client::{Client, Post};
use super::database::Database;
use super::process::Kauri;
use super::proxy::Proxy;
use super::{on_both, within};
use crate::chance::SplitMix64;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Games that are played at once.
const GAMES: usize = 4;

/// Steps of each.
const STEPS: i64 = 25;

/// Streams that come and go.
const COMINGS: usize = 1_000;

/// Two servers, of which one may be another after a while, on one database.
struct Fleet {
    database: Database,
    proxy: Proxy,
    servers: [Mutex<Arc<Kauri>>; 2],
}

impl Fleet {
    async fn new() -> Self {
        let database = Database::postgres().await;
        let proxy = Proxy::to(database.server()).await;
        let url = database.by_way_of(proxy.address());
        let servers = [Kauri::start(&url, &[]).await, Kauri::start(&url, &[]).await];
        Self { database, proxy, servers: servers.map(|server| Mutex::new(Arc::new(server))) }
    }

    async fn address(&self, number: usize) -> SocketAddr {
        self.servers[number % 2].lock().await.address()
    }

    /// Kills a server and starts another in its place.
    async fn replace(&self, number: usize) {
        let mut server = self.servers[number % 2].lock().await;
        server.killer()();
        *server = Arc::new(Kauri::start(&self.database.by_way_of(self.proxy.address()), &[]).await);
    }
}

/// Makes a step, whatever comes between.
async fn step(fleet: &Fleet, client: &Client, game: &str, version: i64) {
    for attempt in 0.. {
        let address = fleet.address(attempt).await;
        let Ok(now) = client.get(address, game, None).await else { continue };
        if now.status != 200 {
            continue;
        }
        if now.json()["version"].as_i64() > Some(version) {
            return;
        }
        let choice = now.json()["position"]["legal_moves"][0].clone();
        let post = Post::new(format!("{game}/moves"), &json!({"move": choice, "expected_version": version}));
        // A lost reply, or a refusal for now, is found out about by looking again.
        drop(client.post(address, &post).await);
    }
}

/// Follows all games until so many events have come, from server to server; gives them and how often it reconnected.
async fn follow(fleet: &Fleet, wanted: usize) -> (Vec<Value>, usize) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut chance = SplitMix64::new(3);
    let (mut seen, mut last, mut connections) = (Vec::<Value>::new(), "0.0".to_owned(), 0);
    while seen.len() < wanted {
        let address = fleet.address(connections).await;
        connections += 1;
        let asked = client
            .get(format!("http://{address}/events?after=0.0"))
            .header("accept", "application/x-ndjson")
            .header("last-event-id", &last);
        let Ok(mut response) = asked.send().await else { continue };
        if response.status() != 200 {
            continue;
        }
        // Goes away by itself, too, in the middle of what is coming.
        let most = seen.len() + 1 + chance.below(40);
        let mut buffer = String::new();
        while seen.len() < most.min(wanted) {
            let Ok(Some(bytes)) = within("an event", response.chunk()).await else { break };
            buffer.push_str(std::str::from_utf8(&bytes).unwrap());
            while let Some(end) = buffer.find('\n') {
                let line: String = buffer.drain(..=end).collect();
                if seen.len() < most && !line.trim().is_empty() {
                    let event: Value = serde_json::from_str(&line).unwrap();
                    event["id"].as_str().unwrap().clone_into(&mut last);
                    seen.push(event);
                }
            }
        }
    }
    (seen, connections)
}

#[tokio::test]
async fn nothing_is_missed_or_told_twice_while_servers_die_and_the_database_is_cut_off() {
    let fleet = Fleet::new().await;
    let client = Client::new();
    let mut games = Vec::new();
    for _ in 0..GAMES {
        games.push(client.create_kauri(fleet.address(0).await).await);
    }
    let playing = async {
        for version in 0..STEPS {
            for game in &games {
                step(&fleet, &client, game, version).await;
            }
            match version % 6 {
                2 => fleet.replace(usize::try_from(version).unwrap() / 6).await,
                5 => fleet.proxy.cut(),
                _ => {}
            }
        }
    };
    let wanted = GAMES * (1 + usize::try_from(STEPS).unwrap());
    let (following, ()) = tokio::join!(follow(&fleet, wanted), playing);
    let (seen, connections) = following;
    let mut of: HashMap<String, Vec<i64>> = HashMap::new();
    for event in &seen {
        let game = format!("/games/{}", event["game_id"].as_str().unwrap());
        of.entry(game).or_default().push(event["number"].as_i64().unwrap());
    }
    for game in &games {
        assert_eq!(of[game], (1..=STEPS + 1).collect::<Vec<_>>(), "{game}");
    }
    eprintln!("followed {} events over {connections} connections", seen.len());
}

on_both!(who_has_gone_leaves_nothing_behind);

/// A thousand streams come and go, some read to a snapshot and some not at all.
async fn who_has_gone_leaves_nothing_behind(database: Database) {
    let server = Kauri::on(&database).await;
    let client = Client::new();
    let game = client.create_kauri(server.address()).await;
    let before = server.descriptors();
    let streams = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap();
    for coming in 0..COMINGS {
        let path = if coming % 2 == 0 { format!("{game}/events") } else { "/events".to_owned() };
        let asked =
            streams.get(format!("http://{}{path}", server.address())).header("accept", "text/event-stream");
        let mut response = asked.send().await.unwrap();
        if coming % 4 == 0 {
            within("a snapshot", response.chunk()).await.unwrap();
        }
    }
    let gone = async {
        loop {
            let counts = client.get(server.address(), "/metrics", None).await.unwrap().body;
            let open = |of: &str| counts.contains(&format!("event_streams_open{{of=\"{of}\"}} 0"));
            // The database's own connections, and the client's, stay.
            if open("game") && open("portal") && server.descriptors() <= before + 20 {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    within("the end of all streams", gone).await;
}
