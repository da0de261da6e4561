//! A start without the database.

use crate::app::Database;
use crate::binary::{PATIENCE, Place, Said, Service};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A Postgres database that is not there until it is let in.
struct Absent {
    database: Database,
    port: u16,
}

impl Absent {
    async fn new() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { database: Database::postgres().await, port: free.local_addr().unwrap().port() }
    }

    fn there(&self) -> String {
        self.database.config().database_url
    }

    /// Who connects, where, and the name of the database.
    fn parts(&self) -> (String, String, String) {
        let url = self.there();
        let (user, rest) = url.split_once("://").unwrap().1.split_once('@').unwrap();
        let (host, name) = rest.split_once('/').unwrap();
        (user.to_owned(), host.to_owned(), name.to_owned())
    }

    fn serve(&self, place: &Place, listen: &str) -> Command {
        let (user, _, name) = self.parts();
        let mut command = place.kauri(&["serve", "--listen", listen, "--workers", "1"]);
        command.env("DATABASE_URL", format!("postgres://{user}@127.0.0.1:{}/{name}", self.port));
        command
    }

    /// From now on it is there.
    fn appear(&self) {
        let (_, host, _) = self.parts();
        let listener = TcpListener::bind(("127.0.0.1", self.port)).unwrap();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&host).unwrap());
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    std::thread::spawn(move || {
                        // An end of either side ends both.
                        let _ = io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
    }

    /// Makes its migrations other ones than this version's.
    async fn spoil(&self) {
        drop(self.database.store().await);
        let mut connection = PgConnection::connect(&self.there()).await.unwrap();
        sqlx::query("UPDATE _sqlx_migrations SET checksum = ''").execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
}

fn becomes_ready(service: &Service) {
    let began = Instant::now();
    while service.ask("/readyz", None, None).status != 200 {
        assert!(began.elapsed() < PATIENCE, "it does not find the database");
    }
}

#[tokio::test]
async fn what_needs_no_database_is_answered_and_the_rest_when_it_comes() {
    let absent = Absent::new().await;
    let place = Place::bare();
    let service = Service::start(&mut absent.serve(&place, "127.0.0.1:0"));
    assert_eq!(service.ask("/healthz", None, None).status, 200);
    assert_eq!(service.ask("/rules/kauri/initial", None, Some(&json!({}))).status, 200);
    let new = json!({"rules": "kauri"});
    assert_eq!(service.ask("/readyz", None, None).told(), (503, "unavailable"));
    assert_eq!(service.ask("/games", None, None).told(), (503, "unavailable"));
    assert_eq!(service.ask("/games", None, Some(&new)).told(), (503, "unavailable"));
    absent.appear();
    becomes_ready(&service);
    assert_eq!(service.ask("/games", None, Some(&new)).status, 201);
    let log = service.stop();
    assert!(log.contains("the database is there") && !log.contains("\"ERROR\""), "{log}");
}

#[tokio::test]
async fn it_stops_without_having_found_the_database() {
    let absent = Absent::new().await;
    let place = Place::bare();
    Service::start(&mut absent.serve(&place, "127.0.0.1:0")).stop();
}

#[tokio::test]
async fn a_database_that_can_not_be_asked_for_keys_opens_nothing() {
    let absent = Absent::new().await;
    let place = Place::bare();
    Said::by(&mut absent.serve(&place, "0.0.0.0:0")).refused("--open");
    let service = Service::start(absent.serve(&place, "0.0.0.0:0").arg("--open"));
    assert_eq!(service.ask("/rules", None, None).status, 200);
}

#[tokio::test]
async fn a_database_that_can_not_be_migrated_ends_it() {
    let absent = Absent::new().await;
    absent.spoil().await;
    let place = Place::bare();
    let mut now = place.kauri(&["serve", "--listen", "127.0.0.1:0"]);
    Said::by(now.env("DATABASE_URL", absent.there())).refused("could not be migrated");
    let mut later = absent.serve(&place, "127.0.0.1:0");
    let service = later.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    absent.appear();
    let output = service.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.lines().count() == 1 && error.contains("could not be migrated"), "{error}");
}
