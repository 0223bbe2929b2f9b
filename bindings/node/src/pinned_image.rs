//! Keeps the addon in memory.
//!
//! Node unloads an addon with the last worker thread that loaded it. Threads of the core may still be on their way out
//! then, in code that would be gone.

use std::ffi::c_void;
use std::sync::Once;

/// Keeps this image in memory until the process ends.
pub fn pin() {
    static PINNED: Once = Once::new();
    PINNED.call_once(|| {
        let inside: fn() = pin;
        // SAFETY: all zeros is a value of this plain struct, which the system fills.
        let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: the address is one of this image. What `dladdr` finds is a NUL-terminated path, and the image is
        // loaded, so that opening it runs no code. It is never closed.
        unsafe {
            if libc::dladdr(inside as *const c_void, &mut found) != 0 && !found.dli_fname.is_null() {
                libc::dlopen(found.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
            }
        }
    });
}
