//! The server of a call, for its handler.

use crate::boundary;
use crate::call::Call;
use crate::server::Server;

/// The server that is called, so that a handler can use its other tools, prompts and resources, and add and
/// remove them; NULL for NULL.
///
/// Borrowed: it lives until the last reference to the call is given back, and `mcp_server_free` refuses it.
/// What is called through it by `mcp_server_call_tool`, `mcp_server_read_resource` and
/// `mcp_server_get_prompt` is called on behalf of this call: with its principal and its HTTP headers, and
/// cancelled when it is. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_server(call: *mut Call) -> *mut Server {
    boundary::infallible(std::ptr::null_mut(), || {
        // SAFETY: as promised by the caller.
        let call = unsafe { Call::borrow(call) };
        let server = call.ok().and_then(Call::server);
        server.map_or(std::ptr::null_mut(), |server| std::ptr::from_ref(server).cast_mut())
    })
}
