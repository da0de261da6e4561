//! A client of a history: careless, impatient, not always up to date.

use super::record::{Intent, Wish};
use super::table::Table;
use crate::chance::SplitMix64;
use crate::proof::client::{HangUp, Lost, Post, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

/// Intents of one client.
const INTENTS: usize = 24;

/// Most times that one intent is sent.
const PERSISTENCE: usize = 100;

/// Plays, and records what is sent and what comes back.
pub(super) async fn play(table: Arc<Table>, number: usize, mut chance: SplitMix64) {
    for count in 0..INTENTS {
        let game = chance.below(table.games.len());
        let server = chance.below(table.servers());
        let Some(seen) = look(&table, game, server).await else { continue };
        let name = format!("client {number}, intent {count}");
        let last = count + 1 == INTENTS;
        let intent = intent(&table, game, &seen, name, last, &mut chance);
        let intent = (table.record().intend(intent.clone()), intent);
        match chance.below(4) {
            0 => {
                // With neither key nor version, whoever sends a request twice asks for two things.
                let twin = if intent.1.is_repeatable() {
                    intent.clone()
                } else {
                    (table.record().intend(intent.1.clone()), intent.1.clone())
                };
                let other = chance.below(table.servers());
                tokio::join!(deliver(&table, &intent, server), deliver(&table, &twin, other));
            }
            1 => {
                let hang_up = *chance.pick(&[HangUp::AfterSending, HangUp::AfterFirstByte]);
                let sent = table.record().begin();
                intent.1.post.send_and(hang_up, table.server(server).await).await;
                table.record().attempted(intent.0, sent, None);
                if intent.1.is_repeatable() {
                    deliver(&table, &intent, server).await;
                }
            }
            _ => deliver(&table, &intent, server).await,
        }
    }
}

async fn look(table: &Table, game: usize, server: usize) -> Option<Value> {
    let sent = table.record().begin();
    let reply = table.client.get(table.server(server).await, &table.games[game].path, None).await.ok()?;
    if reply.status == 503 {
        return None;
    }
    let seen = reply.expect(200).json();
    table.record().looked(game, sent, seen.clone());
    Some(seen)
}

/// Sends an intent until it is answered, or once if sending it twice could count twice.
async fn deliver(table: &Table, (number, intent): &(usize, Intent), server: usize) {
    for persistence in 0..PERSISTENCE {
        let sent = table.record().begin();
        let at = table.server((server + persistence) % table.servers()).await;
        let reply = table.client.post(at, &intent.post).await;
        table.record().attempted(*number, sent, reply.clone().ok());
        match reply {
            Ok(Reply { status: 503, .. }) | Err(Lost) if intent.is_repeatable() => {}
            _ => return,
        }
    }
    panic!("{PERSISTENCE} times in vain: {intent:?}");
}

/// Something to ask for, mostly legal and mostly up to date.
fn intent(
    table: &Table,
    game: usize,
    seen: &Value,
    name: String,
    last: bool,
    chance: &mut SplitMix64,
) -> Intent {
    let position = &seen["position"];
    let moves = position["legal_moves"].as_array().unwrap();
    let to_move = position["state"]["to_move"].as_str().unwrap().to_owned();
    let resigns = last && chance.below(4) == 0;
    let wish = match moves.len() {
        _ if resigns => Wish::Resignation,
        0 => Wish::Step("throw".to_owned()),
        count => Wish::Step(moves[chance.below(count)].as_str().unwrap().to_owned()),
    };
    // None of key and version, each alone, both.
    let (keyed, expects) = *chance.pick(&[(false, false), (true, false), (false, true), (true, true)]);
    let stale = chance.below(8) == 0;
    let version = seen["version"].as_i64().unwrap();
    let expected = expects.then_some(if stale { (version - 1).max(0) } else { version });
    let by_token = chance.below(3) == 0;
    let named = by_token || resigns || chance.below(3) == 0;
    let seat = named.then_some(to_move);
    let mut body = json!({});
    if let Wish::Step(step) = &wish {
        body["move"] = json!(step);
    }
    if let (Some(seat), false) = (&seat, by_token) {
        body["seat"] = json!(seat);
    }
    if let Some(expected) = expected {
        body["expected_version"] = json!(expected);
    }
    let table = &table.games[game];
    let what = if resigns { "resignation" } else { "moves" };
    let mut post = Post::new(format!("{}/{what}", table.path), &body);
    if let (Some(seat), true) = (&seat, by_token) {
        post = post.by(&table.tokens[seat]);
    }
    if keyed {
        post = post.keyed(name);
    }
    Intent { game, wish, seat, expected, post }
}
