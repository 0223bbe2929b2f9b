//! The end of a call from the client's side.

use std::ffi::{c_int, c_void};
use std::sync::{Arc, Weak};

use crate::boundary;
use crate::call::Call;
use crate::text;
use crate::user_data::{FreeFunction, UserData};

/// Called when a call is cancelled. `call` is borrowed until the function returns. It must not block, as it
/// holds up the thread that read the cancellation, and must not wait for a server. No C++ exception and no
/// longjmp may leave it.
pub type CancelCallback = Option<unsafe extern "C" fn(call: *mut Call, user_data: *mut c_void)>;

/// Whether the call was cancelled by its client, or its time ran out: its work is in vain. False for NULL.
///
/// One load; made to be asked often. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_is_cancelled(call: *const Call) -> bool {
    // SAFETY: as promised by the caller.
    boundary::infallible(false, || unsafe { call.as_ref() }.is_some_and(|call| call.core().is_cancelled()))
}

/// Has `callback` called once when the call is cancelled, on the thread that learns of it; at once, on this
/// thread, if it was before. A call that ends otherwise never calls it.
///
/// `user_data_free` (may be NULL) is called with `user_data` exactly once: after the callback, or when the
/// call has ended without it, or before this returns, if it fails. The registration keeps no reference to
/// the call. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; the functions may be called with `user_data` from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_on_cancel(
    call: *mut Call,
    callback: CancelCallback,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
) -> c_int {
    let user_data = UserData::new(user_data, user_data_free);
    boundary::fallible(move || {
        // SAFETY: as promised by the caller.
        let alive = unsafe { Call::borrow(call)? };
        let callback = callback.ok_or_else(|| text::null("callback"))?;
        // SAFETY: every handle of a call points into an Arc, which is alive as promised by the caller.
        let weak = unsafe { weak(call) };
        alive.core().on_cancel(Box::new(move || {
            // With the last reference, whoever wanted to know has gone.
            if let Some(call) = weak.upgrade() {
                let call = Arc::as_ptr(&call).cast_mut();
                // SAFETY: the host registered this function for this pointer; both live until it returns.
                boundary::call_host(|| unsafe { callback(call, user_data.pointer()) });
            }
            drop(user_data);
        }));
        Ok(())
    })
}

/// A reference that keeps nothing alive: the call keeps the callback, so that the callback must not keep
/// the call.
///
/// # Safety
/// `call` points into an Arc that is alive.
unsafe fn weak(call: *const Call) -> Weak<Call> {
    // SAFETY: the count goes up by one, which the Arc made from the pointer takes back when it is dropped.
    let call = unsafe {
        Arc::increment_strong_count(call);
        Arc::from_raw(call)
    };
    Arc::downgrade(&call)
}
