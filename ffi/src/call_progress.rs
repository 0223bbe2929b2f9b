//! What a handler says while it runs: progress and log messages.

use std::ffi::{c_char, c_int};

use crate::boundary;
use crate::call::Call;
use crate::log;
use crate::text;

/// Tells the client how far the call is, if it asked for that; succeeds silently if not.
///
/// `progress` must grow from one time to the next. `total` is where it ends; NAN, zero or less is unknown.
/// `message` is for people and may be NULL. A flood is thinned to its latest value, see the option
/// `progress_per_second`. Never blocks. Errors: INVALID_ARG for a value that does not grow or is not
/// finite; ALREADY_FINISHED, CANCELLED. Any thread. (Specification: basic/patterns/progress.)
///
/// # Safety
/// `call` is NULL or a live handle; `message` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_progress(
    call: *mut Call,
    progress: f64,
    total: f64,
    message: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, message) = unsafe { (Call::borrow(call)?, text::optional(message, "message")?) };
        let total = Some(total).filter(|total| *total > 0.0);
        call.core().progress(progress, total, message)?;
        Ok(())
    })
}

/// Sends the client a log message about this call, if it asked for that level; succeeds silently if not.
///
/// `level` is an mcp_log_level; `logger` names the part of the program that speaks and may be NULL;
/// `data_json` is any JSON value (a text is JSON in quotes), `len` bytes or MCP_NUL_TERMINATED. Never blocks.
/// Errors: INVALID_ARG for a level that is none; INVALID_JSON, INVALID_UTF8; ALREADY_FINISHED, CANCELLED. Any
/// thread.
/// (Specification: server/utilities/logging, which the protocol deprecates; stderr needs no client.)
///
/// # Safety
/// `call` is NULL or a live handle; `logger` is NULL or NUL-terminated; `data_json` is NULL or has `len`
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_log(
    call: *mut Call,
    level: c_int,
    logger: *const c_char,
    data_json: *const c_char,
    len: usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, logger, data) = unsafe {
            let call = Call::borrow(call)?;
            (call, text::optional(logger, "logger")?, text::raw(data_json, len, "data_json")?)
        };
        let level = log::level_from(level)?;
        call.core().log(level, logger, data).map_err(|fault| text::value_fault(fault, data, "data_json"))
    })
}
