//! The text of the last failure on this thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

use crate::boundary;
use crate::text;

/// What was wrong with the last call on this thread that failed, and the way out; "" if none did since.
///
/// Never NULL. Each function that returns a status, and each `mcp_..._free` that can be refused, forgets
/// the text and sets its own if it fails. The text lives until the next such function on this thread has
/// returned, so that it may be an argument of that one; copy it to keep it longer. What fails later, on
/// another thread, is never told here.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_last_error() -> *const c_char {
    boundary::infallible(c"".as_ptr(), || {
        LAST.try_with(|last| last.borrow().as_ref().map_or(c"".as_ptr(), |text| text.as_ptr()))
            .unwrap_or(c"".as_ptr())
    })
}

/// Forgets the last failure, and hands its text over: C may read it for as long as it is kept.
pub fn take() -> Option<CString> {
    // Past the end of a thread's variables there is nobody left to read the text.
    LAST.try_with(|last| last.borrow_mut().take()).ok().flatten()
}

/// Keeps the text of a failure.
pub fn set(message: &str) {
    let _ = LAST.try_with(|last| *last.borrow_mut() = Some(text::c_string(message)));
}

thread_local! {
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}
