//! Threads of the library that run Python: each keeps its thread state from one call to the next, as making one and
//! taking it down costs more than a small handler.

use std::cell::OnceCell;

use pyo3::ffi;
use pyo3::prelude::*;

use crate::guarded_call;
use crate::interpreter_end;

/// Runs `run` with the GIL; not at all, once the interpreter ends.
pub fn attach<R>(run: impl FnOnce(Python<'_>) -> R) -> Option<R> {
    if interpreter_end::is_announced() {
        return None;
    }
    // A thread that is ending has no place for a thread state any more, and does without.
    let _ = KEPT.try_with(|kept| kept.get_or_init(KeptState::make).is_some());
    Some(Python::attach(|py| guarded_call::guarded(|| run(py))))
}

thread_local! {
    static KEPT: OnceCell<Option<KeptState>> = const { OnceCell::new() };
}

/// A thread state that lives as long as its thread.
struct KeptState {
    state: *mut ffi::PyThreadState,
    before: ffi::PyGILState_STATE,
}

impl KeptState {
    /// `None` for a thread that Python knows: it has a state.
    fn make() -> Option<KeptState> {
        // SAFETY: the interpreter is there: it has not ended, and it loaded this module. The state that the first call
        // makes is current then, and saved by the third.
        unsafe {
            if !ffi::PyGILState_GetThisThreadState().is_null() {
                return None;
            }
            let before = ffi::PyGILState_Ensure();
            Some(KeptState { state: ffi::PyEval_SaveThread(), before })
        }
    }
}

impl Drop for KeptState {
    fn drop(&mut self) {
        if interpreter_end::is_announced() {
            // The interpreter takes the states of all threads down.
            return;
        }
        // SAFETY: made on this thread, which is ending, and saved: nobody has it as its current one.
        unsafe {
            ffi::PyEval_RestoreThread(self.state);
            ffi::PyGILState_Release(self.before);
        }
    }
}
