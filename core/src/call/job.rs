//! A handler about to run.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::handler::Handler;
use super::invocation::Call;
use super::outcome::{CallResult, Outcome};
use super::request::RequestContext;
use crate::protocol::error::ProtocolError;
use crate::runtime::library_log;

/// A handler and the call that it is to handle. Dropped unrun, it answers the call with `-32603`.
pub struct Job {
    handler: Arc<dyn Handler>,
    call: Arc<Call>,
    check_first: bool,
    for_host: bool,
    started: bool,
}

impl Job {
    /// A job that runs `handler` on `call`; with `check_first`, only if the call's arguments are valid.
    pub fn new(handler: Arc<dyn Handler>, call: Arc<Call>, check_first: bool) -> Self {
        Job { handler, call, check_first, for_host: false, started: false }
    }

    /// The same job, to be run by the host's executor.
    pub fn for_host(self) -> Self {
        let mut job = self;
        job.for_host = true;
        job
    }

    /// What the request of the call says besides its arguments: an executor may choose by it.
    pub fn context(&self) -> &RequestContext {
        self.call.context()
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
            return self.call.abort(Outcome::Result(CallResult::tool_error(&message)));
        }
        let before = self.for_host.then(|| ON_HOST_THREAD.replace(true));
        let outcome = catch_unwind(AssertUnwindSafe(|| as_handler(|| self.handler.handle(&self.call))));
        if let Some(before) = before {
            ON_HOST_THREAD.set(before);
        }
        if let Err(panic) = outcome {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            library_log::error(format_args!("{} panicked: {text}", self.call.subject()));
            let message = format!("{} failed", self.call.subject());
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
            library_log::error(format_args!("{}: its job was dropped before it ran", self.call.subject()));
            let message = format!("{} cannot run now", self.call.subject());
            self.call.refuse(Outcome::Error(ProtocolError::internal(message)));
        }
    }
}

/// Whether this thread is running a handler, so that it must not wait for the server.
pub fn inside_handler() -> bool {
    depth() > 0
}

/// How many handlers and callbacks run on this thread, one inside the other.
pub fn depth() -> usize {
    DEPTH.get()
}

/// Whether this thread is one of the host's executor, running a handler.
pub fn on_host_thread() -> bool {
    ON_HOST_THREAD.get()
}

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static ON_HOST_THREAD: Cell<bool> = const { Cell::new(false) };
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
