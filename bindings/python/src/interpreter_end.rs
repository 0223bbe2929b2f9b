//! The end of the interpreter: first every server is closed, and from then on no thread of the library goes near Python.

use std::sync::atomic::{AtomicU8, Ordering};

static STATE: AtomicU8 = AtomicU8::new(RUNNING);

const RUNNING: u8 = 0;
const CLOSING: u8 = 1;
const ENDED: u8 = 2;

/// Says that the servers are closed because the interpreter will end: nobody can do anything about it any more.
pub fn begin() {
    STATE.fetch_max(CLOSING, Ordering::SeqCst);
}

/// Says that the interpreter ends. Threads that are on their way into it hang, as Python has it.
pub fn announce() {
    STATE.store(ENDED, Ordering::SeqCst);
}

/// Whether the servers are being closed for it, or it was announced.
pub fn has_begun() -> bool {
    STATE.load(Ordering::SeqCst) >= CLOSING
}

/// Whether it was announced.
pub fn is_announced() -> bool {
    STATE.load(Ordering::SeqCst) == ENDED
}
