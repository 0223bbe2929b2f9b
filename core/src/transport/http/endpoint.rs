//! The endpoint of a server in the host's own web server.
//!
//! The host hands in each request, its body whole, and is handed the response as it comes. Everything that is asked of
//! a request to a listener is asked here too. `exchange` is the way of one request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::config::HttpConfig;
use super::exchange::{self, Abort, ResponseWriter, Writing};
use super::exchange_request::ExchangeRequest;
use super::running_exchanges::RunningExchanges;
use super::service::HttpService;
use crate::host_error::HostError;
use crate::server::engine::Server;
use crate::server::shutdown::Service;

/// How long to wait, past the drain time, for exchanges that were broken off.
const TEAR_DOWN: Duration = Duration::from_secs(1);

/// An endpoint. It ends with its server, or when it is shut down or dropped.
pub struct HttpEndpoint(Arc<Mounted>);

struct Mounted {
    server: Arc<Server>,
    service: Arc<HttpService>,
    exchanges: Arc<RunningExchanges>,
}

impl HttpEndpoint {
    /// An endpoint of `server`. Of `config` it takes the paths, the origins and hosts that are let in, and what is set
    /// about streams and sessions; the address is to be that on which the host's web server listens, which says who can reach it.
    pub fn open(server: &Arc<Server>, config: &HttpConfig) -> Result<HttpEndpoint, HostError> {
        server.check_process()?;
        let service = Arc::new(HttpService::new(server, config)?);
        let mounted = Arc::new(Mounted { server: server.clone(), service, exchanges: Arc::default() });
        let serving = server.services().begin(mounted.clone())?;
        mounted.exchanges.serve(serving)?;
        Ok(HttpEndpoint(mounted))
    }

    /// Begins to answer a request on the server's own threads, and returns at once. `body` is all that came behind its
    /// head.
    ///
    /// If this fails, `writer` is dropped without a word.
    pub fn start(
        &self,
        request: ExchangeRequest,
        body: Bytes,
        writer: Box<dyn ResponseWriter>,
        abort: &Abort,
    ) -> Result<(), HostError> {
        self.check_process()?;
        let runtime = self.0.server.runtime().handle()?;
        let place = self.0.exchanges.begin(abort)?;
        let writing = Writing { writer, abort: abort.clone(), _kept: place };
        runtime.spawn(exchange::run(self.0.service.clone(), request.with_body(body), writing));
        Ok(())
    }

    /// Takes no more requests; subscriptions end with their result, sessions end, exchanges that run may be answered
    /// for as long as `drain` and are broken off then. Returns when all of that is done.
    ///
    /// Fails on a thread for which it would wait, and in a process forked from the one that opened the endpoint.
    pub fn shutdown(&self, drain: Duration) -> Result<(), HostError> {
        self.check_process()?;
        self.0.server.check_may_wait()?;
        let begun = Instant::now();
        self.0.stop(drain);
        let deadline = drain.checked_add(TEAR_DOWN).and_then(|bound| begun.checked_add(bound));
        self.0.exchanges.wait_until_none(deadline);
        Ok(())
    }

    /// Fails in a child process after a fork, where the endpoint is the parent's.
    pub fn check_process(&self) -> Result<(), HostError> {
        self.0.server.check_process()
    }

    /// How long exchanges may still be answered at a shutdown, as the server's settings say.
    pub fn drain(&self) -> Duration {
        self.0.server.settings().drain
    }
}

impl Drop for HttpEndpoint {
    fn drop(&mut self) {
        self.0.stop(Duration::ZERO);
    }
}

impl Service for Mounted {
    fn stop(&self, drain: Duration) {
        if self.server.check_process().is_err() {
            return;
        }
        let some_run = self.exchanges.close();
        self.service.stop();
        if !some_run {
            return;
        }
        let late = Arc::downgrade(&self.exchanges);
        let abort = move || {
            if let Some(exchanges) = late.upgrade() {
                exchanges.abort_all();
            }
        };
        if drain.is_zero() || self.server.runtime().after(drain, abort).is_err() {
            self.exchanges.abort_all();
        }
    }
}
