//! Following what happens: in one game, or in all of a portal.
//!
//! A follower looks at what is stored whenever it is asked, from where it was, and knows what to wait for. It holds
//! no connection to the database in between, and asks each time whether its caller may still look.

mod feed;
mod game;

pub use feed::FeedFollower;
pub(crate) use feed::event;
pub use game::GameFollower;

use super::wire::GameEvent;
use crate::problem::{Code, Problem};

/// Most events in one go; with those of a game's steps can come those of its creation and its end.
const PAGE: i64 = 98;

/// What a follower finds.
#[derive(Debug)]
pub enum Found {
    /// What is new; there may be more.
    New(Vec<GameEvent>),
    /// Nothing, as yet.
    Nothing,
    /// Nothing will come any more.
    End,
}

/// Where to begin: an id that no event has had, or can have had, is refused.
fn unknown(pointer: &str) -> Problem {
    Problem::new(Code::InvalidQuery).error(pointer, "unknown_event", "No event has had this id.")
}
