//! Coroutines: each call is a task on the loop that its queue belongs to.

use std::cell::RefCell;
use std::sync::Arc;

use mcp_core::call::invocation::Call;
use mcp_core::call::job::Job;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::arguments;
use crate::call::PyCall;
use crate::failure;
use crate::guarded_call;
use crate::handler::PythonHandler;
use crate::loop_queue::{LoopItem, LoopQueue};

/// A job on its way to the loop.
pub struct CoroutineJob {
    /// What is to run.
    pub job: Job,
    /// By which way it goes there, and its cancellation too.
    pub queue: Arc<LoopQueue>,
}

impl LoopItem for CoroutineJob {
    fn run(self: Box<Self>, _py: Python<'_>) -> PyResult<()> {
        let CoroutineJob { job, queue } = *self;
        let before = QUEUE.replace(Some(queue));
        job.run();
        QUEUE.set(before);
        Ok(())
    }
}

thread_local! {
    /// The queue whose job runs on this thread.
    static QUEUE: RefCell<Option<Arc<LoopQueue>>> = const { RefCell::new(None) };
}

/// Begins a call of a coroutine function, on the thread of the loop.
pub fn begin(handler: &PythonHandler, call: &Arc<Call>) {
    Python::attach(|py| match start(py, handler, call) {
        Ok(task) => {
            let queue = QUEUE.with_borrow(Clone::clone);
            if let (Some(task), Some(queue)) = (task, queue) {
                call.on_cancel(Box::new(move || {
                    let cancel = move |py: Python<'_>| {
                        guarded_call::method(task.bind(py), "cancel", &PyTuple::empty(py)).map(drop)
                    };
                    drop(queue.push(Box::new(cancel)));
                }));
            }
        }
        Err(raised) => failure::answer(py, call, &raised).give(call),
    });
}

/// Makes the task; `None` if it is over already.
fn start(py: Python<'_>, handler: &PythonHandler, call: &Arc<Call>) -> PyResult<Option<Py<PyAny>>> {
    static START: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let start = guarded_call::imported(py, &START, "libmcp.coroutines", "start")?;
    let py_call = Py::new(py, PyCall::new(call, &handler.function, &handler.home))?;
    let context = || PyCall::context(py, &py_call);
    let keywords = match arguments::keywords(py, &handler.function, call, context) {
        Ok(keywords) => keywords,
        Err(fault) => {
            failure::argument_answer(py, call, fault).give(call);
            return Ok(None);
        }
    };
    let variables = handler.home.context_of(py, call.context())?;
    let arguments = (&py_call, &handler.function.callable, keywords, variables).into_pyobject(py)?;
    let task = guarded_call::call(start, &arguments, None)?;
    Ok((!task.is_none()).then(|| task.unbind()))
}
