//! Binding, serving, stopping.

mod opening;

use crate::app::Shared;
use crate::config::Serve;
use crate::context::{Context, World};
use crate::events::Hub;
use crate::stopping::Stopping;
use crate::store::{Store, StoreError};
use crate::webhooks::{SystemNetwork, Webhooks};
use crate::{chores, connection, events, limits, telemetry, webhooks};
use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::{App, HttpServer, rt};
use futures_util::future::select;
use metrics_exporter_prometheus::BuildError;
use opening::Opening;
use socket2::SockRef;
use std::any::Any;
use std::cell::Cell;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Longest time a caller may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an idle connection is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// Longest time that closing the database may take at a stop.
const SETTLE: Duration = Duration::from_secs(5);

/// Longest time that webhooks in flight may take at a stop. What takes longer is posted again.
const LAST_POSTS: Duration = Duration::from_secs(5);

/// How often memory held for callers that have gone is freed.
const TIDY_EVERY: Duration = Duration::from_secs(10);

/// Why the service did not start, or did not go on.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database can't be used.
    #[error("the database can't be used: {0}")]
    Store(#[from] StoreError),
    /// The address can't be listened on.
    #[error("can't listen on {address}: {cause}")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the operating system says.
        cause: io::Error,
    },
    /// Anyone could do anything.
    #[error(
        "{0} can be reached from other hosts and there is no portal key; make one with `kauri keys create`, or \
         allow everything to everyone with --open"
    )]
    Exposed(SocketAddr),
    /// Anyone might be able to do anything.
    #[error(
        "{0} can be reached from other hosts and the database, which is not there yet, can't be asked whether there \
         is a portal key; start it first, or allow everything to everyone with --open"
    )]
    Unasked(SocketAddr),
    /// Signals or counting can't be set up.
    #[error("can't watch for signals: {0}")]
    Signals(#[from] io::Error),
    /// Serving failed.
    #[error("can't serve: {0}")]
    Serve(#[source] io::Error),
    /// Counting can't be set up.
    #[error("can't count requests: {0}")]
    Counting(#[from] BuildError),
}

/// The service, bound to its address.
pub struct Application {
    server: Server,
    address: SocketAddr,
    context: Context,
    shared: Shared,
    opening: Opening,
}

impl Application {
    /// Listens, and opens the database. Requests are answered once [`run`](Self::run) is awaited, until `stop` is. A
    /// Postgres database need not be there yet: it is tried on while what needs none of it is answered.
    pub async fn bind(
        config: &Serve,
        world: Arc<dyn World>,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Self, StartError> {
        let (tell, stopping) = Stopping::channel();
        let stop = async move {
            stop.await;
            tell.set();
        };
        let (store, migration) = Store::prepare(&config.database).await?;
        let context = Context {
            store,
            world,
            idempotency_ttl: config.idempotency_ttl,
            seen: Arc::default(),
            cursor_key: Arc::default(),
            hub: Arc::new(Hub::new(stopping.clone())),
            stopping,
            webhooks: Arc::new(Webhooks::new(config, Arc::new(SystemNetwork))),
        };
        let shared = Shared::new(config, context.clone())?;
        let (server, address) = listen(config, shared.clone(), stop)
            .map_err(|cause| StartError::Listen { address: config.listen, cause })?;
        let mut opening = Opening::new(migration);
        let open = opening.try_once().await?;
        if !config.open && !config.listen.ip().is_loopback() {
            if !open {
                return Err(StartError::Unasked(config.listen));
            }
            if !context.store.has_portal_keys().await? {
                return Err(StartError::Exposed(config.listen));
            }
        }
        Ok(Self { server, address, context, shared, opening })
    }

    /// The address, with the port that was really taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What the handlers are given.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Serves until told to stop, then finishes the requests in flight. Ends early when the database, once it is there,
    /// turns out to be one that can't be used.
    pub async fn run(self) -> Result<(), StartError> {
        tracing::info!(address = %self.address, version = env!("CARGO_PKG_VERSION"), "listening");
        let Self { server, context, shared, mut opening, .. } = self;
        let (handle, mut server) = (server.handle(), pin!(server));
        let tidying = rt::spawn(tidy(shared));
        let open = Cell::new(false);
        let mut beside = Box::pin(async {
            if let Err(error) = opening.finish().await {
                return error;
            }
            open.set(true);
            let (chores, events) = (chores::run(context.clone()), Box::pin(events::run(&context)));
            tokio::join!(chores, events, webhooks::run(&context));
            pending().await
        });
        let (ended, failed) = tokio::select! {
            ended = &mut server => {
                // What is being posted may still be answered.
                let idle = pin!(context.webhooks.idle());
                drop(tokio::time::timeout(LAST_POSTS, select(idle, beside.as_mut())).await);
                (ended, None)
            }
            error = &mut beside => {
                // The server is told at once; that it has stopped is seen by it having ended.
                drop(handle.stop(true));
                (server.await, Some(error))
            }
        };
        // What is done beside requests holds connections, which the database waits for when it is closed.
        drop(beside);
        tidying.abort();
        settle(&context, open.get()).await;
        tracing::info!("stopped");
        match failed {
            Some(error) => Err(error.into()),
            None => ended.map_err(StartError::Serve),
        }
    }
}

/// Closes the database, after the last chores if it was open.
async fn settle(context: &Context, open: bool) {
    let settled = async {
        if open {
            chores::once(context).await;
        }
        context.store.close().await;
    };
    if tokio::time::timeout(SETTLE, settled).await.is_err() {
        tracing::warn!("stopped without waiting longer for the database");
    }
}

async fn tidy(shared: Shared) {
    let mut ticks = tokio::time::interval(TIDY_EVERY);
    loop {
        ticks.tick().await;
        shared.tidy();
    }
}

/// Has the system end a connection on which what is sent is not taken for so long. Nothing else would: while an answer
/// can't be written, the web server waits for the caller.
fn bound_sending(connection: &dyn Any, limit: Duration) {
    let Some(stream) = connection.downcast_ref::<rt::net::TcpStream>() else { return };
    #[cfg(target_os = "linux")]
    let set = SockRef::from(stream).set_tcp_user_timeout(Some(limit));
    #[cfg(not(target_os = "linux"))]
    let set = {
        // Elsewhere only a caller that is gone is noticed.
        let keepalive = socket2::TcpKeepalive::new().with_time(limit);
        SockRef::from(stream).set_tcp_keepalive(&keepalive)
    };
    if let Err(error) = set {
        tracing::warn!(%error, "a connection has no time limit for sending");
    }
}

/// Whole seconds that are no less.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

fn listen(
    config: &Serve,
    shared: Shared,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<(Server, SocketAddr)> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let workers = if config.workers == 0 { cores() } else { config.workers };
    let send_timeout = config.send_timeout;
    let connections =
        config.database.connections(workers).div_ceil(u32::try_from(workers).unwrap_or(u32::MAX));
    let server = HttpServer::new(move || {
        let shared = shared.here(connections);
        App::new()
            .wrap(from_fn(limits::guard))
            .wrap(from_fn(telemetry::observe))
            .wrap(from_fn(connection::decline_upgrade))
            .configure(|config| shared.configure(config))
    })
    .client_request_timeout(HEAD_TIMEOUT)
    .keep_alive(KEEP_ALIVE)
    .on_connect(move |connection, _| bound_sending(connection, send_timeout))
    .workers(workers)
    .max_connections(config.max_connections.div_ceil(workers))
    .shutdown_timeout(whole_seconds(config.shutdown_timeout))
    .shutdown_signal(stop);
    let server = server.bind(config.listen)?;
    let address = server.addrs().first().copied().unwrap_or(config.listen);
    Ok((server.run(), address))
}

/// Ends when the process is asked to stop, by SIGTERM or SIGINT.
pub fn stop_signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping");
    })
}

#[cfg(test)]
mod tests {
    use super::{Duration, whole_seconds};

    #[test]
    fn a_part_of_a_second_counts_as_a_whole_one() {
        for (millis, seconds) in [(0, 0), (1, 1), (500, 1), (1_000, 1), (1_001, 2)] {
            assert_eq!(whole_seconds(Duration::from_millis(millis)), seconds);
        }
    }
}
