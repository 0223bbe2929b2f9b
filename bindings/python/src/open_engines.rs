//! The engines of the process, which are closed when the interpreter ends.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use mcp_core::runtime::library_log;
use mcp_core::server::engine::Server;
use pyo3::prelude::*;

use crate::interpreter_end;

static OPEN: Mutex<Vec<Weak<Server>>> = Mutex::new(Vec::new());

/// Has `core` closed at the end.
pub fn add(core: &Arc<Server>) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|server| server.strong_count() > 0);
    open.push(Arc::downgrade(core));
}

/// `core` was closed before.
pub fn remove(core: &Arc<Server>) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|server| !std::ptr::eq(server.as_ptr(), Arc::as_ptr(core)));
}

/// Closes every server, without waiting for calls in flight; what runs on after that stays away from Python.
#[pyfunction]
pub fn close_all(py: Python<'_>) {
    let open = std::mem::take(&mut *OPEN.lock().unwrap_or_else(PoisonError::into_inner));
    interpreter_end::begin();
    py.detach(|| {
        // Nobody can do anything any more about calls that come to no end.
        library_log::set_log_handler(Some(Box::new(|_, _| {})));
        for server in open.iter().filter_map(Weak::upgrade).filter(|server| server.check_process().is_ok()) {
            server.services().shut_down(Duration::ZERO);
            // Refused to a handler, on whose thread the interpreter cannot end.
            let _ = server.close();
        }
    });
    interpreter_end::announce();
}
