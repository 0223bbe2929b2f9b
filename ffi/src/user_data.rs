//! The host's pointer that travels with a callback, and its destructor.

use std::ffi::c_void;

use crate::boundary;

/// Frees the `user_data` of a callback. Called exactly once for each registration that named it, also when
/// the registration failed; on a thread of the host's or of the library's. It may call the library, but not
/// wait for a server.
pub type FreeFunction = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// A pointer whose destructor runs when this is dropped.
pub struct UserData {
    pointer: *mut c_void,
    free: FreeFunction,
}

// SAFETY: the library never looks behind the pointer. The host registers it for callbacks that come from any
// thread, as the header says.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    /// Takes the pointer over.
    pub fn new(pointer: *mut c_void, free: FreeFunction) -> Self {
        UserData { pointer, free }
    }

    /// The pointer, to be handed to the callback.
    pub fn pointer(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the host gave this function for this pointer, and it is called once.
            boundary::call_host(|| unsafe { free(self.pointer) });
        }
    }
}
