//! Listens on a port and serves what connects there, until it is stopped.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use super::accept_loop::{self, Background, Intake};
use super::bind;
use super::config::HttpConfig;
use super::open_connections::{Accepting, Connections, Phase};
use super::patience::Patience;
use super::protocols::protocols;
use super::service::HttpService;
#[cfg(feature = "tls")]
use super::tls::{self, Tls};
use crate::host_error::HostError;
use crate::runtime::fork_guard::ForkGuard;
use crate::runtime::lock::Mutex;
use crate::server::engine::Server;
use crate::server::shutdown::Service;

/// How long to wait for what only has to be torn down.
const TEAR_DOWN: Duration = Duration::from_secs(1);

/// Serves `server` over HTTP/1.1 and HTTP/2 on the address of `config`, over TLS where it has files for that.
///
/// The files are read and the address is bound on the caller's thread, so that an error is known when this
/// returns; requests are served on the server's own threads. A server may have several listeners. It stops with
/// the server, or when it is shut down or dropped.
pub fn serve_http(server: &Arc<Server>, config: &HttpConfig) -> Result<Listener, HostError> {
    server.check_process()?;
    let service = Arc::new(HttpService::new(server, config)?);
    let runtime = server.runtime().handle()?;
    let _entered = runtime.enter();
    let connections = Connections::new();
    let control = Arc::new(Control {
        service: service.clone(),
        connections: connections.clone(),
        taking_in: Mutex::default(),
        runtime: runtime.clone(),
        fork: ForkGuard::new(),
    });
    // First: a server that was shut down should say so, and not that its port is in use.
    let serving = server.services().begin(control.clone())?;
    #[cfg(feature = "tls")]
    let (tls, renewing) = match &config.tls {
        Some(files) => {
            let tls = Arc::new(Tls::open(files)?);
            let renewing = runtime.spawn(tls::keep_current(tls.clone(), config.tls_check));
            (Some(tls), Some(Background(renewing.abort_handle())))
        }
        None => (None, None),
    };
    let (socket, address) = bind::open(SocketAddr::new(config.address, config.port))?;
    let accepting = connections.accepting();
    let patience = Patience::new(config.head_timeout, config.idle_timeout);
    let intake = Arc::new(Intake {
        service,
        protocols: protocols(),
        free: Arc::new(Semaphore::new(config.max_connections.clamp(1, Semaphore::MAX_PERMITS))),
        #[cfg(feature = "tls")]
        tls,
        #[cfg(feature = "tls")]
        _renewing: renewing,
        _ticking: Background(runtime.spawn(tick(connections.clone(), patience)).abort_handle()),
        connections,
        _serving: serving,
    });
    control.take_in(socket, intake, accepting)?;
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

    /// The open connections.
    #[cfg(test)]
    pub(super) fn connections(&self) -> &Connections {
        &self.control.connections
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
    service: Arc<HttpService>,
    connections: Arc<Connections>,
    /// The task that takes connections in, once there is one.
    taking_in: Mutex<Option<AbortHandle>>,
    runtime: Handle,
    fork: ForkGuard,
}

impl Control {
    /// Begins to take connections in, unless it was stopped before.
    fn take_in(
        &self,
        socket: TcpListener,
        intake: Arc<Intake>,
        accepting: Accepting,
    ) -> Result<(), HostError> {
        let mut taking_in = self.taking_in.lock();
        // Under the lock, which `stop` takes after it has changed the phase: either is seen by the other.
        if self.connections.phase() != Phase::Open {
            return Err(HostError::ShutDown);
        }
        let task = self.runtime.spawn(accept_loop::take_in(socket, intake, accepting));
        *taking_in = Some(task.abort_handle());
        Ok(())
    }
}

impl Service for Control {
    fn stop(&self, drain: Duration) {
        if self.fork.forked() {
            // The tasks are the parent's, and so are the locks that they may hold.
            return;
        }
        self.connections.enter(Phase::Draining);
        if let Some(taking_in) = self.taking_in.lock().take() {
            taking_in.abort();
        }
        self.service.stop();
        if drain.is_zero() {
            return self.connections.enter(Phase::Closed);
        }
        let connections = self.connections.clone();
        self.runtime.spawn(async move {
            tokio::time::sleep(drain).await;
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
