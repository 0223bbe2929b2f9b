//! The tools of a server.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use crate::boundary;
use crate::handle;
use crate::handler::{Handler, HostHandler};
use crate::server::Server;
use crate::text;
use crate::tool::Tool;
use crate::user_data::{FreeFunction, UserData};

/// Adds a tool, in place of one of the same name, also while serving: subscribers are told that the list
/// changed.
///
/// `tool` is copied and stays yours. `handler` is called for each call, with `user_data`, where the tool's
/// dispatch says. `user_data_free` (may be NULL) is called with `user_data` exactly once: when the tool was
/// replaced or removed or the server freed, and its last call has ended; or before this returns, if it
/// fails.
///
/// Errors: INVALID_SCHEMA for a schema that cannot be used, in the given dialect and within the bounds of
/// the options `max_schema_depth` and `max_subschemas`, or that disagrees with the declared arguments. Any
/// thread.
///
/// # Safety
/// The handles are NULL or alive; the functions may be called with `user_data` from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_add_tool(
    server: *mut Server,
    tool: *const Tool,
    handler: Handler,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
) -> c_int {
    let user_data = UserData::new(user_data, user_data_free);
    boundary::fallible(move || {
        // SAFETY: as promised by the caller.
        let (server, tool) = unsafe { (Server::borrow(server)?, handle::shared(tool, "tool")?) };
        let handler = handler.ok_or_else(|| text::null("handler"))?;
        let definition = tool.complete_definition()?;
        let handler = Arc::new(HostHandler::new(handler, user_data));
        let capabilities = tool.parts.required_capabilities.clone();
        server.engine.add_tool(&definition, handler, tool.parts.dispatch, capabilities)?;
        Ok(())
    })
}

/// Removes a tool, also while serving. Its calls in flight go on.
///
/// Errors: NOT_FOUND. Any thread.
///
/// # Safety
/// `server` is NULL or a live handle; `name` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_remove_tool(server: *mut Server, name: *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, name) = unsafe { (Server::borrow(server)?, text::required(name, "name")?) };
        server.engine.remove_tool(name)?;
        Ok(())
    })
}
