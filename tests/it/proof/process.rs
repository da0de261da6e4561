//! The real binary, started, killed and asked to stop.

use super::{database::Database, within};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

/// Lines of a server's log that are kept, to be shown when a test fails.
const LINES_KEPT: usize = 60;

/// A running server; killed when dropped.
pub(super) struct Kauri {
    child: Arc<Mutex<Child>>,
    address: SocketAddr,
    log: Arc<Mutex<VecDeque<String>>>,
}

impl Kauri {
    /// Starts a server on a database.
    pub(super) async fn on(database: &Database) -> Self {
        Self::start(database.url(), &[]).await
    }

    /// Starts a server on a database's URL, with more options; returns when it listens.
    pub(super) async fn start(url: &str, options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kauri"))
            .args(["serve", "--listen", "127.0.0.1:0", "--workers", "2", "--log-format", "json"])
            .args(["--database-url", url])
            .args(options)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let log = Arc::new(Mutex::new(VecDeque::new()));
        let (tell, told) = oneshot::channel();
        let lines = log.clone();
        std::thread::spawn(move || read_log(stdout, &lines, tell));
        let child = Arc::new(Mutex::new(child));
        let mut server = Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)), log };
        server.address = within("a server's first words", told).await.expect("the server stopped at once");
        server
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What kills this server, as `kill -9` does, and returns when it is gone.
    pub(super) fn killer(&self) -> impl Fn() + Send + Sync + 'static {
        let child = self.child.clone();
        move || {
            let mut child = child.lock().unwrap();
            // It may have ended by itself.
            let _ = child.kill();
            child.wait().unwrap();
        }
    }

    /// How many files and connections the server has open.
    pub(super) fn descriptors(&self) -> usize {
        let id = self.child.lock().unwrap().id();
        std::fs::read_dir(format!("/proc/{id}/fd")).unwrap().count()
    }

    /// Asks the server to stop, as an orchestrator does.
    pub(super) fn terminate(&self) {
        let id = self.child.lock().unwrap().id().to_string();
        assert!(Command::new("sh").args(["-c", "kill -TERM \"$0\"", &id]).status().unwrap().success());
    }

    /// Waits until the server has ended.
    pub(super) async fn ended(&self) -> ExitStatus {
        let child = self.child.clone();
        let wait = tokio::task::spawn_blocking(move || child.lock().unwrap().wait().unwrap());
        within("the end of a server", wait).await.unwrap()
    }
}

impl Drop for Kauri {
    fn drop(&mut self) {
        self.killer()();
        if std::thread::panicking() {
            let log = self.log.lock().unwrap();
            let lines: Vec<&str> = log.iter().map(String::as_str).collect();
            eprintln!("the last lines of the server {}:\n{}", self.address, lines.join("\n"));
        }
    }
}

/// Reads a server's log to its end, so that it never waits for a reader; tells its address.
fn read_log(stdout: ChildStdout, log: &Mutex<VecDeque<String>>, tell: oneshot::Sender<SocketAddr>) {
    let mut tell = Some(tell);
    for line in BufReader::new(stdout).lines() {
        let Ok(line) = line else { return };
        if let Some(address) = address_in(&line)
            && let Some(tell) = tell.take()
        {
            // The test may have given up.
            let _ = tell.send(address);
        }
        let mut log = log.lock().unwrap();
        log.push_back(line);
        if log.len() > LINES_KEPT {
            log.pop_front();
        }
    }
}

fn address_in(line: &str) -> Option<SocketAddr> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    if line["message"] != "listening" {
        return None;
    }
    line["address"].as_str()?.parse().ok()
}

/// Runs an operator's command and gives what it prints.
pub(super) fn operate(database: &Database, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kauri"))
        .args(arguments)
        .args(["--database-url", database.url()])
        .env_clear()
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
