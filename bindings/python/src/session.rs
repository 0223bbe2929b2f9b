//! A client over a transport of the program's own.

use std::sync::Arc;

use mcp_core::protocol::message::Message;
use mcp_core::transport::host_channel::{HostChannel, SendMessage};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};

use crate::engine::Engine;
use crate::fault;
use crate::guarded_call;
use crate::loop_queue::PyLoopQueue;
use crate::python_thread;

fn call(py: Python<'_>, send: &Py<PyAny>, text: &[u8]) -> PyResult<()> {
    guarded_call::call(send.bind(py), &(PyBytes::new(py, text),).into_pyobject(py)?, None).map(drop)
}

/// A client, as `libmcp.session` has it.
#[pyclass(name = "Channel", module = "libmcp._libmcp", frozen)]
pub struct PyChannel {
    channel: HostChannel,
}

#[pymethods]
impl PyChannel {
    /// `send` is called with the bytes of each message: on the loop of `queue`, or without one on whatever thread made
    /// the message.
    #[new]
    #[pyo3(signature = (engine, send, queue))]
    fn new(
        py: Python<'_>,
        engine: &Engine,
        send: Py<PyAny>,
        queue: Option<&Bound<'_, PyLoopQueue>>,
    ) -> PyResult<Self> {
        let queue = queue.map(|queue| queue.get().queue().clone());
        let send = Arc::new(send);
        let send: SendMessage = Box::new(move |message: &Message| {
            let mut text = Vec::new();
            message.append_to(&mut text);
            match &queue {
                Some(queue) => {
                    let send = send.clone();
                    let item = move |py: Python<'_>| call(py, &send, &text);
                    drop(queue.push(Box::new(item)));
                }
                None => {
                    python_thread::attach(|py| {
                        if let Err(raised) = call(py, &send, &text) {
                            raised.write_unraisable(py, Some(send.bind(py)));
                        }
                    });
                }
            }
        });
        let opened = HostChannel::open(engine.core(), send);
        let channel = opened.map_err(|fault| fault::exception(py, &fault))?;
        Ok(PyChannel { channel })
    }

    /// Takes a message of the client's.
    fn receive(&self, py: Python<'_>, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let received = if let Ok(text) = message.cast::<PyString>() {
            let text = text.to_str()?.to_owned();
            py.detach(|| self.channel.receive(text.as_bytes()))
        } else {
            let bytes: PyBackedBytes = message.extract()?;
            py.detach(|| self.channel.receive(&bytes))
        };
        received.map_err(|fault| fault::exception(py, &fault))
    }

    /// Says on whose behalf messages come from now on.
    #[pyo3(signature = (principal))]
    fn set_principal(&self, principal: Option<&str>) {
        self.channel.set_principal(principal);
    }

    /// Ends the client's subscriptions and calls.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.channel.close()).map_err(|fault| fault::exception(py, &fault))
    }
}
