//! Serving over the standard streams.

use std::ffi::c_int;

use mcp_core::transport::stdio;

use crate::boundary;
use crate::server::Server;

/// Serves the process's standard input and output until the input ends or the server is shut down, and
/// waits for that.
///
/// Meanwhile the protocol owns the two streams: what the program or its children print on stdout lands on
/// stderr, and stdin is empty to them. Both are given back at the end. Calls in flight at the end of the
/// input get as long as the option `drain_ms` says. The end of the input does not end listeners of HTTP,
/// which serve on.
///
/// Errors: BUSY if a server of this process serves them already; IO if they cannot be used; SHUTDOWN;
/// DEADLOCK inside a handler or another callback. Any other thread. (Specification: basic/transports,
/// "stdio".)
///
/// # Safety
/// `server` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_run_stdio(server: *mut Server) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let engine = unsafe { Server::borrow(server)? }.engine.clone();
        // From here on the handle may be freed by another thread, by which this returns.
        engine.check_may_wait()?;
        stdio::serve(&engine)?;
        Ok(())
    })
}
