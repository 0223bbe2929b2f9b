//! A call in flight, as `libmcp.context.Context` has it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_core::call::invocation::Call;
use mcp_core::host_error::HostError;
use mcp_core::protocol::cache_hint::{CacheHint, CacheScope};
use mcp_core::protocol::log_level::LogLevel;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyTuple};

use crate::answer::Answer;
use crate::attachment::Attachment;
use crate::failure;
use crate::fault;
use crate::forked_child;
use crate::function::Function;
use crate::guarded_call;
use crate::home::Home;
use crate::json_read;
use crate::json_write;
use crate::python_thread;

/// A call for as long as it runs; then its methods say that it has ended.
#[pyclass(name = "Call", module = "libmcp._libmcp", frozen)]
pub struct PyCall {
    core: Mutex<Option<Arc<Call>>>,
    function: Arc<Function>,
    home: Arc<Home>,
}

impl PyCall {
    /// A call of `function`.
    pub fn new(call: &Arc<Call>, function: &Arc<Function>, home: &Arc<Home>) -> PyCall {
        PyCall { core: Mutex::new(Some(call.clone())), function: function.clone(), home: home.clone() }
    }

    /// The `Context` of a call.
    pub fn context<'py>(py: Python<'py>, call: &Py<PyCall>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let class = guarded_call::imported(py, &CLASS, "libmcp.context", "Context")?;
        guarded_call::call(class, &(call,).into_pyobject(py)?, None)
    }

    /// Forgets the call, which ends.
    pub fn let_go(&self) -> Option<Arc<Call>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The call, if it runs.
    pub fn core(&self) -> Result<Arc<Call>, HostError> {
        let core = self.core.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let core = core.ok_or(HostError::AlreadyFinished)?;
        if self.home.process.forked() { Err(HostError::Forked) } else { Ok(core) }
    }

    fn give(&self, call: &Arc<Call>, answer: Answer) {
        if self.home.process.forked() {
            // The coroutine forked, and this is the child: the call is the parent's to end, and the loop its own.
            forked_child::end(answer.is_failure());
        }
        answer.give(call);
    }

    fn live(&self, py: Python<'_>) -> PyResult<Arc<Call>> {
        self.core().map_err(|fault| fault::exception(py, &fault))
    }

    fn attempt<T>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&Arc<Call>) -> Result<T, HostError>,
    ) -> PyResult<T> {
        act(&self.live(py)?).map_err(|fault| fault::exception(py, &fault))
    }
}

#[pymethods]
impl PyCall {
    /// Ends the call with what its function returned.
    fn answer(&self, py: Python<'_>, value: &Bound<'_, PyAny>) {
        let Some(call) = self.let_go() else { return };
        let answer = Answer::of_value(&call, &self.function, value);
        let answer = answer.unwrap_or_else(|raised| {
            let answer = failure::answer(py, &call, &raised);
            guarded_call::let_go_of(py, raised);
            answer
        });
        self.give(&call, answer);
    }

    /// Ends the call with what its function raised.
    fn fail(&self, py: Python<'_>, raised: Bound<'_, PyAny>) {
        let Some(call) = self.let_go() else { return };
        let raised = PyErr::from_value(raised);
        let answer = failure::answer(py, &call, &raised);
        guarded_call::let_go_of(py, raised);
        self.give(&call, answer);
    }

    /// The weak reference to the server.
    #[getter]
    fn owner(&self, py: Python<'_>) -> Py<PyAny> {
        self.home.owner.clone_ref(py)
    }

    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.live(py)?.name().to_owned())
    }

    #[getter]
    fn arguments_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.live(py)?.arguments().raw()))
    }

    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_read::text(py, &self.live(py)?.context().meta)
    }

    /// Which program the client is, if it says so.
    #[getter]
    fn client_info<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let info = self.live(py)?.context().client_info();
        info.map(|info| json_read::text(py, &info)).transpose()
    }

    #[getter]
    fn client_capabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_read::text(py, self.live(py)?.context().capabilities.json())
    }

    #[getter]
    fn revision(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.live(py)?.context().revision.name())
    }

    #[getter]
    fn principal(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(self.live(py)?.context().principal.as_deref().map(str::to_owned))
    }

    /// What the ASGI app got.
    #[getter]
    fn request(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        Ok(Attachment::of(self.live(py)?.context()).map(|attachment| attachment.request.clone_ref(py)))
    }

    /// The lines of the request's headers, their names in lower case.
    fn headers(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let call = self.live(py)?;
        let mut lines = Vec::new();
        if let Some(headers) = call.context().headers.as_deref() {
            // What is no ASCII in a header has been Latin-1 for as long as there is HTTP.
            headers.each(&mut |name, value| {
                lines.push((name.to_owned(), value.iter().map(|byte| char::from(*byte)).collect()));
            });
        }
        Ok(lines)
    }

    /// Whether the call was cancelled or ran out of time; also once it has ended.
    #[getter]
    fn cancelled(&self) -> bool {
        self.core().map_or(true, |call| call.is_cancelled() || !call.is_unanswered())
    }

    /// Calls `callback` when the call is cancelled, on whatever thread learns of it.
    fn on_cancel(&self, py: Python<'_>, callback: Py<PyAny>) -> PyResult<()> {
        let call = self.live(py)?;
        let run = move || {
            python_thread::attach(|py| {
                if let Err(raised) = guarded_call::call(callback.bind(py), &PyTuple::empty(py), None) {
                    raised.write_unraisable(py, Some(callback.bind(py)));
                }
            });
        };
        // It runs at once if the call was cancelled before.
        py.detach(|| call.on_cancel(Box::new(|| hand_over(run))));
        Ok(())
    }

    #[pyo3(signature = (value, total, message))]
    fn progress(
        &self,
        py: Python<'_>,
        value: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> PyResult<()> {
        self.attempt(py, |call| call.progress(value, total, message))
    }

    #[pyo3(signature = (level, data, logger))]
    fn log(
        &self,
        py: Python<'_>,
        level: &str,
        data: &Bound<'_, PyAny>,
        logger: Option<&str>,
    ) -> PyResult<()> {
        let level = LogLevel::named(level).ok_or_else(|| {
            PyValueError::new_err(format!("\"{level}\" is no level; the levels are {}", LogLevel::names()))
        })?;
        let json = json_write::text(data)?;
        self.attempt(py, |call| call.log(level, logger, &json))
    }

    #[pyo3(signature = (retry_ms))]
    fn close_stream(&self, py: Python<'_>, retry_ms: Option<u32>) -> PyResult<()> {
        self.attempt(py, |call| call.close_stream(retry_ms.map(|ms| Duration::from_millis(ms.into()))))
    }

    #[pyo3(signature = (ttl_ms, scope))]
    fn set_cache(&self, py: Python<'_>, ttl_ms: u64, scope: &str) -> PyResult<()> {
        let scope = CacheScope::named(scope).ok_or_else(|| {
            PyValueError::new_err(format!("scope is {scope:?}; it must be \"public\" or \"private\""))
        })?;
        self.attempt(py, |call| call.set_cache(CacheHint { ttl_ms, scope }))
    }

    /// The client's answer to the question `request`; raises `InputRequired` where there is none yet. Without a key the
    /// question is known by its own text.
    #[pyo3(signature = (key, request))]
    fn request_input<'py>(
        &self,
        py: Python<'py>,
        key: Option<&str>,
        request: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = json_write::text(request)?;
        let made;
        let key = match key {
            Some(key) => key,
            None => {
                made = format!("question-{:016x}", fingerprint(&request));
                &made
            }
        };
        let answer = self.attempt(py, |call| call.request_input(key, &request))?;
        json_read::text(py, &answer)
    }

    /// The id of the url elicitation that is asked under `key`.
    fn elicitation_id(&self, py: Python<'_>, key: &str) -> PyResult<String> {
        self.attempt(py, |call| call.elicitation_id(key))
    }

    /// What was kept under `key`, as a tuple of one; `None` if nothing was.
    fn memo<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<(Bound<'py, PyAny>,)>> {
        match self.live(py)?.memo(key) {
            Ok(json) => Ok(Some((json_read::text(py, &json)?,))),
            Err(HostError::NotFound(_)) => Ok(None),
            Err(fault) => Err(fault::exception(py, &fault)),
        }
    }

    fn set_memo(&self, py: Python<'_>, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let json = json_write::text(value)?;
        self.attempt(py, |call| call.set_memo(key, &json))
    }

    fn once(&self, py: Python<'_>, key: &str) -> PyResult<bool> {
        self.attempt(py, |call| call.once(key))
    }
}

/// Runs a cancel callback on a thread of its own: it may wait for the GIL, and the thread that learns of the
/// cancellation serves others too.
fn hand_over(run: impl FnOnce() + Send + 'static) {
    let run = Arc::new(Mutex::new(Some(run)));
    let later = run.clone();
    let take = |run: &Mutex<Option<_>>| run.lock().unwrap_or_else(PoisonError::into_inner).take();
    let spawned = std::thread::Builder::new().name("mcp-cancel".into()).spawn(move || {
        if let Some(run) = take(&later) {
            run();
        }
    });
    if spawned.is_err()
        && let Some(run) = take(&run)
    {
        run();
    }
}

/// FNV-1a: the same text gives the same key in every process, as rounds may go to another one.
fn fingerprint(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
