//! Servers that share a database are one service, whichever of them a request reaches.

use super::client::{Client, Post};
use super::database::Database;
use super::process::{Kauri, operate};
use serde_json::json;

/// A whole game with each request sent to the other server, each answer asked for again at the one that did not
/// give it, and each move posted to both at once.
#[tokio::test]
async fn two_on_one_database_are_one() {
    let database = Database::postgres().await;
    let key = operate(&database, &["keys", "create", "--portal", "club"]);
    let servers = [Kauri::on(&database).await, Kauri::on(&database).await];
    let [here, there] = [0, 1].map(|number: usize| servers[number].address());
    let client = Client::new();
    let create = Post::new("/games", &json!({"rules": "kauri"})).keyed("new").by(&key);
    let created = client.post(here, &create).await.unwrap().expect(201);
    let again = client.post(there, &create).await.unwrap().expect(201);
    assert_eq!((&again.body, again.replayed), (&created.body, true));
    let game = created.location.unwrap();
    let token = created_token(&again.body);

    let mut version = 0;
    let mut position = client.get(there, &game, Some(&token)).await.unwrap().expect(200).json();
    while let Some(step) = position["position"]["legal_moves"][0].as_str() {
        let [one, other] = if version % 2 == 0 { [here, there] } else { [there, here] };
        let body = json!({"move": step, "expected_version": version});
        let post = Post::new(format!("{game}/moves"), &body).keyed(format!("k{version}")).by(&key);
        let (first, second) = tokio::join!(client.post(one, &post), client.post(other, &post));
        let [first, second] = [first, second].map(|reply| reply.unwrap().expect(201));
        assert_eq!(first.body, second.body, "one of them made the move, and both tell of it");
        assert_ne!(first.replayed, second.replayed);
        version += 1;
        position = client.get(other, &game, Some(&key)).await.unwrap().expect(200).json();
        assert_eq!(position["version"], version);
    }
    let logs = [client.log(here, &game, Some(&key)).await, client.log(there, &game, Some(&key)).await];
    assert_eq!(logs[0], logs[1]);
    assert_eq!(i64::try_from(logs[0].len()).unwrap(), version);

    operate(&database, &["keys", "revoke", key.split('_').nth(2).unwrap()]);
    for server in [here, there] {
        client.get(server, &game, Some(&key)).await.unwrap().expect(401);
    }
}

/// South's token in the answer that creates a game.
fn created_token(body: &str) -> String {
    let game: serde_json::Value = serde_json::from_str(body).unwrap();
    game["seat_tokens"][0]["token"].as_str().unwrap().to_owned()
}

/// The tables that tell of games but are a portal's: its own names for them, and what it is told of them, in one order
/// for all of them.
const OF_PORTALS: [&str; 3] = ["events", "external_refs", "webhook_deliveries"];

/// What lets the tables of games be spread over many databases by the game: whatever keeps rows of a game apart has
/// the game in it, so that no database need ask another.
#[tokio::test]
async fn what_belongs_to_a_game_is_keyed_by_it() {
    let database = Database::postgres().await;
    drop(Kauri::on(&database).await);
    let keyed = database
        .texts(
            "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
             WHERE i.indisprimary AND c.relnamespace = 'public'::regnamespace
               AND (a.attname = 'game_id' OR (c.relname = 'games' AND a.attname = 'id'))",
        )
        .await;
    let of_games = database
        .texts(
            "SELECT table_name::text FROM information_schema.columns
             WHERE table_schema = 'public' AND column_name = 'game_id' UNION SELECT 'games'",
        )
        .await;
    let missing =
        of_games.iter().find(|table| !keyed.contains(table) && !OF_PORTALS.contains(&table.as_str()));
    assert_eq!(missing, None, "of {of_games:?}, keyed: {keyed:?}");
    let also_unique = database
        .texts(
            "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
             WHERE i.indisunique AND NOT i.indisprimary AND c.relnamespace = 'public'::regnamespace",
        )
        .await;
    assert!(also_unique.iter().all(|table| !keyed.contains(table)), "{also_unique:?}");
}
