//! The stream on which a response travels.

use std::ffi::c_int;
use std::time::Duration;

use crate::boundary;
use crate::call::Call;

/// Ends the stream of the response now, for a call that takes long: a client of an older revision over HTTP
/// comes back for the rest, after `retry_ms` milliseconds, 0 for as it likes. The call goes on, and nothing
/// that it sends is lost. Elsewhere nothing happens.
///
/// Errors: ALREADY_FINISHED, CANCELLED. Any thread. (Specification: revision 2025-11-25, basic/transports,
/// "Sending Messages to the Server".)
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_close_stream(call: *mut Call, retry_ms: u32) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let call = unsafe { Call::borrow(call)? };
        let retry = (retry_ms > 0).then(|| Duration::from_millis(retry_ms.into()));
        call.core().close_stream(retry)?;
        Ok(())
    })
}
