//! The border between C and Rust: no panic crosses it, in either direction.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mcp_core::call::job;

use crate::last_error;
use crate::status::{Fault, Status};

/// Runs the body of an exported function that returns a status. The text of an earlier failure is
/// forgotten, but lives until the body has run: the host may have handed it in.
pub fn fallible(body: impl FnOnce() -> Result<(), Fault>) -> c_int {
    let _earlier = last_error::take();
    let fault = match contained(body) {
        Some(Ok(())) => {
            // A callback on this thread may have failed at something of its own.
            last_error::take();
            return Status::Ok as c_int;
        }
        Some(Err(fault)) => fault,
        None => Fault::new(Status::ErrPanic, "a fault in libmcp, which it survived; please report it"),
    };
    last_error::set(&fault.message);
    fault.status as c_int
}

/// Runs the body of an exported function that cannot fail; `otherwise` is returned after a panic.
pub fn infallible<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    contained(body).unwrap_or(otherwise)
}

/// Calls a function of the host's: on this thread, nothing may wait for a server until it returns.
pub fn call_host(callback: impl FnOnce()) {
    contained(|| job::as_handler(callback));
}

fn contained<T>(body: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => Some(value),
        Err(payload) => {
            // What was thrown may itself panic when it is dropped.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::ffi::CStr;

    use super::*;

    fn last_text() -> String {
        // SAFETY: the text is NUL-terminated and lives until the next call on this thread.
        unsafe { CStr::from_ptr(last_error::mcp_last_error()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn turns_a_panic_into_a_status() {
        assert_eq!(fallible(|| panic!("as planned")), Status::ErrPanic as c_int);
        assert!(last_text().contains("please report"));
        assert_eq!(infallible(7, || panic!("as planned")), 7);
    }

    #[test]
    fn keeps_the_text_of_a_failure_until_the_next_call() {
        assert_eq!(fallible(|| Err(Fault::new(Status::ErrIo, "disk\0full"))), Status::ErrIo as c_int);
        assert_eq!(last_text(), "disk\u{fffd}full");
        assert_eq!(fallible(|| Ok(())), 0);
        assert_eq!(last_text(), "");
    }

    #[test]
    fn lets_a_function_read_the_text_of_the_failure_before_it() {
        let message = "a text that is long enough to be overwritten where it was freed";
        assert_eq!(fallible(|| Err(Fault::new(Status::ErrNotFound, message))), Status::ErrNotFound as c_int);
        let earlier = last_error::mcp_last_error();
        let code = fallible(|| {
            assert_eq!(last_text(), "");
            // SAFETY: the text of the last failure lives until the next function has ended, which is this one.
            let read = unsafe { CStr::from_ptr(earlier) }.to_str().unwrap();
            Err(Fault::new(Status::ErrIo, format!("read: {read}")))
        });
        assert_eq!(code, Status::ErrIo as c_int);
        assert_eq!(last_text(), format!("read: {message}"));
    }
}
