//! The body of a stream: it looks, tells what is new, and waits.

use super::framing::Framing;
use crate::events::Woken;
use crate::games::{FeedFollower, Found, GameFollower};
use crate::problem::Problem;
use crate::telemetry::metrics::Open;
use actix_web::web::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Longest time in which nothing comes.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// What is followed.
#[derive(Debug)]
pub(super) enum Source {
    /// One game.
    Game(Box<GameFollower>),
    /// All games of a portal.
    Portal(Box<FeedFollower>),
}

impl Source {
    /// Where the stream is.
    pub(super) fn place(&self) -> String {
        match self {
            Self::Game(follower) => follower.place(),
            Self::Portal(follower) => follower.place(),
        }
    }

    /// Whether nothing more will happen.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Game(follower) => follower.is_over(),
            Self::Portal(_) => false,
        }
    }

    pub(super) async fn look(&mut self) -> Result<Found, Problem> {
        match self {
            Self::Game(follower) => follower.look().await,
            Self::Portal(follower) => follower.look().await,
        }
    }

    pub(super) async fn woken(&mut self) -> Woken {
        match self {
            Self::Game(follower) => follower.woken().await,
            Self::Portal(follower) => follower.woken().await,
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Game(_) => "game",
            Self::Portal(_) => "portal",
        }
    }
}

/// A stream under way.
struct Body {
    source: Source,
    framing: Framing,
    until: Option<Instant>,
    /// Whether to look before waiting.
    look: bool,
    _open: Open,
}

/// What a source tells, framed. It is asked for more only as fast as the caller takes it.
pub(super) fn of(
    source: Source,
    framing: Framing,
    time: Option<Duration>,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let until = time.map(|time| Instant::now() + time);
    let open = Open::new(source.name());
    let body = Body { source, framing, until, look: true, _open: open };
    unfold(body, async |mut body| body.next().await.map(|bytes| (Ok(bytes), body)))
}

impl Body {
    /// The next bytes; none at the end. A failure ends the stream: whoever reconnects goes on from the last event and
    /// is told then what is wrong.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.look {
                self.look = false;
                // What looking needs is large and rarely needed: an idle stream does without.
                match Box::pin(self.source.look()).await {
                    Ok(Found::New(events)) => {
                        self.look = true;
                        return self.framing.frame(&events).ok();
                    }
                    Ok(Found::Nothing) => {}
                    Ok(Found::End) => return None,
                    Err(problem) => {
                        tracing::debug!(code = problem.code().as_str(), "a stream ends early");
                        return None;
                    }
                }
            }
            match self.wait().await? {
                Next::Look => self.look = true,
                Next::Heartbeat => return Some(self.framing.heartbeat()),
            }
        }
    }

    async fn wait(&mut self) -> Option<Next> {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return None;
        }
        let time = left.map_or(HEARTBEAT, |left| left.min(HEARTBEAT));
        match timeout(time, self.source.woken()).await {
            Ok(Woken::News) => Some(Next::Look),
            Ok(Woken::Stop) => None,
            Err(_) if left == Some(time) => None,
            Err(_) => Some(Next::Heartbeat),
        }
    }
}

enum Next {
    Look,
    Heartbeat,
}
