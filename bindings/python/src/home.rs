//! What the handlers of one engine have in common: the context they run in, and the loops that run their coroutines.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use mcp_core::call::job::Job;
use mcp_core::call::request::RequestContext;
use mcp_core::runtime::fork_guard::ForkGuard;
use mcp_core::server::execution::Executor;
use pyo3::prelude::*;

use crate::attachment::Attachment;
use crate::coroutine::CoroutineJob;
use crate::loop_queue::LoopQueue;

/// Where the handlers of an engine are at home.
pub struct Home {
    /// The `contextvars.Context` of whoever began to serve. Handlers run in copies of it.
    context: Mutex<Py<PyAny>>,
    /// A weak reference to the `libmcp.Server`.
    pub owner: Py<PyAny>,
    /// The loops on which the server is served or used, the latest at the end.
    loops: Mutex<Vec<Weak<LoopQueue>>>,
    /// The process that the engine belongs to.
    pub process: ForkGuard,
}

impl Home {
    /// A home without loops.
    pub fn new(owner: Py<PyAny>, context: Py<PyAny>) -> Home {
        Home { context: Mutex::new(context), owner, loops: Mutex::default(), process: ForkGuard::new() }
    }

    /// Handlers run in copies of `context` from now on.
    pub fn set_context(&self, context: Py<PyAny>) {
        let before =
            std::mem::replace(&mut *self.context.lock().unwrap_or_else(PoisonError::into_inner), context);
        drop(before);
    }

    /// A new context for one call: a copy of that of its ASGI request, or of whoever began to serve.
    pub fn context_of<'py>(&self, py: Python<'py>, request: &RequestContext) -> PyResult<Bound<'py, PyAny>> {
        let context = match Attachment::of(request) {
            Some(attachment) => attachment.context.clone_ref(py),
            None => self.context.lock().unwrap_or_else(PoisonError::into_inner).clone_ref(py),
        };
        context.bind(py).call_method0(pyo3::intern!(py, "copy"))
    }

    /// Coroutines run on the loop of `queue` from now on, as long as that one is open.
    pub fn add_loop(&self, queue: &Arc<LoopQueue>) {
        let mut loops = self.loops.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = Arc::downgrade(queue);
        loops.retain(|other| other.strong_count() > 0 && !other.ptr_eq(&latest));
        loops.push(latest);
    }

    /// Whether there is a loop for coroutines.
    pub fn has_loop(&self) -> bool {
        self.latest_loop().is_some()
    }

    fn latest_loop(&self) -> Option<Arc<LoopQueue>> {
        let loops = self.loops.lock().unwrap_or_else(PoisonError::into_inner);
        loops.iter().rev().filter_map(Weak::upgrade).find(|queue| !queue.is_closed())
    }
}

/// Takes the jobs of coroutines to their loop: that of the ASGI request, or the latest. Without any, the job is dropped,
/// by which its call is answered.
impl Executor for Home {
    fn execute(&self, job: Job) {
        let own = Attachment::of(job.context()).map(|attachment| attachment.queue.clone());
        if let Some(queue) = own.filter(|queue| !queue.is_closed()).or_else(|| self.latest_loop()) {
            let refused = queue.push(Box::new(CoroutineJob { job, queue: queue.clone() }));
            drop(refused);
        }
    }
}
