//! The messages from a server to Postgres: told apart, counted, and stopped at.

use std::sync::Mutex;

/// Where a server is stopped, counted from 1. A round trip is the messages up to one that is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Before this message gets to Postgres; those before it have.
    Message(u64),
    /// Before the message that ends this round trip gets to Postgres; those before it have.
    End(u64),
    /// When Postgres has answered this round trip, before the answer gets to the server.
    Answer(u64),
}

/// What has become of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// The server was stopped.
    Stopped,
    /// It was about to be, in something else that it did meanwhile.
    About,
    /// It sent less than that.
    Never,
}

/// What is to become of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    Stop,
}

/// Counts messages and round trips; stops a server where it is told to.
#[derive(Default)]
pub(super) struct Meter(Mutex<State>);

#[derive(Default)]
struct State {
    messages: u64,
    /// The round trips, each as the letters of its messages.
    trips: Vec<String>,
    stop: Option<(Stop, Box<dyn FnOnce() + Send>)>,
    /// The connection whose next answer is withheld.
    withheld: Option<u64>,
}

impl Meter {
    /// Begins to count anew.
    pub(super) fn reset(&self) {
        let mut state = self.0.lock().unwrap();
        state.messages = 0;
        state.trips.clear();
    }

    /// Begins to count anew, and does `end` at the stop.
    pub(super) fn arm(&self, stop: Stop, end: impl FnOnce() + Send + 'static) {
        self.reset();
        let mut state = self.0.lock().unwrap();
        state.withheld = None;
        state.stop = Some((stop, Box::new(end)));
    }

    /// Forgets the stop; what has become of it.
    pub(super) fn disarm(&self) -> Met {
        let mut state = self.0.lock().unwrap();
        let withheld = state.withheld.take();
        match state.stop.take() {
            None => Met::Stopped,
            Some(_) if withheld.is_some() => Met::About,
            Some(_) => Met::Never,
        }
    }

    /// The round trips since the count began.
    pub(super) fn trips(&self) -> Vec<String> {
        self.0.lock().unwrap().trips.clone()
    }

    pub(super) fn watch(&self, connection: u64) -> Watched<'_> {
        Watched {
            meter: self,
            connection,
            rest: Vec::new(),
            started: false,
            aside: false,
            trip: String::new(),
        }
    }

    pub(super) fn withholds(&self, connection: u64) -> bool {
        self.0.lock().unwrap().withheld == Some(connection)
    }

    /// Does what is to be done at the stop, once.
    pub(super) fn stop(&self) {
        let stop = self.0.lock().unwrap().stop.take();
        if let Some((_, end)) = stop {
            end();
        }
    }
}

/// The messages of one connection.
pub(super) struct Watched<'a> {
    meter: &'a Meter,
    connection: u64,
    rest: Vec<u8>,
    started: bool,
    /// Whether no request is answered with its help.
    aside: bool,
    trip: String,
}

/// What connections call themselves on which processes tell each other that there are events, and those of chores.
const ASIDE: [&[u8]; 2] = [b"kauri events", b"kauri beside"];

/// Asks for TLS, before the message that starts a connection.
const TLS_REQUEST: [u8; 4] = 80_877_103_u32.to_be_bytes();

impl Watched<'_> {
    /// The whole messages that these bytes complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.rest.extend_from_slice(bytes);
        let mut messages = Vec::new();
        loop {
            // Only the messages at the start have no letter.
            let letter = usize::from(self.started);
            let Some(length) = self.rest.get(letter..letter + 4) else { return messages };
            let length = u32::from_be_bytes(length.try_into().unwrap());
            let length = letter + usize::try_from(length).unwrap();
            if self.rest.len() < length {
                return messages;
            }
            let message: Vec<u8> = self.rest.drain(..length).collect();
            self.started = self.started || message.get(4..8) != Some(&TLS_REQUEST[..]);
            messages.push(message);
        }
    }

    /// Counts a message and says what is to become of it.
    ///
    /// A lone Sync is nobody's statement: the pool looks, at its leisure, whether a connection that comes back to
    /// it is alive.
    pub(super) fn judge(&mut self, message: &[u8]) -> Verdict {
        // A message at the start begins with its length, below 2^24: with a zero.
        let letter = if message[0] == 0 { '0' } else { char::from(message[0]) };
        let named = |name: &&[u8]| message.windows(name.len()).any(|part| part == *name);
        self.aside |= letter == '0' && ASIDE.iter().any(named);
        let mut state = self.meter.0.lock().unwrap();
        if self.aside || letter == 'S' && self.trip.is_empty() {
            return Verdict::Pass;
        }
        state.messages += 1;
        self.trip.push(letter);
        let answered = matches!(letter, '0' | 'S' | 'Q' | 'p');
        if answered {
            state.trips.push(std::mem::take(&mut self.trip));
        }
        let trips = u64::try_from(state.trips.len()).unwrap();
        match state.stop.as_ref().map(|(stop, _)| *stop) {
            Some(Stop::Message(at)) if state.messages == at => Verdict::Stop,
            Some(Stop::End(at)) if answered && trips == at => Verdict::Stop,
            Some(Stop::Answer(at)) if answered && trips == at => {
                state.withheld = Some(self.connection);
                Verdict::Pass
            }
            _ => Verdict::Pass,
        }
    }
}
