//! The real binary: starts, tells its address, answers, stops.

use clap::CommandFactory;
use kauri::config::Cli;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longest time that anything here may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The binary, in a folder of its own and with no environment that could change what it does.
fn kauri(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kauri"));
    command.args(arguments).current_dir(folder.path()).env_clear();
    command
}

fn output(folder: &TempDir, arguments: &[&str]) -> Output {
    kauri(folder, arguments).output().unwrap()
}

/// A started service; killed when dropped.
struct Service {
    process: Child,
    log: BufReader<ChildStdout>,
    address: SocketAddr,
    folder: TempDir,
}

impl Service {
    fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let line = ["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--workers", "1"];
        let mut process = kauri(&folder, &line).stdout(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(process.stdout.take().unwrap());
        let address = line_with(&mut log, "listening")["address"].as_str().unwrap().parse().unwrap();
        Self { process, log, address, folder }
    }

    fn connect(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    }

    fn get(&self, path: &str) -> String {
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer s3cret\r\nconnection: close\r\n\r\n"
        );
        rest(self.connect(head.as_bytes()))
    }

    fn terminate(&self) {
        let killed = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status().unwrap();
        assert!(killed.success());
    }

    /// Waits for the end; the exit code and what was logged since.
    fn end(mut self) -> (Option<i32>, String) {
        let began = Instant::now();
        while self.process.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < PATIENCE, "it does not stop");
            std::thread::yield_now();
        }
        let mut log = String::new();
        self.log.read_to_string(&mut log).unwrap();
        (self.process.wait().unwrap().code(), log)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It has usually ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads the log up to a message.
fn line_with(log: &mut impl BufRead, message: &str) -> serde_json::Value {
    for line in log.lines() {
        let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        if line["message"] == message {
            return line;
        }
    }
    panic!("the log ended without {message:?}");
}

fn rest(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_starts_without_configuration_answers_and_stops() {
    let service = Service::start();
    assert!(service.get("/healthz").starts_with("HTTP/1.1 200 "));
    assert!(service.get("/readyz").starts_with("HTTP/1.1 200 "));
    assert!(service.get("/nope?key=s3cret").starts_with("HTTP/1.1 404 "));
    assert!(service.folder.path().join("kauri.db").exists());
    let address = service.address.to_string();
    let healthy = output(&service.folder, &["healthcheck", "--listen", &address]);
    assert!(healthy.status.success(), "{healthy:?}");
    service.terminate();
    let (code, log) = service.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("s3cret"), "{log}");
    let lines: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let missing = lines.iter().find(|line| line["status"] == 404).unwrap();
    assert_eq!((&missing["level"], &missing["span"]["route"]), (&"INFO".into(), &"none".into()));
    assert!(missing["latency_us"].is_u64() && missing["span"]["request_id"].is_string(), "{missing}");
    assert!(lines.iter().all(|line| line["level"] != "ERROR"), "{log}");
}

#[test]
fn a_stop_finishes_the_request_in_flight() {
    let service = Service::start();
    let mut stream = service.connect(
        b"POST /rules/kauri/initial HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
          expect: 100-continue\r\n\r\n",
    );
    // The interim answer says that the request is being handled.
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).unwrap();
    assert!(interim.starts_with(b"HTTP/1.1 100 "), "{}", String::from_utf8_lossy(&interim));
    service.terminate();
    let began = Instant::now();
    while TcpStream::connect(service.address).is_ok() {
        assert!(began.elapsed() < PATIENCE, "it goes on listening");
        std::thread::yield_now();
    }
    stream.write_all(b"{}").unwrap();
    let answer = rest(stream);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("legal_moves"), "{answer}");
    let (code, log) = service.end();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn what_keeps_it_from_starting_is_said_in_one_line() {
    let folder = TempDir::new().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, said) in [
        (vec!["serve", "--listen", "127.0.0.1:0", "--database-url", "mysql://root:s3cret@x/y"], "database"),
        (
            vec!["serve", "--listen", "127.0.0.1:0", "--database-url", "postgres://u:s3cret@127.0.0.1:1/y"],
            "database",
        ),
        (vec!["serve", "--listen", "0.0.0.0:0"], "--open"),
        (vec!["serve", "--listen", "127.0.0.1:0", "--log", "a=b=c"], "log"),
        (vec!["healthcheck", "--listen", "127.0.0.1:1"], "refused"),
        (vec!["openapi", "--check", "--dir", "nowhere"], "not current"),
    ] {
        let output = output(&folder, &arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(
            error.starts_with("kauri: ") && error.lines().count() == 1 && error.contains(said),
            "{arguments:?}: {error}"
        );
        assert!(!error.contains("s3cret"), "{error}");
    }
    drop(taken);
}

#[test]
fn a_taken_port_is_named() {
    let folder = TempDir::new().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let output = output(&folder, &["serve", "--listen", &address]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.lines().count()), (Some(1), 1), "{error}");
    assert!(error.contains(&address), "{error}");
}

#[test]
fn the_documents_are_written_and_then_current() {
    let folder = TempDir::new().unwrap();
    assert!(output(&folder, &["openapi"]).status.success());
    assert!(output(&folder, &["openapi", "--check"]).status.success());
    std::fs::write(folder.path().join("openapi/openapi.json"), "{}").unwrap();
    assert_eq!(output(&folder, &["openapi", "--check"]).status.code(), Some(1));
}

#[test]
fn help_lists_every_flag_with_its_variable() {
    let folder = TempDir::new().unwrap();
    let help = String::from_utf8(output(&folder, &["serve", "--help"]).stdout).unwrap();
    let command = Cli::command();
    let serve = command.find_subcommand("serve").unwrap();
    for argument in
        serve.get_arguments().filter(|argument| argument.get_id() != "help" && argument.get_id() != "version")
    {
        let flag = argument.get_long().unwrap();
        let variable =
            argument.get_env().unwrap_or_else(|| panic!("--{flag} has no variable")).to_str().unwrap();
        assert!(
            help.contains(&format!("--{flag}")) && help.contains(&format!("[env: {variable}")),
            "--{flag}"
        );
    }
}
