//! Standard output, with access lines held back for a moment.
//!
//! Writing each of them alone would cost the workers more than answering does. Whatever else is said is written at
//! once, after what was held back, so that lines stay in order. A process that is killed loses the access lines of its
//! last moment.

use std::io::{self, Stdout, Write};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long an access line is held back at most.
const MOMENT: Duration = Duration::from_millis(50);

/// So many bytes are written without waiting longer.
const MOST: usize = 1 << 16;

/// What is held back, and where it goes.
#[derive(Debug)]
pub(super) struct Output {
    held: Mutex<Vec<u8>>,
    /// Told when there is something to write.
    some: Condvar,
    out: Mutex<Out>,
}

#[derive(Debug)]
struct Out {
    stdout: Stdout,
    /// The room that is not in use.
    room: Vec<u8>,
}

impl Output {
    /// Standard output, and a thread that writes what is held back for as long as the process lives.
    pub(super) fn start() -> io::Result<&'static Self> {
        let out = Out { stdout: io::stdout(), room: Vec::new() };
        let output: &'static Self =
            Box::leak(Box::new(Self { held: Mutex::default(), some: Condvar::new(), out: Mutex::new(out) }));
        thread::Builder::new().name("log".to_owned()).spawn(|| output.run())?;
        Ok(output)
    }

    fn run(&self) {
        loop {
            let held = self.some.wait_while(lock(&self.held), |held| held.is_empty());
            drop(held);
            thread::sleep(MOMENT);
            self.write_out();
        }
    }

    /// Writes what is held back. Standard output may be closed; there is no one left to tell then.
    pub(super) fn write_out(&self) {
        // Whoever has this writes; lines come meanwhile.
        let mut out = lock(&self.out);
        let room = mem::take(&mut out.room);
        let mut lines = mem::replace(&mut *lock(&self.held), room);
        let _ = out.stdout.write_all(&lines).and_then(|()| out.stdout.flush());
        lines.clear();
        out.room = lines;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes one line.
#[derive(Debug)]
pub(super) struct Line {
    output: &'static Output,
    at_once: bool,
}

impl Write for Line {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut held = lock(&self.output.held);
        if held.is_empty() && !self.at_once {
            self.output.some.notify_one();
        }
        held.extend_from_slice(line);
        let at_once = self.at_once || held.len() >= MOST;
        drop(held);
        if at_once {
            self.output.write_out();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.write_out();
        Ok(())
    }
}

/// How a subscriber comes by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writers(pub(super) &'static Output);

impl<'a> MakeWriter<'a> for Writers {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { output: self.0, at_once: true }
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Line {
        let access = about.target() == super::ACCESS && *about.level() == Level::INFO;
        Line { output: self.0, at_once: !access }
    }
}
