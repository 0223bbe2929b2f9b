//! What the core runs for a handler in JavaScript.

use std::cell::Cell;
use std::sync::Arc;

use mcp_core::call::handler::Handler;
use mcp_core::call::invocation::Call;
use mcp_core::call::job::Job;
use mcp_core::server::execution::Executor;

use crate::environment::Shared;
use crate::queue::Item;

/// A handler, by the number by which JavaScript knows it. JavaScript is told when it is called no more.
pub struct JsHandler {
    number: u32,
    shared: Arc<Shared>,
}

impl JsHandler {
    /// The handler of this number.
    pub fn new(number: u32, shared: Arc<Shared>) -> Arc<JsHandler> {
        Arc::new(JsHandler { number, shared })
    }
}

thread_local! {
    static STARTED: Cell<Option<(u32, Arc<Call>)>> = const { Cell::new(None) };
}

/// Runs `job` on this thread, which is that of its environment, as far as the core has a part in it: what is returned
/// is the handler to call now. There is none if the call was answered or cancelled before.
pub fn begin(job: Job) -> Option<(u32, Arc<Call>)> {
    job.run();
    STARTED.take()
}

impl Handler for JsHandler {
    fn handle(&self, call: &Arc<Call>) {
        STARTED.set(Some((self.number, call.clone())));
    }
}

impl Drop for JsHandler {
    fn drop(&mut self) {
        self.shared.queue.put(Item::ForgetHandler(self.number));
    }
}

/// Takes the jobs of an environment to its thread.
pub struct JsExecutor(pub Arc<Shared>);

impl Executor for JsExecutor {
    fn execute(&self, job: Job) {
        self.0.queue.put(Item::Job(job));
    }
}
