//! Completion of the arguments of prompts and the variables of resource templates.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use mcp_core::call::handler::Dispatch;
use mcp_core::server::engine::Completion;

use crate::boundary;
use crate::handler::{Handler, HostHandler};
use crate::server::Server;
use crate::user_data::{FreeFunction, UserData};

/// Sets the handler that completes arguments of prompts and variables of resource templates, one for all of
/// them, in place of one set before; NULL: none.
///
/// In it, `mcp_call_name` is the name of the prompt or the URI template, and the arguments are `ref`,
/// `argument` and `context`, as the client sent them: `mcp_call_get_string(call, "/argument/name", ...)` is
/// the argument's name, "/argument/value" what was typed so far, and "/context/arguments/NAME" another
/// argument that is known already. It answers by `mcp_call_add_completion`, and runs on the handler pool.
///
/// `user_data_free` (may be NULL) is called with `user_data` exactly once: when the handler was replaced or
/// the server freed, and its last call has ended; at once if `handler` is NULL; or before this returns, if
/// it fails. Any thread. (Specification: server/utilities/completion.)
///
/// # Safety
/// `server` is NULL or a live handle; the functions may be called with `user_data` from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_completion(
    server: *mut Server,
    handler: Handler,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
) -> c_int {
    let user_data = UserData::new(user_data, user_data_free);
    boundary::fallible(move || {
        // SAFETY: as promised by the caller.
        let server = unsafe { Server::borrow(server)? };
        server.engine.set_completion(handler.map(|handler| Completion {
            handler: Arc::new(HostHandler::new(handler, user_data)),
            dispatch: Dispatch::Pool,
        }));
        Ok(())
    })
}
