//! A way to a server that can be closed, stalled and cut, and that watches what passes.

use super::wire::{Meter, Verdict};
use super::within;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// A proxy; all that goes through it ends when it is dropped.
pub(super) struct Proxy {
    address: SocketAddr,
    ways: Arc<Ways>,
    accepting: Mutex<Option<JoinHandle<()>>>,
}

struct Ways {
    target: String,
    meter: Arc<Meter>,
    /// Connections up to this one are held: nothing gets through, nothing is closed.
    held: watch::Sender<u64>,
    /// Pieces of requests and answers that have been held.
    waiting: watch::Sender<u64>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    made: u64,
    connections: JoinSet<()>,
}

impl Proxy {
    /// A proxy to an address, open.
    pub(super) async fn to(target: &str) -> Self {
        let ways = Arc::new(Ways {
            target: target.to_owned(),
            meter: Arc::default(),
            held: watch::channel(0).0,
            waiting: watch::channel(0).0,
            open: Mutex::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let accepting = Mutex::new(Some(tokio::spawn(accept(listener, ways.clone()))));
        Self { address, ways, accepting }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What watches the messages to Postgres.
    pub(super) fn meter(&self) -> &Arc<Meter> {
        &self.ways.meter
    }

    /// Refuses new connections and cuts those there are.
    pub(super) async fn close(&self) {
        let accepting = self.accepting.lock().unwrap().take();
        if let Some(accepting) = accepting {
            accepting.abort();
            // It ends as aborted; what counts is that the listener is gone.
            let _ = accepting.await;
        }
        self.cut();
    }

    /// Takes connections again, at the same address.
    pub(super) async fn reopen(&self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        *self.accepting.lock().unwrap() = Some(tokio::spawn(accept(listener, self.ways.clone())));
    }

    /// Cuts the connections there are; new ones are taken.
    pub(super) fn cut(&self) {
        self.ways.open.lock().unwrap().connections.abort_all();
    }

    /// Holds every connection, those to come as well: nothing gets through, nothing is closed.
    pub(super) fn stall(&self) {
        self.ways.held.send_replace(u64::MAX);
    }

    /// Waits until so many pieces of requests and answers have been held.
    pub(super) async fn holds(&self, pieces: u64) {
        let mut waiting = self.ways.waiting.subscribe();
        let held = within("something to hold", waiting.wait_for(|&waiting| waiting >= pieces)).await;
        assert!(held.is_ok(), "the proxy is there");
    }

    /// Lets everything through that was held.
    pub(super) fn release(&self) {
        self.ways.held.send_replace(0);
    }

    /// Lets new connections through and never again those there are, as when a host has vanished.
    pub(super) fn forsake(&self) {
        let made = self.ways.open.lock().unwrap().made;
        self.ways.held.send_replace(made);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(accepting) = self.accepting.lock().unwrap().take() {
            accepting.abort();
        }
        self.cut();
    }
}

async fn accept(listener: TcpListener, ways: Arc<Ways>) {
    while let Ok((stream, _)) = listener.accept().await {
        let mut open = ways.open.lock().unwrap();
        open.made += 1;
        let connection = relay(stream, ways.clone(), open.made);
        open.connections.spawn(connection);
        // Those that have ended need no memory.
        while open.connections.try_join_next().is_some() {}
    }
}

async fn relay(client: TcpStream, ways: Arc<Ways>, number: u64) {
    // A server that is gone closes the connection; so does this.
    let Ok(server) = TcpStream::connect(&ways.target).await else { return };
    let quick = client.set_nodelay(true).and(server.set_nodelay(true));
    if quick.is_err() {
        return;
    }
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    // Where one side ends, both do.
    tokio::select! {
        () = forth(from_client, to_server, &ways, number) => {}
        () = back(from_server, to_client, &ways, number) => {}
    }
}

/// Relays what the client sends, message by message once there is something to stop at.
async fn forth(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, ways: &Ways, number: u64) {
    let mut watched = ways.meter.watch(number);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let Ok(read @ 1..) = from.read(&mut buffer).await else { return };
        pass(ways, number).await;
        for message in watched.take(&buffer[..read]) {
            let verdict = watched.judge(&message);
            if verdict == Verdict::Stop {
                ways.meter.stop();
                return;
            }
            if to.write_all(&message).await.is_err() {
                return;
            }
        }
    }
}

async fn back(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, ways: &Ways, number: u64) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let Ok(read @ 1..) = from.read(&mut buffer).await else { return };
        pass(ways, number).await;
        if ways.meter.withholds(number) {
            ways.meter.stop();
            return;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

/// Waits while the connection is held.
async fn pass(ways: &Ways, number: u64) {
    let mut held = ways.held.subscribe();
    if *held.borrow() >= number {
        ways.waiting.send_modify(|waiting| *waiting += 1);
    }
    // The sender lives as long as the proxy, and this no longer.
    let _ = held.wait_for(|&held| number > held).await;
}
