//! The end of the interpreter: from then on no thread of the library goes near Python.

use std::sync::atomic::{AtomicBool, Ordering};

static ENDED: AtomicBool = AtomicBool::new(false);

/// Says that the interpreter ends. Threads that are on their way into it hang, as Python has it.
pub fn announce() {
    ENDED.store(true, Ordering::SeqCst);
}

/// Whether it was said.
pub fn is_announced() -> bool {
    ENDED.load(Ordering::SeqCst)
}
