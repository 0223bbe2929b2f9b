//! The handler of the core that calls a function of Python.

use std::sync::Arc;

use mcp_core::call::handler::{Dispatch, Handler};
use mcp_core::call::invocation::Call;
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::arguments;
use crate::call::PyCall;
use crate::coroutine;
use crate::failure;
use crate::forked_child;
use crate::function::Function;
use crate::guarded_call;
use crate::home::Home;
use crate::python_thread;

/// A function at its home.
pub struct PythonHandler {
    /// What is called.
    pub function: Arc<Function>,
    /// Where it is at home.
    pub home: Arc<Home>,
}

impl PythonHandler {
    /// Where such a function runs: coroutines on a loop, others on the pool.
    pub fn dispatch(&self) -> Dispatch {
        if self.function.is_async { Dispatch::Host } else { Dispatch::Pool }
    }

    /// Calls the function and makes an answer of what comes of it.
    fn run(&self, py: Python<'_>, call: &Arc<Call>) -> Answer {
        let shown = std::cell::OnceCell::new();
        let context = || {
            let py_call = Py::new(py, PyCall::new(call, &self.function, &self.home))?;
            let context = PyCall::context(py, &py_call)?;
            let _ = shown.set(py_call);
            Ok(context)
        };
        let keywords = match arguments::keywords(py, &self.function, call, context) {
            Ok(keywords) => keywords,
            Err(fault) => return failure::argument_answer(py, call, fault),
        };
        let answer = self.home.context_of(py, call.context()).and_then(|context| {
            let run = context.getattr(pyo3::intern!(py, "run"))?;
            let value =
                guarded_call::call(&run, &(&self.function.callable,).into_pyobject(py)?, Some(&keywords))?;
            let answer = Answer::of_value(call, &self.function, &value);
            guarded_call::let_go(value);
            answer
        });
        guarded_call::let_go(keywords.into_any());
        if let Some(shown) = shown.get() {
            // Who keeps the context keeps no place among the calls in flight by it.
            shown.get().let_go();
        }
        answer.unwrap_or_else(|raised| {
            let answer = failure::answer(py, call, &raised);
            guarded_call::let_go_of(py, raised);
            answer
        })
    }
}

impl Handler for PythonHandler {
    fn handle(&self, call: &Arc<Call>) {
        if self.function.is_async {
            return coroutine::begin(self, call);
        }
        let answer = python_thread::attach(|py| self.run(py, call));
        if self.home.process.forked() {
            // The function forked, and this is the child: the call is the parent's to end.
            forked_child::end(answer.is_some_and(|answer| answer.is_failure()));
        }
        if let Some(answer) = answer {
            answer.give(call);
        }
    }
}
