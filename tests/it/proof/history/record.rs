//! What was sent and what came back, in the order of one clock.

use crate::proof::client::{Post, Reply};
use serde_json::Value;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// A moment; of two, the smaller one was earlier.
pub(super) type Moment = u64;

/// What a client wants, however often it asks for it.
#[derive(Clone, Debug)]
pub(super) struct Intent {
    /// Which of the games.
    pub(super) game: usize,
    pub(super) wish: Wish,
    /// For which seat; none is whoever is to move.
    pub(super) seat: Option<String>,
    pub(super) expected: Option<i64>,
    pub(super) post: Post,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// A move, or `throw`.
    Step(String),
    Resignation,
}

impl Intent {
    /// Whether asking again is safe.
    pub(super) fn is_repeatable(&self) -> bool {
        self.post.key.is_some() || self.expected.is_some()
    }
}

/// One time that an intent was sent.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// The intent's number.
    pub(super) intent: usize,
    pub(super) sent: Moment,
    pub(super) back: Moment,
    /// None when it was lost.
    pub(super) reply: Option<Reply>,
}

impl Attempt {
    /// Whether it may have had its effect without anyone knowing.
    pub(super) fn is_unsure(&self) -> bool {
        self.reply.as_ref().is_none_or(|reply| reply.status == 503)
    }
}

/// A game as it was read.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) game: usize,
    pub(super) sent: Moment,
    pub(super) back: Moment,
    pub(super) seen: Value,
}

/// The whole history.
pub(super) struct Record {
    clock: AtomicU64,
    begun: watch::Sender<u64>,
    pub(super) intents: Mutex<Vec<Intent>>,
    pub(super) attempts: Mutex<Vec<Attempt>>,
    pub(super) looks: Mutex<Vec<Look>>,
}

impl Record {
    pub(super) fn new() -> Self {
        Self {
            clock: AtomicU64::new(1),
            begun: watch::channel(0).0,
            intents: Mutex::default(),
            attempts: Mutex::default(),
            looks: Mutex::default(),
        }
    }

    pub(super) fn now(&self) -> Moment {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// How many requests have been begun.
    pub(super) fn begun(&self) -> watch::Receiver<u64> {
        self.begun.subscribe()
    }

    /// A request begins now.
    pub(super) fn begin(&self) -> Moment {
        self.begun.send_modify(|begun| *begun += 1);
        self.now()
    }

    /// Notes an intent; its number.
    pub(super) fn intend(&self, intent: Intent) -> usize {
        let mut intents = self.intents.lock().unwrap();
        intents.push(intent);
        intents.len() - 1
    }

    pub(super) fn attempted(&self, intent: usize, sent: Moment, reply: Option<Reply>) {
        let back = self.now();
        self.attempts.lock().unwrap().push(Attempt { intent, sent, back, reply });
    }

    pub(super) fn looked(&self, game: usize, sent: Moment, seen: Value) {
        let back = self.now();
        self.looks.lock().unwrap().push(Look { game, sent, back, seen });
    }
}
