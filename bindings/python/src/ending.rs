//! The end of something that serves: threads wait for it, and futures of loops are told of it.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_core::host_error::HostError;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::fault;
use crate::future;
use crate::loop_queue::{LoopQueue, PyLoopQueue};

/// How long a wait may last until it is looked for signals, in milliseconds: one that came just before it has not
/// interrupted it, nor does one that another thread of the program took.
const LOOK_AGAIN: i32 = 250;

/// An end that comes once.
pub struct Ending {
    state: Mutex<State>,
    /// Readable from the end on.
    event: OwnedFd,
}

#[derive(Default)]
struct State {
    ended: Option<Result<(), HostError>>,
    watchers: Vec<(Arc<LoopQueue>, Py<PyAny>)>,
}

impl Ending {
    /// An end that has not come.
    pub fn new() -> io::Result<Arc<Ending>> {
        // SAFETY: no pointers are involved.
        let descriptor = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just opened, and nobody else knows it.
        let event = unsafe { OwnedFd::from_raw_fd(descriptor) };
        Ok(Arc::new(Ending { state: Mutex::default(), event }))
    }

    /// It has come, as `result` says, unless it had before.
    pub fn set(&self, result: Result<(), HostError>) {
        let mut state = self.state();
        if state.ended.is_some() {
            return;
        }
        state.ended = Some(result.clone());
        let watchers = std::mem::take(&mut state.watchers);
        drop(state);
        let one = 1u64;
        // SAFETY: the buffer has the eight bytes that an eventfd takes.
        unsafe { libc::write(self.event.as_raw_fd(), (&raw const one).cast(), size_of::<u64>()) };
        for (queue, future) in watchers {
            tell(&queue, future, result.clone());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a future on its loop.
fn tell(queue: &LoopQueue, future: Py<PyAny>, result: Result<(), HostError>) {
    let item = move |py: Python<'_>| {
        let result = result.map(|()| py.None().into_bound(py));
        future::end(future.bind(py), result.map_err(|fault| fault::exception(py, &fault)))
    };
    // A loop that is gone waits for nothing.
    drop(queue.push(Box::new(item)));
}

/// The end as the package has it.
#[pyclass(name = "Ending", module = "libmcp._libmcp", frozen)]
pub struct PyEnding(pub Arc<Ending>);

impl PyEnding {
    /// An end that has not come.
    pub fn make() -> PyResult<(PyEnding, Arc<Ending>)> {
        let ending = Ending::new()
            .map_err(|fault| PyOSError::new_err(format!("no descriptor to wait on: {fault}")))?;
        Ok((PyEnding(ending.clone()), ending))
    }
}

#[pymethods]
impl PyEnding {
    /// Waits for the end. Signals are handled meanwhile, and what their handlers raise ends the wait.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        loop {
            if let Some(ended) = self.0.state().ended.clone() {
                return ended.map_err(|fault| fault::exception(py, &fault));
            }
            py.detach(|| {
                let mut poll =
                    libc::pollfd { fd: self.0.event.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: one descriptor, which is open as long as `self` is. A signal interrupts it.
                unsafe { libc::poll(&raw mut poll, 1, LOOK_AGAIN) };
            });
            py.check_signals()?;
        }
    }

    /// Ends `future`, which belongs to the loop of `queue`, when the end comes.
    fn watch(&self, queue: &PyLoopQueue, future: Py<PyAny>) {
        let mut state = self.0.state();
        match state.ended.clone() {
            None => state.watchers.push((queue.queue().clone(), future)),
            Some(ended) => {
                drop(state);
                tell(queue.queue(), future, ended);
            }
        }
    }

    #[getter]
    fn done(&self) -> bool {
        self.0.state().ended.is_some()
    }
}
