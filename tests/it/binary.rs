//! The real binary, as its operator meets it.

use crate::app::Database;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longest time that anything here may take.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A folder to run the binary in and, unless the binary is to choose, a database.
pub(crate) struct Place {
    folder: TempDir,
    database: Option<Database>,
}

impl Place {
    /// Nothing is configured: the binary uses its defaults.
    pub(crate) fn bare() -> Self {
        Self { folder: TempDir::new().unwrap(), database: None }
    }

    pub(crate) async fn sqlite() -> Self {
        Self { database: Some(Database::sqlite().await), ..Self::bare() }
    }

    pub(crate) async fn postgres() -> Self {
        Self { database: Some(Database::postgres().await), ..Self::bare() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The database's URL, if it was chosen.
    pub(crate) fn url(&self) -> Option<String> {
        self.database.as_ref().map(|database| database.config().database_url)
    }

    /// The binary, with no environment that could change what it does but the database's URL.
    pub(crate) fn kauri(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kauri"));
        command.args(arguments).current_dir(self.path()).env_clear();
        command.envs(self.url().map(|url| ("DATABASE_URL", url)));
        command
    }

    /// Runs a command of the binary to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        Said::by(&mut self.kauri(arguments))
    }

    /// Runs a command that must succeed and say nothing on standard error; what it says otherwise.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let said = self.run(arguments);
        assert!(said.code == Some(0) && said.error.is_empty(), "{arguments:?}: {said:?}");
        said.output
    }

    /// Starts a service on a free port of loopback.
    pub(crate) fn serve(&self) -> Service {
        Service::start(&mut self.kauri(&["serve", "--listen", "127.0.0.1:0", "--workers", "1"]))
    }
}

/// What a command said before it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) error: String,
}

impl Said {
    pub(crate) fn by(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code(),
            output: String::from_utf8(output.stdout).unwrap(),
            error: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Fails the test unless the command failed with one line that says this.
    pub(crate) fn refused(&self, why: &str) {
        let one_line = self.error.starts_with("kauri: ") && self.error.lines().count() == 1;
        let said = self.code == Some(1) && one_line && self.error.contains(why);
        assert!(said, "not {why:?}: {self:?}");
    }
}

/// A started service; killed when dropped.
pub(crate) struct Service {
    process: Child,
    /// Reads on, or the service would wait for room to write its log.
    log: Option<JoinHandle<String>>,
    pub(crate) address: SocketAddr,
}

impl Service {
    /// Starts a `kauri serve`; returns when it listens.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut process = command.env("KAURI_LOG_FORMAT", "json").stdout(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(process.stdout.take().unwrap());
        let address = line_with(&mut log, "listening")["address"].as_str().unwrap().parse().unwrap();
        let log = Some(std::thread::spawn(move || read(log)));
        Self { process, log, address }
    }

    /// Opens a bare connection and sends these bytes on it.
    pub(crate) fn connect(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.address.port())).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    }

    /// Sends a request; a body is sent as JSON by POST.
    pub(crate) fn ask(&self, path: &str, key: Option<&str>, body: Option<&Value>) -> Answer {
        let method = if body.is_some() { "POST" } else { "GET" };
        let body = body.map(Value::to_string).unwrap_or_default();
        let key = key.map(|key| format!("authorization: Bearer {key}\r\n")).unwrap_or_default();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\n{key}content-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            body.len()
        );
        let answer = rest(self.connect(text.as_bytes()));
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Answer { status: head[9..12].parse().unwrap(), json: serde_json::from_str(body).unwrap() }
    }

    /// Asks it to stop.
    pub(crate) fn terminate(&self) {
        let killed = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status().unwrap();
        assert!(killed.success());
    }

    /// Waits until it has stopped as it should; what it logged since it began to listen.
    pub(crate) fn end(mut self) -> String {
        let began = Instant::now();
        while self.process.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < PATIENCE, "it does not stop");
            std::thread::yield_now();
        }
        let log = self.log.take().unwrap().join().unwrap();
        assert_eq!(self.process.wait().unwrap().code(), Some(0), "{log}");
        log
    }

    /// Asks it to stop and waits until it has.
    pub(crate) fn stop(self) -> String {
        self.terminate();
        self.end()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It has usually ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An answer, as a test looks at it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) json: Value,
}

impl Answer {
    /// The status and, of a problem, the code.
    pub(crate) fn told(&self) -> (u16, &str) {
        (self.status, self.json["code"].as_str().unwrap_or_default())
    }
}

fn read(mut log: BufReader<ChildStdout>) -> String {
    let mut text = String::new();
    log.read_to_string(&mut text).unwrap();
    text
}

/// Reads the log up to a message.
fn line_with(log: &mut impl BufRead, message: &str) -> Value {
    for line in log.lines() {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if line["message"] == message {
            return line;
        }
    }
    panic!("the log ended without {message:?}");
}

/// What is still to come on a connection.
pub(crate) fn rest(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
