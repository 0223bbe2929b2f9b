//! The child of a function that forked and came back. There is nothing that it could come back to: the threads and the loop
//! that called it are its parent's, as are the streams that it would keep open.

use pyo3::prelude::*;

/// Ends the process, as a thread that ends is the end of a child that has no other.
pub fn end(failed: bool) -> ! {
    Python::attach(|py| {
        // What was printed may wait in Python's buffers.
        for name in ["stdout", "stderr"] {
            let _ = py
                .import("sys")
                .and_then(|sys| sys.getattr(name))
                .and_then(|file| file.call_method0("flush"));
        }
    });
    // SAFETY: it runs nothing of the parent's.
    unsafe { libc::_exit(i32::from(failed)) }
}
