//! Takes new connections in, as many as are allowed, and survives a system that has no more to give.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioExecutor;
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use super::open_connections::{Accepting, Connections};
use super::serve_connection;
use super::service::HttpService;
#[cfg(feature = "tls")]
use super::tls::Tls;
use crate::runtime::library_log;
use crate::server::shutdown::Serving;

/// How many connections may be open, unless set otherwise.
pub const DEFAULT_MAX_CONNECTIONS: usize = 10_000;

/// How long nothing is taken in after the system refused to give a connection (no descriptor, no memory): until
/// something is freed, it would refuse again and again.
const PAUSE: Duration = Duration::from_millis(100);

/// What each connection is served with.
pub(super) struct Intake {
    pub service: Arc<HttpService>,
    pub connections: Arc<Connections>,
    pub protocols: auto::Builder<TokioExecutor>,
    /// What secures them; `None` where they are plain.
    #[cfg(feature = "tls")]
    pub tls: Option<Arc<Tls>>,
    /// Looks after the files of `tls`, until the last connection is gone.
    #[cfg(feature = "tls")]
    pub _renewing: Option<Background>,
    /// One for each connection that may still be opened.
    pub free: Arc<Semaphore>,
    /// Lets the clock of the connections tick, until the last of them is gone.
    pub _ticking: Background,
    /// Says that the listener serves, until the last connection is gone.
    pub _serving: Serving,
}

/// A task that ends when this is dropped.
pub(super) struct Background(pub AbortHandle);

impl Drop for Background {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Takes connections in until it is aborted, which frees the port.
pub(super) async fn take_in(listener: TcpListener, intake: Arc<Intake>, accepting: Accepting) {
    // Dropped in reverse order: the port is free before anyone is told so.
    let _accepting = accepting;
    let listener = listener;
    let mut starved = false;
    loop {
        let Ok(place) = intake.free.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                starved = false;
                // Answers are written whole; to wait for more would delay them. Refused by a socket that is
                // already closed, which is found out soon enough.
                let _ = stream.set_nodelay(true);
                let admitted = intake.connections.admit();
                let intake = intake.clone();
                tokio::spawn(async move {
                    let connection = admitted.connection.clone();
                    serve_connection::serve(stream, connection, &intake).await;
                    drop(admitted);
                    drop(place);
                });
            }
            Err(error) if is_about_one_connection(&error) => {}
            Err(error) => {
                if !std::mem::replace(&mut starved, true) {
                    library_log::warning(format_args!("no connection can be taken in for now: {error}"));
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Whether `error` says only that one client went away before it was taken in.
fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_when_the_system_has_no_more_to_give() {
        for (code, one) in [
            (libc::ECONNABORTED, true),
            (libc::ECONNRESET, true),
            (libc::EINTR, true),
            (libc::EMFILE, false),
            (libc::ENFILE, false),
            (libc::ENOBUFS, false),
            (libc::ENOMEM, false),
        ] {
            assert_eq!(is_about_one_connection(&io::Error::from_raw_os_error(code)), one, "{code}");
        }
    }
}
