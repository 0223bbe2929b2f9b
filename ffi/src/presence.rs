//! Whether an argument must be given.

use std::ffi::c_int;

use crate::status::{Fault, Status};

/// Whether a call must have an argument. No value is one of mcp_type, so that the two cannot be mixed up.
///
/// cbindgen:rename-all=ScreamingSnakeCase
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(clippy::enum_variant_names, reason = "C knows no other scope for the names of values")]
pub enum Presence {
    /// A call may leave it out.
    McpOptional = 100,
    /// A call without it is refused, before the handler.
    McpRequired = 101,
}

/// Whether the argument is required, by a number of C.
pub fn is_required(number: c_int) -> Result<bool, Fault> {
    if number == Presence::McpOptional as c_int {
        return Ok(false);
    }
    if number == Presence::McpRequired as c_int {
        return Ok(true);
    }
    let message = format!("presence {number} is neither MCP_OPTIONAL (100) nor MCP_REQUIRED (101)");
    Err(Fault::new(Status::ErrInvalidArg, message))
}
