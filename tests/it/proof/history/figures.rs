//! How much a run has tried.

use super::record::{Attempt, Look};
use std::fmt;

/// What a run has tried.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    requests: usize,
    made: usize,
    repeated: usize,
    refused: usize,
    unavailable: usize,
    lost: usize,
    pub(super) steps: usize,
}

impl Figures {
    pub(super) fn of(attempts: &[Attempt], looks: &[Look]) -> Self {
        let mut figures = Self { requests: attempts.len() + looks.len(), ..Self::default() };
        for attempt in attempts {
            *match &attempt.reply {
                None => &mut figures.lost,
                Some(reply) if reply.replayed => &mut figures.repeated,
                Some(reply) if reply.status < 300 => &mut figures.made,
                Some(reply) if reply.status == 503 => &mut figures.unavailable,
                Some(_) => &mut figures.refused,
            } += 1;
        }
        figures
    }

    pub(super) fn add(&mut self, more: &Self) {
        self.requests += more.requests;
        self.made += more.made;
        self.repeated += more.repeated;
        self.refused += more.refused;
        self.unavailable += more.unavailable;
        self.lost += more.lost;
        self.steps += more.steps;
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} requests ({} made something, {} repeats, {} refused, {} unavailable, {} replies lost), {} steps \
             in the logs",
            self.requests, self.made, self.repeated, self.refused, self.unavailable, self.lost, self.steps
        )
    }
}
