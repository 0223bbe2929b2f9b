//! The library's own log, for a handler of Python. The lines go by a thread of their own: whoever has something to say
//! must not wait for the GIL.

use std::sync::mpsc::{self, Receiver};

use mcp_core::runtime::fork_guard::ForkGuard;
use mcp_core::runtime::library_log::{self, LogSeverity};
use mcp_core::runtime::library_thread;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::guarded_call;
use crate::python_thread;

/// Lines that wait for the handler; more are dropped.
const MAX_WAITING: usize = 1024;

/// The stack of the thread, in bytes.
const STACK: usize = 8 << 20;

/// Sends the log of the process to `handler(level, message)`, with the numbers of `logging` for levels; `None` sends
/// warnings and errors to stderr again.
#[pyfunction]
#[pyo3(signature = (handler))]
pub fn set_log_handler(py: Python<'_>, handler: Option<Py<PyAny>>) -> PyResult<()> {
    let Some(handler) = handler else {
        py.detach(|| library_log::set_log_handler(None));
        return Ok(());
    };
    let (lines, waiting) = mpsc::sync_channel(MAX_WAITING);
    let spawned = library_thread::spawn("mcp-python-log", STACK, move || deliver(&handler, &waiting));
    spawned.map_err(|fault| PyOSError::new_err(format!("no thread for the log: {fault}")))?;
    let process = ForkGuard::new();
    let take = move |severity: LogSeverity, line: &str| {
        // The thread is the parent's.
        if !process.forked() {
            let _ = lines.try_send((level(severity), line.to_owned()));
        }
    };
    py.detach(|| library_log::set_log_handler(Some(Box::new(take))));
    Ok(())
}

/// Hands lines over until there can be no more.
fn deliver(handler: &Py<PyAny>, waiting: &Receiver<(u8, String)>) {
    for (level, line) in waiting {
        let told = python_thread::attach(|py| {
            if let Err(raised) = call(py, handler, level, &line) {
                raised.write_unraisable(py, Some(handler.bind(py)));
            }
        });
        if told.is_none() {
            return;
        }
    }
}

fn call(py: Python<'_>, handler: &Py<PyAny>, level: u8, line: &str) -> PyResult<()> {
    guarded_call::call(handler.bind(py), &(level, line).into_pyobject(py)?, None).map(drop)
}

/// The number that `logging` has for a severity.
fn level(severity: LogSeverity) -> u8 {
    match severity {
        LogSeverity::Debug => 10,
        LogSeverity::Info => 20,
        LogSeverity::Warning => 30,
        LogSeverity::Error => 40,
    }
}
