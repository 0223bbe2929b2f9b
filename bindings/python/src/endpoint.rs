//! The endpoint of a server in an ASGI application.

use std::sync::Arc;

use bytes::Bytes;
use mcp_core::transport::http::{ExchangeRequest, HttpEndpoint};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;

use crate::attachment::Attachment;
use crate::engine::Engine;
use crate::exchange::Exchange;
use crate::fault;
use crate::http_config;
use crate::loop_queue::PyLoopQueue;

/// From how many bytes on a body is handed over where it lies, and not copied.
const LARGE: usize = 64 << 10;

/// An endpoint. It ends with its server, or when it is closed.
#[pyclass(module = "libmcp._libmcp", frozen)]
pub struct Endpoint {
    endpoint: HttpEndpoint,
}

#[pymethods]
impl Endpoint {
    /// An endpoint of the server behind `engine`. The options are those of a listener, but for its port; the address
    /// is the one on which the ASGI server listens.
    #[new]
    fn new(engine: &Engine, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let config = http_config::read(options)?;
        let endpoint = HttpEndpoint::open(engine.core(), &config)
            .map_err(|fault| fault::exception(options.py(), &fault))?;
        Ok(Endpoint { endpoint })
    }

    /// Begins to answer a request. `bell` is called on the loop of `queue` when something of the response is there.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of one request")]
    fn start(
        &self,
        py: Python<'_>,
        method: &str,
        target: &str,
        headers: &Bound<'_, PyAny>,
        body: PyBackedBytes,
        principal: Option<&str>,
        scope: Py<PyAny>,
        context: Py<PyAny>,
        queue: &PyLoopQueue,
        bell: Py<PyAny>,
    ) -> PyResult<Exchange> {
        let queue = queue.queue();
        let raised = |fault| fault::exception(py, &fault);
        let mut request = ExchangeRequest::new(method, target).map_err(raised)?;
        for header in headers.try_iter()? {
            let (name, value): (PyBackedBytes, PyBackedBytes) = header?.extract()?;
            request.add_header(&String::from_utf8_lossy(&name), &value).map_err(raised)?;
        }
        request.set_principal(principal);
        request.attach(Arc::new(Attachment { request: scope, context, queue: queue.clone() }));
        let body = if body.len() < LARGE { Bytes::copy_from_slice(&body) } else { Bytes::from_owner(body) };
        let (exchange, writer) = Exchange::new(queue.clone(), bell);
        self.endpoint.start(request, body, Box::new(writer), exchange.breaking()).map_err(raised)?;
        Ok(exchange)
    }

    /// Takes no more requests, ends subscriptions, gives what runs the time of the server's option `drain_ms`, and
    /// breaks off the rest. Returns when all have ended.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.endpoint.shutdown(self.endpoint.drain()))
            .map_err(|fault| fault::exception(py, &fault))
    }
}
