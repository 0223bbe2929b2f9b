//! The end of serving: begun from anywhere, waited for elsewhere.

use std::ffi::c_int;
use std::time::Duration;

use crate::boundary;
use crate::server::Server;
use crate::status::{Fault, Status};

/// As a time to wait: without end.
pub const WAIT_FOREVER: u32 = u32::MAX;

/// Begins to end all serving, and returns at once: no new requests, subscriptions end, calls in flight get
/// `drain_ms` milliseconds to be answered and are cancelled then. The server cannot serve again.
///
/// `mcp_server_wait` waits for the end; `mcp_server_run_stdio` returns by it. Any thread, handlers too.
///
/// # Safety
/// `server` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_shutdown(server: *mut Server, drain_ms: u32) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let server = unsafe { Server::borrow(server)? };
        server.engine.services().shut_down(Duration::from_millis(drain_ms.into()));
        Ok(())
    })
}

/// Waits until the server serves nothing any more: no listener, no endpoint, no session, no
/// standard streams.
///
/// `timeout_ms` is in milliseconds, or MCP_WAIT_FOREVER. Errors: TIMEOUT; DEADLOCK inside a handler or
/// another callback. Any other thread.
///
/// # Safety
/// `server` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_wait(server: *mut Server, timeout_ms: u32) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let engine = unsafe { Server::borrow(server)? }.engine.clone();
        // From here on the handle may be freed by another thread, by which this returns.
        engine.check_may_wait()?;
        let timeout = (timeout_ms != WAIT_FOREVER).then(|| Duration::from_millis(timeout_ms.into()));
        if engine.services().wait(timeout) {
            return Ok(());
        }
        let message = format!("the server still serves after {timeout_ms} ms");
        Err(Fault::new(Status::ErrTimeout, message))
    })
}
