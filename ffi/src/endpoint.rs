//! The endpoint of a server in the host's own web server.

use std::ffi::c_int;
use std::sync::Arc;

use mcp_core::runtime::library_log;
use mcp_core::transport::http::HttpEndpoint;

use crate::boundary;
use crate::handle::{self, Output};
use crate::http_config::HttpConfig;
use crate::server::Server;
use crate::status::Fault;

/// The MCP endpoint of a server in a web server that the host has: it takes requests by mcp_exchange. A server
/// may have several.
pub struct Endpoint {
    pub(crate) endpoint: Arc<HttpEndpoint>,
}

/// Makes an endpoint for the host's own web server. It opens no port.
///
/// Of `config`, which is copied, it takes the path, the allowed origins and hosts, and the options of streams and
/// sessions; the address is to be that on which the host's web server listens, as it says who can reach it: on a loopback
/// address, pages and names of this machine are let in and no others but those that are allowed. NULL is the default
/// one. `*out` is yours; free it with `mcp_endpoint_free`, before or after the server. Errors: INVALID_ARG for a bad
/// path, origin or host; SHUTDOWN; UNSUPPORTED in a build without HTTP. Any thread. (Specification:
/// basic/transports, "Streamable HTTP".)
///
/// # Safety
/// `server` and `config` are NULL or live handles; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_endpoint_new(
    server: *mut Server,
    config: *const HttpConfig,
    out: *mut *mut Endpoint,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, config, out) =
            unsafe { (Server::borrow(server)?, HttpConfig::read(config), Output::new(out, "out")?) };
        let endpoint = Arc::new(HttpEndpoint::open(&server.engine, &config)?);
        out.give(Endpoint { endpoint });
        Ok(())
    })
}

/// Ends the endpoint and frees it. NULL is fine.
///
/// No more exchanges start, subscriptions end with their last message, and the exchanges that run may go on for as
/// long as the server's option `drain_ms` says; those that are left are broken off. Waits until all of them have
/// ended. Their handles may be freed later.
///
/// Inside a handler or a callback it is refused: the endpoint lives on then, `mcp_last_error` says why, and so does
/// the log. In a child process after fork() it does nothing.
///
/// # Safety
/// `endpoint` is NULL or a live handle, which nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_endpoint_free(endpoint: *mut Endpoint) {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let Some(alive) = (unsafe { endpoint.as_ref() }) else { return Ok(()) };
        alive.endpoint.check_process()?;
        if let Err(fault) = alive.endpoint.shutdown(alive.endpoint.drain()) {
            let fault = Fault::from(fault);
            library_log::error(format_args!("mcp_endpoint_free is refused: {}", fault.message));
            return Err(fault);
        }
        // SAFETY: as promised by the caller.
        unsafe { handle::free(endpoint) };
        Ok(())
    });
}

impl Endpoint {
    /// The endpoint behind a handle, if it belongs to this process.
    ///
    /// # Safety
    /// `endpoint` is NULL or a live handle, which stays alive for `'a`.
    pub unsafe fn borrow<'a>(endpoint: *mut Endpoint) -> Result<&'a Endpoint, Fault> {
        // SAFETY: as promised by the caller.
        let endpoint = unsafe { handle::shared(endpoint, "endpoint")? };
        endpoint.endpoint.check_process()?;
        Ok(endpoint)
    }
}
