//! A handler about to run.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::handler::Handler;
use super::invocation::Call;
use super::outcome::Outcome;
use crate::protocol::error::ProtocolError;
use crate::runtime::library_log;

/// A handler and the call that it is to handle. Dropped unrun, it answers the call with `-32603`.
pub struct Job {
    handler: Arc<dyn Handler>,
    call: Arc<Call>,
    check_first: bool,
    started: bool,
}

impl Job {
    /// A job that runs `handler` on `call`; with `check_first`, only if the call's arguments are valid.
    pub fn new(handler: Arc<dyn Handler>, call: Arc<Call>, check_first: bool) -> Self {
        Job { handler, call, check_first, started: false }
    }

    /// Runs the handler on this thread. A panic in it ends the call with `-32603` and goes no further. A
    /// call that was cancelled while it waited is not run.
    pub fn run(mut self) {
        if self.call.is_cancelled() {
            return;
        }
        self.started = true;
        if self.check_first
            && let Err(message) = self.call.check_arguments()
        {
            return self.call.abort(Outcome::tool_error(&message));
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| as_handler(|| self.handler.handle(&self.call))));
        if let Err(panic) = outcome {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            library_log::error(format_args!("tool \"{}\" panicked: {text}", self.call.name()));
            let message = format!("tool \"{}\" failed", self.call.name());
            self.call.abort(Outcome::Error(ProtocolError::internal(message)));
        }
    }
}

/// Runs code of the host's that the library calls, such as a cancel callback: like a handler, it must not wait for the
/// server.
pub fn as_handler<T>(run: impl FnOnce() -> T) -> T {
    let _depth = Depth::enter();
    run()
}

impl Drop for Job {
    fn drop(&mut self) {
        if !self.started && self.call.is_unanswered() {
            library_log::error(format_args!(
                "tool \"{}\": its job was dropped before it ran",
                self.call.name()
            ));
            let message = format!("tool \"{}\" cannot run now", self.call.name());
            self.call.abort(Outcome::Error(ProtocolError::internal(message)));
        }
    }
}

/// Whether this thread is running a handler, so that it must not wait for the server.
pub fn inside_handler() -> bool {
    DEPTH.get() > 0
}

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

struct Depth;

impl Depth {
    fn enter() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Depth
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}
