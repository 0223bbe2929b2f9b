//! The prompts of a server.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use crate::boundary;
use crate::handle;
use crate::handler::{Handler, HostHandler};
use crate::prompt::Prompt;
use crate::server::Server;
use crate::text;
use crate::user_data::{FreeFunction, UserData};

/// Adds a prompt, in place of one of the same name, also while serving: subscribers are told that the list
/// changed.
///
/// `prompt` is copied and stays yours. `handler` is called each time that a client gets the prompt, with
/// `user_data`, where the prompt's dispatch says; each `mcp_call_add_...` function adds a message, whose role
/// `mcp_call_set_role` sets. `user_data_free` (may be NULL) is called as `mcp_server_add_tool` says.
///
/// Any thread. (Specification: server/prompts.)
///
/// # Safety
/// The handles are NULL or alive; the functions may be called with `user_data` from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_add_prompt(
    server: *mut Server,
    prompt: *const Prompt,
    handler: Handler,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
) -> c_int {
    let user_data = UserData::new(user_data, user_data_free);
    boundary::fallible(move || {
        // SAFETY: as promised by the caller.
        let (server, prompt) = unsafe { (Server::borrow(server)?, handle::shared(prompt, "prompt")?) };
        let handler = handler.ok_or_else(|| text::null("handler"))?;
        let handler = Arc::new(HostHandler::new(handler, user_data));
        let parts = &prompt.parts;
        let capabilities = parts.required_capabilities.clone();
        server.engine.add_prompt(&parts.definition, handler, parts.dispatch, capabilities);
        Ok(())
    })
}

/// Removes a prompt, also while serving. Requests of it in flight go on.
///
/// Errors: NOT_FOUND. Any thread.
///
/// # Safety
/// `server` is NULL or a live handle; `name` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_remove_prompt(server: *mut Server, name: *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, name) = unsafe { (Server::borrow(server)?, text::required(name, "name")?) };
        server.engine.remove_prompt(name)?;
        Ok(())
    })
}
