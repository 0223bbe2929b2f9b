//! A server of the core, as `libmcp.server` has it.

use std::sync::Arc;

use mcp_core::server::engine::Server;
use pyo3::prelude::*;

use crate::fault;

/// The engine behind a `libmcp.Server`, of one process.
#[pyclass(module = "libmcp._libmcp", frozen)]
pub struct Engine {
    core: Arc<Server>,
}

impl Engine {
    /// The server of the core.
    pub fn core(&self) -> &Arc<Server> {
        &self.core
    }
}

#[pymethods]
impl Engine {
    #[new]
    fn new(py: Python<'_>, name: &str, version: &str) -> PyResult<Self> {
        let core = Server::new(name, version).map_err(|fault| fault::exception(py, &fault))?;
        Ok(Engine { core })
    }
}
