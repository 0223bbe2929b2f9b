//! The one way from the library's threads onto an event loop of Python: a queue, and a descriptor that the loop watches.
//!
//! Whoever puts something in needs no GIL and never waits. Many items make one wake-up.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_core::runtime::fork_guard::ForkGuard;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// Something to be done on the thread of a loop. Dropped instead of run, where the loop is gone: what it holds must say
/// by its own drop that nothing comes of it.
pub trait LoopItem: Send {
    /// Does it. An error is one of the binding itself, and goes to the loop's exception handler.
    fn run(self: Box<Self>, py: Python<'_>) -> PyResult<()>;
}

impl<F: FnOnce(Python<'_>) -> PyResult<()> + Send> LoopItem for F {
    fn run(self: Box<Self>, py: Python<'_>) -> PyResult<()> {
        self(py)
    }
}

/// Items run by one wake-up, so that the loop's other work gets its turn.
const TURN: usize = 256;

/// A queue that belongs to a loop.
pub struct LoopQueue {
    state: Mutex<State>,
    /// Whether the descriptor was written to and not read since.
    signalled: AtomicBool,
    event: OwnedFd,
    process: ForkGuard,
}

#[derive(Default)]
struct State {
    items: VecDeque<Box<dyn LoopItem>>,
    closed: bool,
}

impl LoopQueue {
    /// An open queue without a loop.
    pub fn new() -> io::Result<Arc<LoopQueue>> {
        // SAFETY: no pointers are involved.
        let descriptor = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just opened, and nobody else knows it.
        let event = unsafe { OwnedFd::from_raw_fd(descriptor) };
        Ok(Arc::new(LoopQueue {
            state: Mutex::default(),
            signalled: AtomicBool::new(false),
            event,
            process: ForkGuard::new(),
        }))
    }

    /// Hands `item` to the loop; back to the caller, if the queue is closed.
    pub fn push(&self, item: Box<dyn LoopItem>) -> Result<(), Box<dyn LoopItem>> {
        let mut state = self.state();
        if state.closed {
            return Err(item);
        }
        state.items.push_back(item);
        drop(state);
        self.signal();
        Ok(())
    }

    /// Whether nothing is taken any more.
    pub fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Takes nothing more, and drops what waits. Must not be called with a lock held that a drop may want.
    pub fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        let dropped = std::mem::take(&mut state.items);
        drop(state);
        drop(dropped);
    }

    /// Runs what waits, on the thread of the loop.
    fn drain(&self, py: Python<'_>) -> PyResult<()> {
        if self.process.forked() {
            // What waits is the parent's, and so is what the descriptor says.
            return Ok(());
        }
        let mut count = 0u64;
        // SAFETY: the buffer has the eight bytes that an eventfd gives. An error means that there is nothing to read.
        unsafe { libc::read(self.event.as_raw_fd(), (&raw mut count).cast(), size_of::<u64>()) };
        self.signalled.store(false, Ordering::SeqCst);
        for _ in 0..TURN {
            let Some(item) = self.state().items.pop_front() else { return Ok(()) };
            if let Err(fault) = item.run(py) {
                self.signal_if_waiting();
                return Err(fault);
            }
        }
        self.signal_if_waiting();
        Ok(())
    }

    fn signal_if_waiting(&self) {
        if !self.state().items.is_empty() {
            self.signal();
        }
    }

    fn signal(&self) {
        // A child of fork() shares the descriptor with the loop of its parent.
        if self.process.forked() || self.signalled.swap(true, Ordering::SeqCst) {
            return;
        }
        let one = 1u64;
        // SAFETY: the buffer has the eight bytes that an eventfd takes. It is far from its limit, so the write works.
        unsafe { libc::write(self.event.as_raw_fd(), (&raw const one).cast(), size_of::<u64>()) };
    }

    /// The state is whole between any two statements: a panic elsewhere does not spoil it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The queue as `libmcp.event_loop` has it.
#[pyclass(name = "LoopQueue", module = "libmcp._libmcp", frozen, weakref)]
pub struct PyLoopQueue {
    queue: Arc<LoopQueue>,
}

impl PyLoopQueue {
    /// The queue behind it.
    pub fn queue(&self) -> &Arc<LoopQueue> {
        &self.queue
    }
}

/// A loop that is gone drains no more.
impl Drop for PyLoopQueue {
    fn drop(&mut self) {
        self.queue.close();
    }
}

#[pymethods]
impl PyLoopQueue {
    #[new]
    fn new() -> PyResult<Self> {
        let queue = LoopQueue::new()
            .map_err(|fault| PyOSError::new_err(format!("no descriptor for a queue: {fault}")))?;
        Ok(PyLoopQueue { queue })
    }

    /// The descriptor that becomes readable when something waits.
    fn fileno(&self) -> i32 {
        self.queue.event.as_raw_fd()
    }

    /// Runs what waits.
    fn drain(&self, py: Python<'_>) -> PyResult<()> {
        self.queue.drain(py)
    }

    #[getter]
    fn closed(&self) -> bool {
        self.queue.is_closed()
    }

    /// Takes nothing more, and drops what waits.
    fn close(&self) {
        self.queue.close();
    }
}
