//! Handles: what the library gives to C and takes back.

use crate::status::Fault;
use crate::text::null;

/// The thing behind a handle.
///
/// # Safety
/// `handle` is NULL or a live handle, which stays alive for `'a`.
pub unsafe fn shared<'a, T>(handle: *const T, what: &str) -> Result<&'a T, Fault> {
    // SAFETY: not NULL after the check, and alive as promised by the caller.
    unsafe { handle.as_ref() }.ok_or_else(|| null(what))
}

/// The thing behind the handle of a builder, which has one owner.
///
/// # Safety
/// As for [`shared`], and nobody else uses the handle meanwhile.
pub unsafe fn exclusive<'a, T>(handle: *mut T, what: &str) -> Result<&'a mut T, Fault> {
    // SAFETY: not NULL after the check, alive and unshared as promised by the caller.
    unsafe { handle.as_mut() }.ok_or_else(|| null(what))
}

/// Takes a handle back and drops what it stood for. NULL is fine.
///
/// # Safety
/// `handle` is NULL or was given away by [`Output::give`], and nobody uses it any more.
pub unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: it came from a Box, and is given back once.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// A place for an output. It is written when the function has succeeded, and not before.
pub struct Output<T>(*mut T);

impl<T> Output<T> {
    /// The place that `pointer` points to, which must not be NULL.
    ///
    /// # Safety
    /// `pointer` is NULL or may be written to until the exported function returns.
    pub unsafe fn new(pointer: *mut T, what: &str) -> Result<Self, Fault> {
        if pointer.is_null() { Err(null(what)) } else { Ok(Output(pointer)) }
    }

    /// Writes the output.
    pub fn set(self, value: T) {
        // SAFETY: not NULL, and writable as promised to `new`. Whatever was there has no destructor.
        unsafe { self.0.write(value) };
    }
}

impl<T> Output<*mut T> {
    /// Gives `value` away as a new handle.
    pub fn give(self, value: T) {
        self.set(Box::into_raw(Box::new(value)));
    }
}
