//! Serving HTTP on a port.

use std::sync::Arc;
use std::time::Duration;

use mcp_core::server::engine::Server;
use mcp_core::transport::http::{self, HttpConfig};
use pyo3::prelude::*;

use crate::ending::{Ending, PyEnding};
use crate::fault;

/// An open port.
#[pyclass(module = "libmcp._libmcp", frozen)]
pub struct Listener {
    core: Arc<Server>,
    listener: http::Listener,
    ending: Arc<Ending>,
}

/// Opens a port and serves it.
pub fn start(py: Python<'_>, core: &Arc<Server>, config: &HttpConfig) -> PyResult<(Listener, Arc<Ending>)> {
    let started = py.detach(|| http::serve_http(core, config));
    let listener = started.map_err(|fault| fault::exception(py, &fault))?;
    let (_, ending) = PyEnding::make()?;
    Ok((Listener { core: core.clone(), listener, ending: ending.clone() }, ending))
}

#[pymethods]
impl Listener {
    #[getter]
    fn port(&self) -> u16 {
        self.listener.port()
    }

    /// The address, with the brackets of IPv6.
    #[getter]
    fn host(&self) -> String {
        match self.listener.address() {
            std::net::SocketAddr::V4(address) => address.ip().to_string(),
            std::net::SocketAddr::V6(address) => format!("[{}]", address.ip()),
        }
    }

    #[getter]
    fn ending(&self) -> PyEnding {
        PyEnding(self.ending.clone())
    }

    /// Stops listening. Calls in flight get `drain_ms`, or as the option of the server says.
    #[pyo3(signature = (drain_ms))]
    fn close(&self, py: Python<'_>, drain_ms: Option<u64>) -> PyResult<()> {
        let drain = drain_ms.map_or_else(|| self.core.settings().drain, Duration::from_millis);
        let closed = py.detach(|| self.listener.shutdown(drain));
        closed.map_err(|fault| fault::exception(py, &fault))?;
        self.ending.set(Ok(()));
        Ok(())
    }
}
