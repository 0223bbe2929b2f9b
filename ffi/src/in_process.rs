//! The server's own tools, prompts and resources, used by handlers and by the program around them, without a
//! transport.

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use mcp_core::call::host::Host;
use mcp_core::call::invocation::Call;
use mcp_core::host_error::HostError;

use crate::boundary;
use crate::handle::Output;
use crate::server::Server;
use crate::text;

/// Calls a tool of the server, through the same checks as a client's call, and waits for its result: a
/// CallToolResult of revision 2026-07-28, as JSON.
///
/// `name` is the tool's, or that under which `mcp_server_export_tools` exported it. `arguments_json` is a
/// JSON object, `len` bytes or MCP_NUL_TERMINATED; NULL with 0 is "{}".
/// `*result_json` is yours; free it with `mcp_text_free`; `result_len` is in bytes and may be NULL.
///
/// A tool error, as of arguments that do not fit, is a result with `isError`. The handler runs on this
/// thread, also that of a tool whose dispatch is the pool, so that handlers may call handlers however full
/// the pool is; with MCP_DISPATCH_HOST it runs where the executor runs it, unless this thread is running a
/// job of the executor's. The client cannot be asked anything on the way, and sees no progress. On the
/// server that `mcp_call_server` returned, the call is made on behalf of that call.
///
/// Errors: NOT_FOUND; CALL_FAILED for an error in place of a result, and where handlers call handlers more
/// than 32 deep; MISSING_CAPABILITY if the tool wants to ask its client; CANCELLED if the call on whose behalf it is
/// made was; INVALID_ARG, INVALID_JSON, INVALID_UTF8. Any thread that may wait as long as the handler takes.
///
/// # Safety
/// `server` is NULL or a live handle; `name` is NULL or NUL-terminated; `arguments_json` is NULL or has
/// `len` bytes; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_call_tool(
    server: *mut Server,
    name: *const c_char,
    arguments_json: *const c_char,
    len: usize,
    result_json: *mut *mut c_char,
    result_len: *mut usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe {
        call_named(
            server,
            name,
            (arguments_json, len),
            (result_json, result_len),
            |host, name, arguments, caller| host.call_tool(name, arguments, caller),
        )
    }
}

/// Reads a resource of the server, or one that a template of it matches: a ReadResourceResult of revision
/// 2026-07-28, as JSON.
///
/// Otherwise as `mcp_server_call_tool`: NOT_FOUND is also what a handler finished by
/// `mcp_call_finish_not_found`.
///
/// # Safety
/// `server` is NULL or a live handle; `uri` is NULL or NUL-terminated; the outputs are NULL or may be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_read_resource(
    server: *mut Server,
    uri: *const c_char,
    result_json: *mut *mut c_char,
    result_len: *mut usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, uri, out) = unsafe {
            let (server, uri) = (Server::borrow(server)?, text::required(uri, "uri")?);
            (server, uri, Output::new(result_json, "result_json")?)
        };
        let (host, caller) = server.as_host();
        let result = host.read_resource(uri, caller.as_ref())?;
        // SAFETY: as promised by the caller.
        unsafe { text::give_away(&result, out, result_len) };
        Ok(())
    })
}

/// Gets a prompt of the server: a GetPromptResult of revision 2026-07-28, as JSON.
///
/// `arguments_json` is a JSON object of strings. Otherwise as `mcp_server_call_tool`: INVALID_ARG is also
/// the lack of a required argument.
///
/// # Safety
/// `server` is NULL or a live handle; `name` is NULL or NUL-terminated; `arguments_json` is NULL or has
/// `len` bytes; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_get_prompt(
    server: *mut Server,
    name: *const c_char,
    arguments_json: *const c_char,
    len: usize,
    result_json: *mut *mut c_char,
    result_len: *mut usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe {
        call_named(
            server,
            name,
            (arguments_json, len),
            (result_json, result_len),
            |host, name, arguments, caller| host.get_prompt(name, arguments, caller),
        )
    }
}

/// Has `call` call what is called `name` with `arguments`, and gives its result away.
///
/// # Safety
/// As for the functions above.
unsafe fn call_named(
    server: *mut Server,
    name: *const c_char,
    arguments: (*const c_char, usize),
    result: (*mut *mut c_char, *mut usize),
    call: impl FnOnce(Arc<dyn Host>, &str, &[u8], Option<&Arc<Call>>) -> Result<Vec<u8>, HostError>,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, name, arguments, out) = unsafe {
            let (server, name) = (Server::borrow(server)?, text::required(name, "name")?);
            let arguments = text::raw(arguments.0, arguments.1, "arguments_json")?;
            (server, name, arguments, Output::new(result.0, "result_json")?)
        };
        let (host, caller) = server.as_host();
        let written = call(host, name, arguments, caller.as_ref())
            .map_err(|fault| text::json_fault(fault, arguments, "arguments_json"))?;
        // SAFETY: as promised by the caller.
        unsafe { text::give_away(&written, out, result.1) };
        Ok(())
    })
}
