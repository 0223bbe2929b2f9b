//! What a handler keeps from one round of a call to the next.

use std::ffi::{c_char, c_int};

use crate::boundary;
use crate::call::Call;
use crate::call_request::give;
use crate::handle::Output;
use crate::text;

/// What `mcp_call_memo_set` kept under `key`, in this round of the call or an earlier one: JSON text.
///
/// `*json` is NUL-terminated and borrowed from the call; `len` is in bytes and may be NULL. Errors:
/// NOT_FOUND; ALREADY_FINISHED, CANCELLED. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `key` is NULL or NUL-terminated; the outputs are NULL or may be written
/// to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_memo_get(
    call: *mut Call,
    key: *const c_char,
    json: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, key, json) =
            unsafe { (Call::borrow(call)?, text::required(key, "key")?, Output::new(json, "json")?) };
        let memo = call.core().memo(key)?;
        // SAFETY: as promised by the caller.
        unsafe { give(call.texts().keep_passing(memo), json, len) };
        Ok(())
    })
}

/// Keeps a JSON value for the rounds of the call to come, in place of one kept under `key` before: what is
/// dear to compute, or must not change from one round to the next.
///
/// `json` is any JSON value (a text is JSON in quotes), `len` bytes or MCP_NUL_TERMINATED, and copied. To a
/// client of revision 2026-07-28 it travels, encrypted, through the client and back: keep it small, the
/// option `max_request_state_bytes` bounds all of it. Errors: INVALID_JSON, INVALID_UTF8; ALREADY_FINISHED,
/// CANCELLED. Any thread. (Specification: basic/patterns/mrtr.)
///
/// # Safety
/// `call` is NULL or a live handle; `key` is NULL or NUL-terminated; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_memo_set(
    call: *mut Call,
    key: *const c_char,
    json: *const c_char,
    len: usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, key, json) =
            unsafe { (Call::borrow(call)?, text::required(key, "key")?, text::raw(json, len, "json")?) };
        call.core().set_memo(key, json).map_err(|fault| text::value_fault(fault, json, "json"))
    })
}

/// Sets `*first` to true the first time that `key` is asked for in the rounds of the call, else to false: an
/// effect that stands behind it happens once, although the handler runs again.
///
/// It holds for one process. A client that sends an old round to another process, which shares the option
/// `request_state_keys`, has it happen there again. Errors: ALREADY_FINISHED, CANCELLED. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `key` is NULL or NUL-terminated; `first` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_once(call: *mut Call, key: *const c_char, first: *mut bool) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, key, first) =
            unsafe { (Call::borrow(call)?, text::required(key, "key")?, Output::new(first, "first")?) };
        first.set(call.core().once(key)?);
        Ok(())
    })
}
