//! What only the result of a completion has.

use std::ffi::{c_char, c_int};

use crate::boundary;
use crate::call::Call;
use crate::text;

/// Adds a value that the argument may become. Clients are sent the first 100, and told if there are more.
///
/// The text is copied. Errors: INVALID_ARG in a call of anything but a completion; ALREADY_FINISHED,
/// CANCELLED. Any thread. (Specification: server/utilities/completion, "Completion Results".)
///
/// # Safety
/// `call` is NULL or a live handle; `value` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_add_completion(call: *mut Call, value: *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, value) = unsafe { (Call::borrow(call)?, text::required(value, "value")?) };
        call.core().add_completion(value)?;
        Ok(())
    })
}

/// Sets how many values there are in all, added or not. A total that is less than what was added counts for
/// nothing.
///
/// Errors: INVALID_ARG in a call of anything but a completion; ALREADY_FINISHED, CANCELLED. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_set_completion_total(call: *mut Call, total: u64) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        unsafe { Call::borrow(call)? }.core().set_completion_total(total)?;
        Ok(())
    })
}
