//! Servers that share a database, and what kills them.

use crate::chance::SplitMix64;
use crate::proof::database::Database;
use crate::proof::process::Kauri;
use crate::proof::proxy::Proxy;
use crate::proof::wire::{Met, Stop};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

/// Messages to Postgres, at most, from a start to a stop.
const MESSAGES: usize = 400;
/// Requests, at most, from a start to a stop.
const REQUESTS: usize = 60;
/// The moment of a stop is this exact: about what a request takes.
const MOMENT_US: u64 = 8_000;

/// Where servers are reached; none while one is down.
pub(super) type Door = Arc<Vec<watch::Sender<Option<SocketAddr>>>>;

pub(super) struct Fleet {
    servers: Vec<Server>,
    door: Door,
}

struct Server {
    running: Kauri,
    url: String,
    /// On the way to Postgres.
    proxy: Option<Proxy>,
}

/// What kills servers until it is stopped.
pub(super) struct Killing {
    door: Door,
    enough: watch::Sender<bool>,
    tasks: Vec<JoinHandle<(u64, Server)>>,
}

impl Fleet {
    pub(super) async fn start(database: &Database, count: usize) -> Self {
        let mut servers = Vec::new();
        for _ in 0..count {
            let proxy = if database.is_postgres() { Some(Proxy::to(database.server()).await) } else { None };
            let by_proxy = proxy.as_ref().map(|proxy| database.by_way_of(proxy.address()));
            let url = by_proxy.unwrap_or_else(|| database.url().to_owned());
            servers.push(Server { running: Kauri::start(&url, &[]).await, url, proxy });
        }
        let at = |server: &Server| watch::channel(Some(server.running.address())).0;
        let door = Arc::new(servers.iter().map(at).collect());
        Self { servers, door }
    }

    pub(super) fn door(&self) -> Door {
        self.door.clone()
    }

    /// Kills each server again and again and starts it anew; `begun` counts the requests.
    pub(super) fn kill_now_and_then(self, mut chance: SplitMix64, begun: &watch::Receiver<u64>) -> Killing {
        let (door, enough) = (self.door, watch::channel(false).0);
        let kill = |(number, server): (usize, Server)| {
            let stop = enough.subscribe();
            tokio::spawn(server.die_and_rise(number, door.clone(), chance.fork(), begun.clone(), stop))
        };
        let tasks = self.servers.into_iter().enumerate().map(kill).collect();
        Killing { door, enough, tasks }
    }
}

impl Killing {
    /// Lets the servers live; how often they were killed.
    pub(super) async fn stop(self) -> (u64, Fleet) {
        self.enough.send_replace(true);
        let (mut kills, mut servers) = (0, Vec::new());
        for task in self.tasks {
            let (times, server) = task.await.unwrap();
            kills += times;
            servers.push(server);
        }
        (kills, Fleet { servers, door: self.door })
    }
}

impl Server {
    async fn die_and_rise(
        mut self,
        number: usize,
        door: Door,
        mut chance: SplitMix64,
        mut begun: watch::Receiver<u64>,
        mut enough: watch::Receiver<bool>,
    ) -> (u64, Self) {
        let mut kills = 0;
        loop {
            tokio::select! {
                biased;
                () = self.death(number, &door, &mut chance, &mut begun) => {}
                _ = enough.wait_for(|&enough| enough) => {
                    // One that met its stop this very moment is started anew first.
                    if self.proxy.as_ref().is_none_or(|proxy| proxy.meter().disarm() != Met::Stopped) {
                        return (kills, self);
                    }
                }
            }
            kills += 1;
            self.running = Kauri::start(&self.url, &[]).await;
            door[number].send_replace(Some(self.running.address()));
        }
    }

    /// Kills the server: between two messages to Postgres, or at any moment of a request.
    async fn death(
        &self,
        number: usize,
        door: &Door,
        chance: &mut SplitMix64,
        begun: &mut watch::Receiver<u64>,
    ) {
        let kill = self.running.killer();
        let closed = door.clone();
        let end = move || {
            closed[number].send_replace(None);
            kill();
        };
        if let Some(proxy) = &self.proxy {
            let at = u64::try_from(1 + chance.below(MESSAGES)).unwrap();
            let stop = *chance.pick(&[Stop::Message(at), Stop::End(at / 4 + 1), Stop::Answer(at / 4 + 1)]);
            let dead = Arc::new(Notify::new());
            let tell = dead.clone();
            proxy.meter().arm(stop, move || {
                end();
                tell.notify_one();
            });
            dead.notified().await;
        } else {
            let target = *begun.borrow() + 1 + u64::try_from(chance.below(REQUESTS)).unwrap();
            // The counter lives as long as the history.
            let _ = begun.wait_for(|&begun| begun >= target).await;
            let moment = Duration::from_micros(chance.next() % MOMENT_US);
            let reached = Instant::now();
            while reached.elapsed() < moment {
                tokio::task::yield_now().await;
            }
            end();
        }
    }
}
