//! The real binary: starts, tells its address, answers, stops.

use crate::binary::{PATIENCE, Place, Service, rest};
use clap::CommandFactory;
use kauri::config::Cli;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

#[test]
fn it_starts_without_configuration_answers_and_stops() {
    let place = Place::bare();
    let service = place.serve();
    for (path, status) in [("/healthz", 200), ("/readyz", 200), ("/nope?key=s3cret", 404)] {
        assert_eq!(service.ask(path, Some("s3cret"), None).status, status, "{path}");
    }
    assert!(rest(service.connect(b"GET /<script> HTTP/1.1\r\nhost: x\r\n\r\n")).starts_with("HTTP/1.1 400 "));
    assert!(place.path().join("kauri.db").exists());
    place.done(&["healthcheck", "--listen", &service.address.to_string()]);
    let log = service.stop();
    assert!(!log.contains("s3cret"), "{log}");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let missing = lines.iter().find(|line| line["status"] == 404).unwrap();
    assert_eq!((&missing["level"], &missing["span"]["route"]), (&"INFO".into(), &"none".into()));
    assert!(missing["latency_us"].is_u64() && missing["span"]["request_id"].is_string(), "{missing}");
    assert!(lines.iter().all(|line| line["level"] != "ERROR"), "{log}");
}

/// Begins a request whose body is still to come; returns when it is being handled.
fn begin(service: &Service, path: &str, length: usize) -> TcpStream {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         expect: 100-continue\r\n\r\n"
    );
    let mut stream = service.connect(head.as_bytes());
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).unwrap();
    assert!(interim.starts_with(b"HTTP/1.1 100 "), "{}", String::from_utf8_lossy(&interim));
    stream
}

/// Asks a service to stop; returns when it no longer listens.
fn close(service: &Service) {
    service.terminate();
    let began = Instant::now();
    while TcpStream::connect(service.address).is_ok() {
        assert!(began.elapsed() < PATIENCE, "it goes on listening");
        std::thread::yield_now();
    }
}

#[test]
fn a_stop_finishes_the_request_in_flight() {
    let place = Place::bare();
    let service = place.serve();
    let mut stream = begin(&service, "/rules/kauri/initial", 2);
    close(&service);
    stream.write_all(b"{}").unwrap();
    let answer = rest(stream);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("legal_moves"), "{answer}");
    service.end();
}

#[tokio::test]
async fn a_worker_that_ends_takes_no_connection_to_the_database_with_it() {
    let place = Place::postgres().await;
    let service = Service::start(&mut place.kauri(&["serve", "--listen", "127.0.0.1:0", "--workers", "2"]));
    // Workers take turns: one has the connection opened, and ends early; the other still needs it.
    assert_eq!(service.ask("/games", None, None).status, 200);
    let new = r#"{"rules":"kauri"}"#;
    let mut stream = begin(&service, "/games", new.len());
    close(&service);
    stream.write_all(new.as_bytes()).unwrap();
    let answer = rest(stream);
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    let log = service.end();
    assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
}

#[test]
fn what_keeps_it_from_starting_is_said_in_one_line() {
    let place = Place::bare();
    for (arguments, why) in [
        (vec!["serve", "--listen", "127.0.0.1:0", "--database-url", "mysql://root:s3cret@x/y"], "database"),
        (vec!["serve", "--listen", "127.0.0.1:0", "--database-url", "postgres://u:s3cret@[x/y"], "database"),
        (vec!["keys", "list", "--database-url", "postgres://u:s3cret@127.0.0.1:1/y"], "database"),
        (vec!["serve", "--listen", "0.0.0.0:0"], "--open"),
        (vec!["serve", "--listen", "127.0.0.1:0", "--log", "a=b=c"], "log"),
        (vec!["healthcheck", "--listen", "127.0.0.1:1"], "refused"),
        (vec!["openapi", "--check", "--dir", "nowhere"], "not current"),
    ] {
        let said = place.run(&arguments);
        said.refused(why);
        assert!(!said.error.contains("s3cret"), "{said:?}");
    }
}

#[test]
fn a_limit_that_would_refuse_everything_is_refused() {
    let place = Place::bare();
    for (flag, value, why) in [
        ("--request-timeout", "0", "at least 0.001 seconds"),
        ("--request-timeout", "0.0000001", "at least 0.001 seconds"),
        ("--idempotency-ttl", "0", "at least 0.001 seconds"),
        ("--idempotency-ttl", "soon", "a number of seconds"),
        ("--max-body", "0", "at least 1 byte"),
        ("--max-body", "1k", "a number of bytes"),
        ("--send-timeout", "0", "at least 0.001 seconds"),
        ("--max-connections", "0", "at least 1"),
    ] {
        let said = place.run(&["serve", flag, value]);
        assert!(said.code == Some(2) && said.error.contains(why) && said.error.contains(flag), "{said:?}");
    }
}

#[test]
fn a_taken_port_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    Place::bare().run(&["serve", "--listen", &address]).refused(&address);
}

#[test]
fn the_documents_are_written_and_then_current() {
    let place = Place::bare();
    place.done(&["openapi"]);
    place.done(&["openapi", "--check"]);
    std::fs::write(place.path().join("openapi/openapi.json"), "{}").unwrap();
    place.run(&["openapi", "--check"]).refused("openapi.json is not current");
}

#[test]
fn help_lists_every_flag_with_its_variable() {
    let help = Place::bare().done(&["serve", "--help"]);
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
