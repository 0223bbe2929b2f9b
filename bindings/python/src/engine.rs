//! A server of the core, as `libmcp.server` has it.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use mcp_core::call::host::Host;
use mcp_core::host_error::HostError;
use mcp_core::protocol::nearest_name::did_you_mean;
use mcp_core::protocol::provider_tools::Provider;
use mcp_core::runtime::fork_guard::ForkGuard;
use mcp_core::server::engine::{Completion, Server};
use mcp_core::server::settings::Settings;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::PyCall;
use crate::ending::{Ending, PyEnding};
use crate::fault;
use crate::function::PyFunction;
use crate::handler::PythonHandler;
use crate::home::Home;
use crate::http::{self, Listener};
use crate::http_config;
use crate::in_process::{self, Question};
use crate::json_read;
use crate::loop_queue::PyLoopQueue;
use crate::offer;
use crate::open_engines;
use crate::stdio;

/// The engine behind a `libmcp.Server`, of one process.
#[pyclass(module = "libmcp._libmcp", frozen)]
pub struct Engine {
    core: Arc<Server>,
    home: Arc<Home>,
    /// What is told when the engine is closed.
    endings: Mutex<Vec<Weak<Ending>>>,
    process: ForkGuard,
}

impl Engine {
    /// The server of the core.
    pub fn core(&self) -> &Arc<Server> {
        &self.core
    }

    /// Where its handlers are at home.
    pub fn home(&self) -> &Arc<Home> {
        &self.home
    }

    fn handler(&self, function: &PyFunction) -> Arc<PythonHandler> {
        Arc::new(PythonHandler { function: function.0.clone(), home: self.home.clone() })
    }

    fn ends_with(&self, ending: &Arc<Ending>) {
        let mut endings = self.endings.lock().unwrap_or_else(PoisonError::into_inner);
        endings.retain(|ending| ending.strong_count() > 0);
        endings.push(Arc::downgrade(ending));
    }
}

/// An error of the core as an exception.
fn raised<T>(py: Python<'_>, result: Result<T, HostError>) -> PyResult<T> {
    result.map_err(|fault| fault::exception(py, &fault))
}

#[pymethods]
impl Engine {
    /// `owner` is a weak reference to the `Server`, `context` the `contextvars.Context` in copies of which handlers run.
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        version: &str,
        owner: Py<PyAny>,
        context: Py<PyAny>,
    ) -> PyResult<Self> {
        let core = raised(py, Server::new(name, version))?;
        let home = Arc::new(Home::new(owner, context));
        core.set_executor(home.clone());
        open_engines::add(&core);
        Ok(Engine { core, home, endings: Mutex::default(), process: ForkGuard::new() })
    }

    /// Whether the engine belongs to the process from which this one was forked.
    #[getter]
    fn forked(&self) -> bool {
        self.process.forked()
    }

    /// The longest message, in bytes, that is taken.
    #[getter]
    fn max_message_bytes(&self) -> usize {
        self.core.settings().max_message_bytes
    }

    fn set_title(&self, py: Python<'_>, title: &str) -> PyResult<()> {
        let set = self.core.configure(|settings| {
            Arc::make_mut(&mut settings.identity).set_text("title", title);
            Ok(())
        });
        raised(py, set)
    }

    fn set_instructions(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        let set = self.core.configure(|settings| {
            Arc::make_mut(&mut settings.identity).instructions = Some(text.into());
            Ok(())
        });
        raised(py, set)
    }

    fn set_option(&self, py: Python<'_>, key: &str, value: &str) -> PyResult<()> {
        if !Settings::option_names().any(|name| name == key) {
            // The server's own keywords are no options of the core.
            let known = Settings::option_names().chain(["title", "instructions", "version"]);
            let hint = did_you_mean(key, known);
            return Err(PyTypeError::new_err(format!("there is no option {key}{hint}")));
        }
        raised(py, self.core.configure(|settings| settings.set(key, value)))
    }

    fn set_context(&self, context: Py<PyAny>) {
        self.home.set_context(context);
    }

    fn add_loop(&self, queue: &PyLoopQueue) {
        self.home.add_loop(queue.queue());
    }

    #[getter]
    fn has_loop(&self) -> bool {
        self.home.has_loop()
    }

    fn add_tool(
        &self,
        py: Python<'_>,
        definition: &[u8],
        function: &PyFunction,
        requires: Vec<String>,
    ) -> PyResult<()> {
        raised(py, offer::add_tool(&self.core, definition, self.handler(function), &requires))
    }

    fn add_prompt(
        &self,
        py: Python<'_>,
        definition: &[u8],
        function: &PyFunction,
        requires: Vec<String>,
    ) -> PyResult<()> {
        raised(py, offer::add_prompt(&self.core, definition, self.handler(function), &requires))
    }

    #[pyo3(signature = (definition, function, requires, ui))]
    fn add_resource(
        &self,
        py: Python<'_>,
        definition: &[u8],
        function: &PyFunction,
        requires: Vec<String>,
        ui: Option<&[u8]>,
    ) -> PyResult<()> {
        raised(py, offer::add_resource(&self.core, definition, self.handler(function), &requires, ui))
    }

    fn add_resource_template(
        &self,
        py: Python<'_>,
        definition: &[u8],
        function: &PyFunction,
        requires: Vec<String>,
        traversal: Vec<String>,
    ) -> PyResult<()> {
        let handler = self.handler(function);
        raised(py, offer::add_resource_template(&self.core, definition, handler, &requires, &traversal))
    }

    #[pyo3(signature = (function))]
    fn set_completion(&self, function: Option<&PyFunction>) {
        self.core.set_completion(function.map(|function| {
            let handler = self.handler(function);
            Completion { dispatch: handler.dispatch(), handler }
        }));
    }

    fn remove_tool(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        raised(py, self.core.remove_tool(name))
    }

    fn remove_prompt(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        raised(py, self.core.remove_prompt(name))
    }

    fn remove_resource(&self, py: Python<'_>, uri: &str) -> PyResult<()> {
        raised(py, self.core.remove_resource(uri))
    }

    fn remove_resource_template(&self, py: Python<'_>, uri_template: &str) -> PyResult<()> {
        raised(py, self.core.remove_resource_template(uri_template))
    }

    /// The definitions of "tools", "prompts", "resources" or "resource_templates".
    fn list<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
        let json = match kind {
            "tools" => self.core.list_tools(),
            "prompts" => self.core.list_prompts(),
            "resources" => self.core.list_resources(),
            _ => self.core.list_resource_templates(),
        };
        json_read::text(py, &json)
    }

    fn find_tool<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.core.find_tool(name).map(|json| json_read::text(py, &json)).transpose()
    }

    fn export_tools<'py>(&self, py: Python<'py>, provider: &str) -> PyResult<Bound<'py, PyAny>> {
        let known = PROVIDERS.iter().find(|(name, _)| *name == provider);
        let Some((_, provider)) = known else {
            let names: Vec<_> = PROVIDERS.iter().map(|(name, _)| *name).collect();
            return Err(PyValueError::new_err(format!(
                "\"{provider}\" is no provider; the providers are {}",
                names.join(", ")
            )));
        };
        json_read::text(py, &self.core.export_tools(*provider))
    }

    #[pyo3(signature = (uri, principal))]
    fn resource_updated(&self, py: Python<'_>, uri: &str, principal: Option<&str>) -> PyResult<()> {
        raised(py, self.core.check_process())?;
        self.core.resource_updated(uri, principal);
        Ok(())
    }

    fn complete_elicitation(&self, py: Python<'_>, id: &str) -> PyResult<()> {
        raised(py, self.core.complete_elicitation(id))
    }

    /// Begins a call in process; `future`, of the loop of `queue`, ends with it.
    #[pyo3(signature = (kind, name, arguments, caller, queue, future))]
    #[allow(clippy::too_many_arguments, reason = "each is one word of the one who asks")]
    fn begin(
        &self,
        py: Python<'_>,
        kind: &str,
        name: &str,
        arguments: &[u8],
        caller: Option<&PyCall>,
        queue: &PyLoopQueue,
        future: Py<PyAny>,
    ) -> PyResult<()> {
        let caller = in_process::caller(py, caller)?;
        let question = Question { kind, name, arguments };
        in_process::begin(&self.core, &question, caller.as_ref(), queue.queue(), future);
        Ok(())
    }

    /// Makes a call in process, and waits for it.
    #[pyo3(signature = (kind, name, arguments, caller))]
    fn wait<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        name: &str,
        arguments: &[u8],
        caller: Option<&PyCall>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let caller = in_process::caller(py, caller)?;
        in_process::wait(py, &self.core, &Question { kind, name, arguments }, caller.as_ref())
    }

    /// Serves the standard streams from now on; `flush` empties Python's own buffer of stdout.
    fn begin_stdio(&self, py: Python<'_>, flush: Py<PyAny>) -> PyResult<PyEnding> {
        let (ending, end) = stdio::begin(py, &self.core, flush)?;
        self.ends_with(&end);
        Ok(ending)
    }

    fn start_http(&self, py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<Listener> {
        let config = http_config::read(options)?;
        let (listener, end) = http::start(py, &self.core, &config)?;
        self.ends_with(&end);
        Ok(listener)
    }

    /// Ends everything that serves. Calls in flight get `drain_ms`, or as the option says.
    #[pyo3(signature = (drain_ms))]
    fn close(&self, py: Python<'_>, drain_ms: Option<u64>) -> PyResult<()> {
        let closed = py.detach(|| {
            self.core.check_process()?;
            self.core.check_may_wait()?;
            if let Some(drain) = drain_ms {
                self.core.services().shut_down(Duration::from_millis(drain));
            }
            self.core.close()
        });
        raised(py, closed)?;
        open_engines::remove(&self.core);
        let endings = std::mem::take(&mut *self.endings.lock().unwrap_or_else(PoisonError::into_inner));
        endings.iter().filter_map(Weak::upgrade).for_each(|ending| ending.set(Ok(())));
        Ok(())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if self.process.forked() {
            // What the parent made is the parent's to take down.
            std::mem::forget(self.core.clone());
        }
    }
}

const PROVIDERS: [(&str, Provider); 4] = [
    ("openai-chat", Provider::OpenAiChat),
    ("openai-responses", Provider::OpenAiResponses),
    ("anthropic", Provider::Anthropic),
    ("gemini", Provider::Gemini),
];
