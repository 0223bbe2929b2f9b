//! What only the result of a prompt has.

use std::ffi::{c_char, c_int};

use mcp_core::protocol::role;

use crate::boundary;
use crate::call::Call;
use crate::status::{Fault, Status};
use crate::text;

/// Who speaks in a message.
///
/// cbindgen:rename-all=ScreamingSnakeCase
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(clippy::enum_variant_names, reason = "C knows no other scope for the names of values")]
pub enum Role {
    /// The user. A prompt begins with the user's messages.
    McpRoleUser = 0,
    /// The model.
    McpRoleAssistant = 1,
}

/// Sets who speaks in the messages that are added to a prompt from now on, an mcp_role.
///
/// Errors: INVALID_ARG for a number that is none, and in a call of anything but a prompt; ALREADY_FINISHED,
/// CANCELLED. Any thread. (Specification: server/prompts, "PromptMessage".)
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_set_role(call: *mut Call, role: c_int) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let call = unsafe { Call::borrow(call)? };
        call.core().set_role(role_from(role)?)?;
        Ok(())
    })
}

/// Sets the description of a prompt's result, for people. The text is copied.
///
/// Errors: INVALID_ARG in a call of anything but a prompt; ALREADY_FINISHED, CANCELLED. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `text` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_set_description(call: *mut Call, text: *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, text) = unsafe { (Call::borrow(call)?, text::required(text, "text")?) };
        call.core().set_description(text)?;
        Ok(())
    })
}

fn role_from(number: c_int) -> Result<role::Role, Fault> {
    let known = [(Role::McpRoleUser, role::Role::User), (Role::McpRoleAssistant, role::Role::Assistant)];
    known.into_iter().find(|(value, _)| *value as c_int == number).map(|(_, role)| role).ok_or_else(|| {
        let message = format!("role {number} is neither MCP_ROLE_USER (0) nor MCP_ROLE_ASSISTANT (1)");
        Fault::new(Status::ErrInvalidArg, message)
    })
}
