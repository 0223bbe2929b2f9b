//! Where a handler runs.

use std::ffi::c_int;

use mcp_core::call::handler;

use crate::status::{Fault, Status};

/// Where a handler runs.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum Dispatch {
    /// On a thread of the handler pool: it may block. The default.
    Pool = 0,
    /// On the thread that read the request: it promises not to block. The fastest.
    Inline = 1,
    /// Where the executor that `mcp_server_set_executor` set runs it. In a server that has none, calls are
    /// answered with the error -32603, and the log says why.
    Host = 2,
}

/// The place that a number of C stands for.
pub fn from_number(number: c_int) -> Result<handler::Dispatch, Fault> {
    let known = [
        (Dispatch::Pool, handler::Dispatch::Pool),
        (Dispatch::Inline, handler::Dispatch::Inline),
        (Dispatch::Host, handler::Dispatch::Host),
    ];
    known.into_iter().find(|(value, _)| *value as c_int == number).map(|(_, place)| place).ok_or_else(|| {
        let message =
            format!("dispatch {number} is none of MCP_DISPATCH_POOL (0), _INLINE (1) and _HOST (2)");
        Fault::new(Status::ErrInvalidArg, message)
    })
}
