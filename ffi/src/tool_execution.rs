//! What a tool needs to run: the capabilities of its client, and a thread.

use std::ffi::{c_char, c_int};

use mcp_core::call::handler;
use mcp_core::protocol::client_capability::ClientCapability;

use crate::boundary;
use crate::handle;
use crate::status::{Fault, Status};
use crate::text;
use crate::tool::Tool;

/// Where a tool's handler runs.
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

/// Demands that a client declares a capability, or its calls are answered with -32021 before the handler
/// runs: "roots", "sampling", "sampling.context", "sampling.tools", "elicitation", "elicitation.form",
/// "elicitation.url", or "extensions." and the identifier of an extension.
///
/// May be called several times; every capability is demanded then. Errors: INVALID_ARG for an unknown name.
///
/// # Safety
/// `tool` is NULL or a live handle; `capability` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_require_capability(tool: *mut Tool, capability: *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (tool, name) =
            unsafe { (handle::exclusive(tool, "tool")?, text::required(capability, "capability")?) };
        let capability = ClientCapability::named(name).map_err(|fault| {
            Fault::new(Status::ErrInvalidArg, format!("tool \"{}\": {fault}", tool.name()))
        })?;
        if !tool.required_capabilities.contains(&capability) {
            tool.required_capabilities.push(capability);
        }
        Ok(())
    })
}

/// Sets where the tool's handler runs, an mcp_dispatch.
///
/// Errors: INVALID_ARG for a number that is none.
///
/// # Safety
/// `tool` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_dispatch(tool: *mut Tool, dispatch: c_int) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let tool = unsafe { handle::exclusive(tool, "tool")? };
        tool.dispatch = dispatch_from(dispatch)?;
        Ok(())
    })
}

fn dispatch_from(number: c_int) -> Result<handler::Dispatch, Fault> {
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
