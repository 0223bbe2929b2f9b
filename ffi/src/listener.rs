//! Serving over HTTP.

use std::ffi::c_int;
use std::sync::Arc;
use std::time::Duration;

use mcp_core::runtime::library_log;
use mcp_core::server::engine;
use mcp_core::transport::http;

use crate::boundary;
use crate::handle::{self, Output};
use crate::http_config::HttpConfig;
use crate::server::Server;
use crate::status::Fault;

/// An open port on which a server serves. A server may have several.
pub struct Listener {
    listener: http::Listener,
    engine: Arc<engine::Server>,
}

/// Begins to serve Streamable HTTP, HTTP/1.1 and HTTP/2 with prior knowledge, and returns at once; HTTPS, where
/// `mcp_http_config_set_tls_files` was called.
///
/// `config` is copied; NULL is the default one. `*out` is yours; free it with `mcp_listener_free`, before
/// or after the server. Errors: INVALID_ARG for a bad path, origin, host or certificate; IO if the port
/// cannot be opened or a file of the certificate not be read; SHUTDOWN; UNSUPPORTED in a build without
/// HTTP. Any thread. (Specification: basic/transports, "Streamable HTTP".)
///
/// # Safety
/// `server` and `config` are NULL or live handles; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_start_http(
    server: *mut Server,
    config: *const HttpConfig,
    out: *mut *mut Listener,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, config, out) =
            unsafe { (Server::borrow(server)?, HttpConfig::read(config), Output::new(out, "out")?) };
        let listener = http::serve_http(&server.engine, &config)?;
        out.give(Listener { listener, engine: server.engine.clone() });
        Ok(())
    })
}

/// The port that is listened on; 0 for NULL. It keeps its number when the listener was shut down.
///
/// Any thread.
///
/// # Safety
/// `listener` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_listener_port(listener: *const Listener) -> u16 {
    // SAFETY: as promised by the caller.
    boundary::infallible(0, || unsafe { listener.as_ref() }.map_or(0, |listener| listener.listener.port()))
}

/// Stops listening, and waits until that is done: the port is free at once, subscriptions end, calls in
/// flight get `drain_ms` milliseconds to be answered, and are cancelled then. The server and its other
/// listeners serve on.
///
/// Errors: DEADLOCK inside a handler or another callback. Any other thread.
///
/// # Safety
/// `listener` is NULL or a live handle, and stays alive meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_listener_shutdown(listener: *mut Listener, drain_ms: u32) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let listener = unsafe { handle::shared(listener, "listener")? };
        listener.listener.shutdown(Duration::from_millis(drain_ms.into()))?;
        Ok(())
    })
}

/// Stops listening as `mcp_listener_shutdown` with the server's option `drain_ms`, and frees the handle.
/// NULL is fine.
///
/// Inside a handler or another callback it is refused: the listener lives on then, `mcp_last_error` says
/// why, and so does the log. In a child process after fork() it does nothing.
///
/// # Safety
/// `listener` is NULL or a live handle, which nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_listener_free(listener: *mut Listener) {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let Some(alive) = (unsafe { listener.as_ref() }) else { return Ok(()) };
        alive.engine.check_process()?;
        if let Err(fault) = alive.listener.shutdown(alive.engine.settings().drain) {
            let fault = Fault::from(fault);
            library_log::error(format_args!("mcp_listener_free is refused: {}", fault.message));
            return Err(fault);
        }
        // SAFETY: as promised by the caller.
        unsafe { handle::free(listener) };
        Ok(())
    });
}
