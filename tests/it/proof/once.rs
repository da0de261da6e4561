//! However often and from wherever a move is posted, it counts once.

use super::client::{Client, Post, Reply};
use super::database::Database;
use super::on_both;
use super::process::Kauri;
use serde_json::json;
use std::net::SocketAddr;

const SAME: usize = 100;
const DIFFERENT: usize = 64;
/// What south may play first.
const MOVES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// The servers of a database, one or more, and a game of Kauri there.
struct Table {
    database: Database,
    servers: Vec<Kauri>,
    game: String,
}

impl Table {
    async fn with(servers: usize, database: Database) -> Self {
        let mut running = Vec::new();
        for _ in 0..servers {
            running.push(Kauri::on(&database).await);
        }
        let game = Client::new().create_kauri(running[0].address()).await;
        Self { database, servers: running, game }
    }

    fn moves(&self, body: &serde_json::Value) -> Post {
        Post::new(format!("{}/moves", self.game), body)
    }

    /// Posts everything at once, in turn to each of the servers.
    async fn at_once(&self, posts: Vec<Post>) -> Vec<Reply> {
        let client = Client::new();
        let addresses: Vec<SocketAddr> = self.servers.iter().map(Kauri::address).collect();
        let posting: Vec<_> = posts
            .into_iter()
            .zip(addresses.into_iter().cycle())
            .map(|(post, server)| {
                let client = client.clone();
                tokio::spawn(async move { client.post(server, &post).await.unwrap() })
            })
            .collect();
        let mut replies = Vec::new();
        for reply in posting {
            replies.push(reply.await.unwrap());
        }
        replies
    }

    /// Demands one 201, its body again with `status` in all the other replies, and one row in the log.
    async fn counted_once(&self, replies: &[Reply], status: u16) {
        let made: Vec<&Reply> =
            replies.iter().filter(|reply| reply.status == 201 && !reply.replayed).collect();
        assert_eq!(made.len(), 1, "{replies:?}");
        let repeated = replies.iter().filter(|reply| reply.status == status && reply.replayed).count();
        assert_eq!(repeated, replies.len() - 1, "{replies:?}");
        for reply in replies {
            let said = (&reply.body, &reply.etag, &reply.location);
            assert_eq!(said, (&made[0].body, &made[0].etag, &made[0].location));
        }
        assert_eq!(self.database.count("steps").await, 1);
    }

    async fn same_key(self) {
        let post = self.moves(&json!({"move": "a"})).keyed("the same");
        let replies = self.at_once(vec![post; SAME]).await;
        self.counted_once(&replies, 201).await;
        assert_eq!(self.database.count("kept_answers").await, 1);
    }

    async fn same_version(self) {
        let post = self.moves(&json!({"move": "a", "expected_version": 0}));
        let replies = self.at_once(vec![post; SAME]).await;
        self.counted_once(&replies, 200).await;
    }

    /// Each request has a key of its own. Kauri has six moves to choose from; where the same one is posted
    /// again on the same version, that is a natural repeat.
    async fn different_moves(self) {
        let name = |index| MOVES[index % MOVES.len()];
        let post = |index| {
            let body = json!({"move": name(index), "expected_version": 0});
            self.moves(&body).keyed(format!("post {index}"))
        };
        let replies = self.at_once((0..DIFFERENT).map(post).collect()).await;
        let made = replies.iter().position(|reply| reply.status == 201).expect("one is made");
        for (index, reply) in replies.iter().enumerate().filter(|&(index, _)| index != made) {
            if name(index) == name(made) {
                assert_eq!((reply.status, &reply.body), (200, &replies[made].body));
            } else {
                assert_eq!((reply.status, reply.code().as_str()), (409, "version_conflict"));
                assert_eq!(reply.version(), Some(1));
            }
        }
        assert_eq!(self.database.count("steps").await, 1);
        assert_eq!(self.database.count("kept_answers").await, 1);
    }

    /// Only the tag is named: that is no natural repeat, so every request but one is refused.
    async fn different_posts_on_a_tag(self) {
        let post = |index: usize| {
            let body = json!({"move": MOVES[index % MOVES.len()], "seat": "south"});
            self.moves(&body).if_match("\"v0\"")
        };
        let replies = self.at_once((0..DIFFERENT).map(post).collect()).await;
        let refused: Vec<&Reply> = replies.iter().filter(|reply| reply.status != 201).collect();
        assert_eq!(refused.len(), DIFFERENT - 1, "{replies:?}");
        for reply in refused {
            let said = (reply.status, reply.code(), reply.version());
            assert_eq!(said, (412, "precondition_failed".to_owned(), Some(1)));
        }
        assert_eq!(self.database.count("steps").await, 1);
    }

    /// One move on each side, and no other can be the same: a move and a resignation.
    async fn move_or_resignation(self) {
        let resignation = json!({"seat": "north", "expected_version": 0});
        let resignation = Post::new(format!("{}/resignation", self.game), &resignation);
        let step = self.moves(&json!({"move": "a", "expected_version": 0}));
        let replies = self.at_once([vec![step; 20], vec![resignation; 20]].concat()).await;
        let (moved, resigned) = replies.split_at(20);
        let stands = |replies: &[Reply]| replies.iter().all(|reply| matches!(reply.status, 200 | 201));
        let refused = |replies: &[Reply]| replies.iter().all(|reply| reply.status == 409);
        assert!(
            stands(moved) && refused(resigned) || refused(moved) && stands(resigned),
            "both or neither: {replies:?}"
        );
        assert_eq!(self.database.count("steps").await, i64::from(stands(moved)));
    }
}

async fn the_same_post_with_a_key(database: Database) {
    Table::with(1, database).await.same_key().await;
}

async fn the_same_post_on_a_version(database: Database) {
    Table::with(1, database).await.same_version().await;
}

async fn different_moves_on_a_version(database: Database) {
    Table::with(1, database).await.different_moves().await;
}

async fn different_posts_on_a_tag(database: Database) {
    Table::with(1, database).await.different_posts_on_a_tag().await;
}

async fn a_move_or_a_resignation(database: Database) {
    Table::with(1, database).await.move_or_resignation().await;
}

on_both!(
    the_same_post_with_a_key,
    the_same_post_on_a_version,
    different_moves_on_a_version,
    different_posts_on_a_tag,
    a_move_or_a_resignation,
);

/// The same, spread over two servers that share a database.
mod from_two_servers {
    use super::{Database, Table};

    #[tokio::test]
    async fn the_same_post_with_a_key() {
        Table::with(2, Database::postgres().await).await.same_key().await;
    }

    #[tokio::test]
    async fn the_same_post_on_a_version() {
        Table::with(2, Database::postgres().await).await.same_version().await;
    }

    #[tokio::test]
    async fn different_moves_on_a_version() {
        Table::with(2, Database::postgres().await).await.different_moves().await;
    }

    #[tokio::test]
    async fn different_posts_on_a_tag() {
        Table::with(2, Database::postgres().await).await.different_posts_on_a_tag().await;
    }

    #[tokio::test]
    async fn a_move_or_a_resignation() {
        Table::with(2, Database::postgres().await).await.move_or_resignation().await;
    }
}
