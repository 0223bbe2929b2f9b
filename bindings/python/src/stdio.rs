//! Serving the standard streams, on a thread beside Python's.

use std::sync::Arc;
use std::sync::mpsc;

use mcp_core::host_error::HostError;
use mcp_core::runtime::library_thread;
use mcp_core::server::engine::Server;
use mcp_core::transport::stdio;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::ending::{Ending, PyEnding};
use crate::fault;
use crate::guarded_call;
use crate::python_thread;

/// The stack of the thread, in bytes: it runs Python to flush the streams.
const STACK: usize = 1 << 20;

/// Begins to serve, and returns when the streams are the protocol's. `flush` is called then, and before they are given
/// back.
pub fn begin(py: Python<'_>, core: &Arc<Server>, flush: Py<PyAny>) -> PyResult<(PyEnding, Arc<Ending>)> {
    let refused = |fault: HostError| fault::exception(py, &fault);
    core.check_process().and_then(|()| core.check_may_wait()).map_err(refused)?;
    for descriptor in [libc::STDIN_FILENO, libc::STDOUT_FILENO] {
        // The next one that is opened would be taken for it.
        // SAFETY: no pointers are involved.
        if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
            return Err(refused(HostError::Io("standard input or output is closed".into())));
        }
    }
    let (ending, end) = PyEnding::make()?;
    let (core, told) = (core.clone(), end.clone());
    let (taken, takes) = mpsc::sync_channel(1);
    let spawned = library_thread::spawn("mcp-python-io", STACK, move || {
        let flush = || {
            python_thread::attach(|py| {
                if let Err(raised) = guarded_call::call(flush.bind(py), &PyTuple::empty(py), None) {
                    raised.write_unraisable(py, None);
                }
            });
            let _ = taken.try_send(());
        };
        told.set(stdio::serve_flushing(&core, &flush));
    });
    spawned
        .map_err(|fault| refused(HostError::Io(format!("no thread for the standard streams: {fault}"))))?;
    // It fails where the thread has ended without taking them: the ending says why.
    py.detach(move || takes.recv().ok());
    Ok((ending, end))
}
