//! The network, as far as webhooks need it, so that tests can bring their own.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use tokio::net::TcpStream;

/// Names and connections.
pub trait Network: fmt::Debug + Send + Sync {
    /// The addresses that a name stands for, now.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    /// A connection to this very address.
    fn connect(&self, address: SocketAddr) -> BoxFuture<'static, io::Result<TcpStream>>;
}

/// The real network, names as the operating system knows them. No proxy is asked, whatever the environment says: it
/// would connect where it likes.
#[derive(Clone, Copy, Debug)]
pub struct SystemNetwork;

impl Network for SystemNetwork {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        async move { Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect()) }
            .boxed()
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'static, io::Result<TcpStream>> {
        TcpStream::connect(address).boxed()
    }
}
