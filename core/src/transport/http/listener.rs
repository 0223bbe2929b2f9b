//! Listens on a port and serves what connects there, until it is stopped.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use super::bind;
use super::config::HttpConfig;
use super::connections::{Connections, Phase};
use super::incoming::{self, Intake};
use super::patience::Patience;
use super::protocols::protocols;
use super::service::HttpService;
use super::subscriptions::Subscriptions;
use crate::host_error::HostError;
use crate::runtime::async_runtime::NoRuntime;
use crate::runtime::fork_guard::ForkGuard;
use crate::server::engine::Server;
use crate::server::shutdown::Service;

/// How long to wait for what only has to be torn down.
const TEAR_DOWN: Duration = Duration::from_secs(1);

/// Serves `server` over HTTP/1.1 and HTTP/2 on the address of `config`.
///
/// The address is bound on the caller's thread, so that an error is known when this returns; requests are served
/// on the server's own threads. A server may have several listeners. It stops with the server, or when it is
/// shut down or dropped.
pub fn serve_http(server: &Arc<Server>, config: &HttpConfig) -> Result<Listener, HostError> {
    server.check_process()?;
    let service = Arc::new(HttpService::new(server, config)?);
    let runtime = server.runtime().handle().map_err(|why| match why {
        NoRuntime::Forked => HostError::Forked,
        NoRuntime::Closed => HostError::ShutDown,
        NoRuntime::Start(_) => HostError::Io(why.to_string()),
    })?;
    let _entered = runtime.enter();
    let (socket, address) = bind::open(SocketAddr::new(config.address, config.port))?;
    let connections = Connections::new();
    let patience = Patience::new(config.head_timeout, config.idle_timeout);
    let control = Arc::new(Control {
        subscriptions: service.subscriptions().clone(),
        connections: connections.clone(),
        taking_in: OnceLock::new(),
        ticking: runtime.spawn(tick(connections.clone(), patience)).abort_handle(),
        runtime: runtime.clone(),
        fork: ForkGuard::new(),
    });
    let serving = server.services().begin(control.clone())?;
    let accepting = connections.accepting();
    let intake = Arc::new(Intake {
        service,
        connections,
        protocols: protocols(),
        free: Arc::new(Semaphore::new(config.max_connections.clamp(1, Semaphore::MAX_PERMITS))),
        _serving: serving,
    });
    let taking_in = runtime.spawn(incoming::take_in(socket, intake, accepting)).abort_handle();
    let _ = control.taking_in.set(taking_in);
    Ok(Listener { address, server: server.clone(), control })
}

/// An open port. Dropping it closes the port and every connection.
pub struct Listener {
    address: SocketAddr,
    server: Arc<Server>,
    control: Arc<Control>,
}

impl Listener {
    /// The port that is listened on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address that is listened on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops: the port is free at once, connections without a request are closed, subscriptions end with their
    /// result, and calls in flight may be answered for as long as `drain`; then they are cancelled and their
    /// connections closed. Returns when all of that is done.
    ///
    /// Fails on a thread for which it would wait, and in a process forked from the one that made the listener.
    pub fn shutdown(&self, drain: Duration) -> Result<(), HostError> {
        self.server.check_process()?;
        self.server.check_may_wait()?;
        let begun = Instant::now();
        self.control.stop(drain);
        let deadline = drain.checked_add(TEAR_DOWN).and_then(|bound| begun.checked_add(bound));
        self.control.connections.wait_until_none(deadline);
        Ok(())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.control.stop(Duration::ZERO);
    }
}

/// What is needed to stop a listener.
struct Control {
    subscriptions: Arc<Subscriptions>,
    connections: Arc<Connections>,
    taking_in: OnceLock<AbortHandle>,
    ticking: AbortHandle,
    runtime: Handle,
    fork: ForkGuard,
}

impl Service for Control {
    fn stop(&self, drain: Duration) {
        if self.fork.forked() {
            // The tasks are the parent's, and so are the locks that they may hold.
            return;
        }
        if let Some(taking_in) = self.taking_in.get() {
            taking_in.abort();
        }
        self.connections.enter(Phase::Draining);
        self.subscriptions.conclude_all();
        if drain.is_zero() {
            self.ticking.abort();
            return self.connections.enter(Phase::Closed);
        }
        let (connections, ticking) = (self.connections.clone(), self.ticking.clone());
        self.runtime.spawn(async move {
            tokio::time::sleep(drain).await;
            ticking.abort();
            connections.enter(Phase::Closed);
        });
    }
}

/// Lets the clock of `connections` tick.
async fn tick(connections: Arc<Connections>, patience: Patience) {
    loop {
        tokio::time::sleep(patience.tick()).await;
        connections.tick(&patience);
    }
}
