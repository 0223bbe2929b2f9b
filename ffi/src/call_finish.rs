//! The end of a call from the handler's side: exactly one finish counts.

use std::ffi::{c_char, c_int};

use mcp_core::protocol::error::ErrorCode;

use crate::boundary;
use crate::call::Call;
use crate::text;

/// Finishes the call with what was added so far.
///
/// Errors, of this and every other finish: ALREADY_FINISHED; CANCELLED, and nothing is sent; INVALID_RESULT
/// if the result breaks the tool's output schema: nothing is sent either, what was added is still there,
/// and the call may be finished again. If it is not, the client gets the error -32603 once the last
/// reference to the call is gone; INPUT_REQUIRED if a question was asked before that the client must answer
/// first: it was sent in place of the result. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_finish(call: *mut Call) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        unsafe { Call::borrow(call)? }.core().finish()?;
        Ok(())
    })
}

/// Adds a text and finishes, in one step: a finish that is refused adds nothing.
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_UTF8, and those of `mcp_call_finish`. Any
/// thread.
///
/// # Safety
/// `call` is NULL or a live handle; `text` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_finish_text(call: *mut Call, text: *const c_char, len: usize) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, text) = unsafe { (Call::borrow(call)?, text::sized(text, len, "text")?) };
        call.core().finish_text(text)?;
        Ok(())
    })
}

/// Finishes with a whole result of the specification as JSON. What was added before is dropped.
///
/// For a tool it is a CallToolResult (`content`, `structuredContent`, `isError`, `_meta`), for a prompt a
/// GetPromptResult, for a resource a ReadResourceResult, for a completion a CompleteResult.
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_RESULT also for
/// what is no such result; those of `mcp_call_finish`. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `result_json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_finish_json(
    call: *mut Call,
    result_json: *const c_char,
    len: usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, json) = unsafe { (Call::borrow(call)?, text::raw(result_json, len, "result_json")?) };
        call.core().finish_json(json).map_err(|fault| text::json_fault(fault, json, "result_json"))
    })
}

/// Finishes with an error that the model sees and can mend (`isError`), as "the city is not known". What
/// was added before is dropped. No model sees the error of anything but a tool: there it is the error -32603
/// with this message.
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_UTF8; ALREADY_FINISHED, CANCELLED. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `message` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_finish_tool_error(
    call: *mut Call,
    message: *const c_char,
    len: usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, message) = unsafe { (Call::borrow(call)?, text::sized(message, len, "message")?) };
        call.core().finish_tool_error(message)?;
        Ok(())
    })
}

/// Finishes with a JSON-RPC error, for what a model cannot mend.
///
/// `code` is -32602, -32603 or a number outside -32768 to -32000, which the protocol reserves. `data_json`
/// is any JSON value for programs (a text is JSON in quotes), `len` bytes or MCP_NUL_TERMINATED, or NULL.
/// Errors: INVALID_ARG for a reserved code; INVALID_JSON, INVALID_UTF8; ALREADY_FINISHED, CANCELLED. Any
/// thread. (Specification: basic, "Error Codes".)
///
/// # Safety
/// `call` is NULL or a live handle; `message` is NULL or NUL-terminated; `data_json` is NULL or has `len`
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_finish_error(
    call: *mut Call,
    code: i32,
    message: *const c_char,
    data_json: *const c_char,
    len: usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, message) = unsafe { (Call::borrow(call)?, text::required(message, "message")?) };
        let data = if data_json.is_null() {
            None
        } else {
            // SAFETY: as promised by the caller.
            Some(unsafe { text::raw(data_json, len, "data_json")? })
        };
        call.core()
            .finish_error(ErrorCode(code), message, data)
            .map_err(|fault| text::value_fault(fault, data.unwrap_or_default(), "data_json"))
    })
}
