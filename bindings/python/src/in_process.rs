//! The server's own tools, prompts and resources, used by the program around it and by its handlers.

use std::sync::Arc;

use mcp_core::call::host::Host;
use mcp_core::call::invocation::Call;
use mcp_core::host_error::HostError;
use mcp_core::server::engine::Server;
use mcp_core::server::in_process::Asked;
use pyo3::prelude::*;

use crate::call::PyCall;
use crate::fault;
use crate::future;
use crate::interpreter_end;
use crate::json_read;
use crate::loop_queue::LoopQueue;

/// What is asked for, by the words of the package.
pub struct Question<'a> {
    /// "tool", "prompt" or "resource".
    pub kind: &'a str,
    /// The name or the URI.
    pub name: &'a str,
    /// The arguments, JSON.
    pub arguments: &'a [u8],
}

impl Question<'_> {
    fn asked(&self) -> Asked<'_> {
        match self.kind {
            "tool" => Asked::Tool { name: self.name, arguments: self.arguments },
            "prompt" => Asked::Prompt { name: self.name, arguments: self.arguments },
            _ => Asked::Resource { uri: self.name },
        }
    }
}

/// The call on whose behalf something is asked.
pub fn caller(py: Python<'_>, call: Option<&PyCall>) -> PyResult<Option<Arc<Call>>> {
    call.map(PyCall::core).transpose().map_err(|fault| fault::exception(py, &fault))
}

/// Begins, and ends `future` on the loop of `queue`.
pub fn begin(
    core: &Arc<Server>,
    question: &Question<'_>,
    caller: Option<&Arc<Call>>,
    queue: &Arc<LoopQueue>,
    future: Py<PyAny>,
) {
    let queue = queue.clone();
    let done = move |ended: Result<Vec<u8>, HostError>| {
        // A thread that waits at that moment would only say, amid the end, that its server was closed.
        if interpreter_end::has_begun() && ended.is_err() {
            return;
        }
        let item = move |py: Python<'_>| future::end(future.bind(py), object(py, ended));
        drop(queue.push(Box::new(item)));
    };
    core.begin_in_process(question.asked(), caller, Box::new(done));
}

/// Waits for the end on this thread, which a function of the pool runs on.
pub fn wait<'py>(
    py: Python<'py>,
    core: &Arc<Server>,
    question: &Question<'_>,
    caller: Option<&Arc<Call>>,
) -> PyResult<Bound<'py, PyAny>> {
    let host = core.clone();
    let Question { name, arguments, .. } = *question;
    let ended = py.detach(|| match question.kind {
        "tool" => host.call_tool(name, arguments, caller),
        "prompt" => host.get_prompt(name, arguments, caller),
        _ => host.read_resource(name, caller),
    });
    object(py, ended)
}

fn object(py: Python<'_>, ended: Result<Vec<u8>, HostError>) -> PyResult<Bound<'_, PyAny>> {
    match ended {
        Ok(json) => json_read::text(py, &json),
        Err(fault) => Err(fault::exception(py, &fault)),
    }
}
