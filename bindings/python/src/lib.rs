//! The extension module `libmcp._libmcp`: the core as the package `libmcp` uses it.
//!
//! `engine` is where to begin reading; `handler` is the way of a call into a function of Python.

mod answer;
mod arguments;
mod attachment;
mod call;
mod coroutine;
mod ending;
mod endpoint;
mod engine;
mod exchange;
mod failure;
mod fault;
mod forked_child;
mod function;
mod future;
mod guarded_call;
mod handler;
mod home;
mod http;
mod http_config;
mod in_process;
mod interpreter_end;
mod json_read;
mod json_write;
mod log;
mod loop_queue;
mod offer;
mod open_engines;
mod python_thread;
mod session;
mod stdio;

use pyo3::prelude::*;

/// The core of libmcp. Use the package `libmcp`: what is here may change with any release.
#[pymodule(gil_used = true)]
mod _libmcp {
    use pyo3::exceptions::PyImportError;
    use pyo3::ffi;
    use pyo3::prelude::*;
    use pyo3::types::PyBytes;

    #[pymodule_export]
    use crate::call::PyCall;
    #[pymodule_export]
    use crate::ending::PyEnding;
    #[pymodule_export]
    use crate::endpoint::Endpoint;
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::exchange::Exchange;
    #[pymodule_export]
    use crate::function::PyFunction;
    #[pymodule_export]
    use crate::http::Listener;
    #[pymodule_export]
    use crate::log::set_log_handler;
    #[pymodule_export]
    use crate::loop_queue::PyLoopQueue;
    #[pymodule_export]
    use crate::open_engines::close_all;
    #[pymodule_export]
    use crate::session::PyChannel;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// The library's threads know one interpreter.
    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        // SAFETY: the thread is attached, so that there is an interpreter.
        let id = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
        if id != 0 {
            return Err(PyImportError::new_err(
                "libmcp cannot be imported in a second interpreter of a process",
            ));
        }
        Ok(())
    }

    /// The JSON text of a value.
    #[pyfunction]
    fn to_json<'py>(py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &crate::json_write::text(value)?))
    }

    /// The value of a JSON text.
    #[pyfunction]
    fn from_json<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        crate::json_read::text(py, text)
    }

    /// `; did you mean "name"?` for the candidate that resembles `written`, or nothing.
    #[pyfunction]
    fn did_you_mean(written: &str, candidates: Vec<String>) -> String {
        mcp_core::protocol::nearest_name::did_you_mean(written, candidates.iter().map(String::as_str))
    }
}
