//! A call as C holds it: counted references, and the texts borrowed from it.

use std::ffi::c_char;
use std::sync::Arc;

use mcp_core::call::invocation;
use mcp_core::runtime::fork_guard::ForkGuard;

use crate::borrowed_text::BorrowedTexts;
use crate::boundary;
use crate::handle;
use crate::status::Fault;
use crate::user_data::UserData;

/// A call of a tool, in flight.
///
/// It is counted: the handler borrows one reference, `mcp_call_retain` makes another. Its functions may be
/// called from any thread that has a reference. Texts borrowed from it live until the last reference is
/// given back.
pub struct Call {
    call: Arc<invocation::Call>,
    texts: BorrowedTexts,
    process: ForkGuard,
    /// The handler's pointer is not freed before its last call.
    _user_data: Arc<UserData>,
}

/// Makes another reference to a call, so that it can be finished after its handler has returned. Returns
/// `call`; NULL for NULL.
///
/// Give it back with `mcp_call_release`. A call that is kept and neither finished nor given back is answered
/// by the option `handler_timeout_ms` alone, which is off by default. Any thread that has a reference.
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_retain(call: *mut Call) -> *mut Call {
    if !call.is_null() {
        // SAFETY: every handle of a call points into an Arc, which is alive as promised by the caller.
        unsafe { Arc::increment_strong_count(call) };
    }
    call
}

/// Gives back a reference that `mcp_call_retain` made, never the handler's own, which the library takes back
/// when the handler returns. NULL is fine. An unfinished call whose last reference goes is answered with the
/// error -32603.
///
/// # Safety
/// `call` is NULL or a reference that was not given back before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_release(call: *mut Call) {
    boundary::infallible((), || {
        // SAFETY: as promised by the caller.
        match unsafe { call.as_ref() } {
            // A child after a fork gives nothing back: the call is the parent's to end.
            Some(alive) if !alive.process.forked() => {
                // SAFETY: the reference was made by `mcp_call_retain`.
                unsafe { Arc::decrement_strong_count(call) };
            }
            _ => {}
        }
    });
}

/// The name of the tool that is called; NULL for NULL.
///
/// Borrowed from the call. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_name(call: *const Call) -> *const c_char {
    boundary::infallible(std::ptr::null(), || {
        // SAFETY: as promised by the caller.
        let Ok(call) = (unsafe { Call::borrow(call) }) else { return std::ptr::null() };
        call.texts.keep(call.core().name()).0
    })
}

impl Call {
    /// A handle's inside, of a call whose handler was registered with `user_data` by `process`.
    pub fn new(call: Arc<invocation::Call>, user_data: Arc<UserData>, process: ForkGuard) -> Self {
        Call { call, texts: BorrowedTexts::default(), process, _user_data: user_data }
    }

    /// The call behind a handle, if it belongs to this process: a lock of it may be held in the parent.
    ///
    /// # Safety
    /// `call` is NULL or a live handle, which stays alive for `'a`.
    pub unsafe fn borrow<'a>(call: *const Call) -> Result<&'a Call, Fault> {
        // SAFETY: as promised by the caller.
        let call = unsafe { handle::shared(call, "call")? };
        if call.process.forked() {
            return Err(mcp_core::host_error::HostError::Forked.into());
        }
        Ok(call)
    }

    /// The call itself.
    pub fn core(&self) -> &Arc<invocation::Call> {
        &self.call
    }

    /// The texts that C borrowed from the call.
    pub fn texts(&self) -> &BorrowedTexts {
        &self.texts
    }
}
