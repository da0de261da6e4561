//! The games that a history is played at, and the way to them.

use super::check;
use super::figures::Figures;
use super::fleet::Door;
use super::play;
use super::record::{Attempt, Record};
use crate::chance::SplitMix64;
use crate::proof::client::{Client, Post, Reply};
use crate::proof::within;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Clients that play at once.
const CLIENTS: usize = 5;

/// Games, a door to the servers, and what has happened.
pub(super) struct Table {
    pub(super) client: Client,
    pub(super) games: Vec<Game>,
    door: Door,
    record: Record,
}

/// A game that is played.
pub(super) struct Game {
    pub(super) path: String,
    pub(super) tokens: HashMap<String, String>,
}

impl Table {
    /// Creates the games; nothing is killed yet.
    pub(super) async fn lay(door: Door, chance: &mut SplitMix64) -> Arc<Self> {
        let mut table = Self { client: Client::new(), games: Vec::new(), door, record: Record::new() };
        let four = json!([{"seat": "south"}, {"seat": "west"}, {"seat": "north"}, {"seat": "east"}]);
        let kinds = [
            json!({"rules": "kauri"}),
            json!({"rules": "ashta-kashte"}),
            json!({"rules": "ashta-kashte", "seats": four}),
        ];
        for kind in [&kinds[0], chance.pick(&kinds), chance.pick(&kinds[1..])] {
            let created = table.client.post(table.server(0).await, &Post::new("/games", kind)).await;
            let created = created.unwrap().expect(201);
            let seat_tokens = created.json()["seat_tokens"].as_array().unwrap().clone();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let tokens = seat_tokens.iter().map(|held| (text(&held["seat"]), text(&held["token"]))).collect();
            table.games.push(Game { path: created.location.unwrap(), tokens });
        }
        Arc::new(table)
    }

    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    pub(super) fn servers(&self) -> usize {
        self.door.len()
    }

    /// Where a server is, once it is up.
    pub(super) async fn server(&self, number: usize) -> SocketAddr {
        let mut door = self.door[number].subscribe();
        let up = within("a server to be up", door.wait_for(Option::is_some)).await;
        up.unwrap().expect("it was waited for")
    }

    /// Has the clients play until each has done its part.
    pub(super) async fn play(self: &Arc<Self>, chance: &mut SplitMix64) {
        let mut playing = JoinSet::new();
        for number in 0..CLIENTS {
            playing.spawn(play::play(self.clone(), number, chance.fork()));
        }
        // A client that fails ends the history at once.
        while let Some(played) = playing.join_next().await {
            played.unwrap();
        }
    }

    /// Asks again for everything that was answered, and then has the history checked.
    pub(super) async fn check(&self) -> Figures {
        let (intents, attempts) =
            (self.record.intents.lock().unwrap().clone(), self.record.attempts.lock().unwrap().clone());
        let looks = self.record.looks.lock().unwrap().clone();
        let mut figures = Figures::of(&attempts, &looks);
        for (number, game) in self.games.iter().enumerate() {
            let end = self.end(game).await;
            let mine = |attempt: &&Attempt| intents[attempt.intent].game == number;
            let answered: Vec<&Attempt> = attempts.iter().filter(mine).collect();
            self.ask_again(&intents, &answered).await;
            assert_eq!(self.end(game).await, end, "asking again changed something");
            let looks: Vec<_> = looks.iter().filter(|look| look.game == number).collect();
            figures.steps += check::game(&intents, &answered, &looks, &end);
        }
        figures
    }

    /// A game's first state, its log and itself, at the end.
    async fn end(&self, game: &Game) -> check::End {
        let server = self.server(0).await;
        let start = self.client.get(server, &format!("{}/states/0", game.path), None).await;
        let start = start.unwrap().expect(200).json()["position"]["state"].clone();
        let log = self.client.log(server, &game.path, None).await;
        let now = self.client.game(server, &game.path).await;
        check::End { start, log, now }
    }

    /// Every request that was answered and may be repeated is answered the same, forever and everywhere.
    async fn ask_again(&self, intents: &[super::record::Intent], answered: &[&Attempt]) {
        let done = |reply: &&Reply| matches!(reply.status, 200 | 201);
        for attempt in answered {
            let intent = &intents[attempt.intent];
            if let Some(reply) = attempt.reply.as_ref().filter(done)
                && intent.is_repeatable()
            {
                let server = self.server(attempt.intent % self.servers()).await;
                let again = self.client.post(server, &intent.post).await.unwrap();
                assert!(again.replayed && again.status <= 201, "{intent:?}: {again:?}");
                assert_eq!((&again.body, &again.etag), (&reply.body, &reply.etag), "{intent:?}");
            }
        }
    }
}
