//! No secret is ever said: not in a log at its most talkative, not in a problem, not in a URL.

use crate::app::on_both_databases;
use crate::binary::{Answer, Place, Service};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;

const KEY: &str = "idempotency-of-a-secret-kind-5f2b";

/// What a request may carry that must not be said again.
struct Caller<'a> {
    service: &'a Service,
    said: String,
}

impl Caller<'_> {
    /// Sends a request and remembers everything that came back.
    fn ask(&mut self, method: &str, path: &str, authorization: &str, body: &str) -> Answer {
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: {authorization}\r\nidempotency-key: {KEY}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(self.service.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let answer = Answer {
            status: head[9..12].parse().unwrap(),
            json: serde_json::from_str(body).unwrap_or(Value::Null),
        };
        // The answer that makes a game or an endpoint is the one place where its secrets are told.
        let tells =
            (["/games", "/webhooks"].contains(&path) && answer.status == 201) || path.ends_with("/secret");
        if !tells {
            self.said.push_str(head);
            self.said.push_str(body);
        }
        answer
    }
}

/// The part of a credential that nobody else may know.
fn secret_part(credential: &str) -> &str {
    credential.rsplit('_').next().unwrap()
}

on_both_databases! {
    async fn a_full_run_says_no_secret(place: Place) {
        let key = place.done(&["keys", "create", "--portal", "club"]).trim().to_owned();
        let url = place.url().unwrap();
        let command = &mut place.kauri(&["serve", "--listen", "127.0.0.1:0", "--log", "trace"]);
        let service = Service::start(command);
        let mut caller = Caller { service: &service, said: String::new() };
        let owner = format!("Bearer {key}");
        let made = caller.ask("POST", "/games", &owner, &json!({"rules": "ashta-kashte"}).to_string());
        assert_eq!(made.status, 201);
        let tokens = made.json["seat_tokens"].as_array().unwrap();
        let tokens: Vec<&str> = tokens.iter().map(|token| token["token"].as_str().unwrap()).collect();
        let game = format!("/games/{}", made.json["id"].as_str().unwrap());

        let hook = caller.ask("POST", "/webhooks", &owner, r#"{"url":"https://portal.example/"}"#);
        let hook_path = format!("/webhooks/{}", hook.json["id"].as_str().unwrap());
        let rotated = caller.ask("POST", &format!("{hook_path}/secret"), &owner, "{}");
        let hooks = [&hook, &rotated].map(|answer| answer.json["secret"].as_str().unwrap().trim_start_matches("whsec_").to_owned());

        let flipped = format!("{}{}", &key[..key.len() - 1], if key.ends_with('0') { '1' } else { '0' });
        let shown = [
            owner.clone(),
            format!("Bearer {}", tokens[0]),
            format!("Bearer {}", tokens[1]),
            format!("Bearer {flipped}"),
            format!("Basic {key}"),
            key.clone(),
            format!("Bearer {key} {key}"),
        ];
        let bodies = [r#"{"move":"throw"}"#, r#"{"move":"zz"}"#, "{", r#"{"mvoe":1}"#, "{}"];
        let mut asked = 0;
        for authorization in &shown {
            for path in [&game, &format!("{game}/moves"), "/games", &hook_path, "/webhooks", "/openapi.json", "/nowhere", "/metrics"] {
                asked += 1;
                caller.ask("GET", path, authorization, "");
            }
            for path in [&format!("{game}/moves"), "/games", &format!("{game}/abort"), &format!("{game}/resignation"), &game] {
                for body in bodies {
                    asked += 1;
                    caller.ask("POST", path, authorization, body);
                }
            }
        }
        let said = caller.said;
        let log = service.stop();
        assert!(log.lines().count() > asked, "every request is in the log");
        let listed = place.done(&["keys", "list"]);

        let mut secrets = vec![KEY, secret_part(&key), secret_part(&flipped), &key];
        secrets.extend(hooks.iter().map(String::as_str));
        secrets.extend(tokens.iter().copied());
        secrets.extend(tokens.iter().map(|token| secret_part(token)));
        for secret in secrets {
            for (name, text) in [("the log", &log), ("an answer", &said), ("the list of keys", &listed)] {
                assert!(!text.contains(secret), "{name} says {}…", &secret[..8]);
            }
        }
        if let Some(password) = url.split_once("://").and_then(|(_, rest)| rest.split_once('@')).and_then(|(user, _)| user.split_once(':')) {
            assert!(!log.contains(password.1), "the log says the database's password");
        }
    }
}
