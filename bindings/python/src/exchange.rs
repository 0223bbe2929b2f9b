//! A request that an ASGI server took, and its response, told to the event loop piece by piece.
//!
//! The pieces wait here until the loop takes them, so that many of them need one wake-up.

use std::mem;
use std::sync::Arc;

use mcp_core::runtime::library_log;
use mcp_core::runtime::lock::Mutex;
use mcp_core::transport::http::{Abort, ResponseWriter};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::guarded_call;
use crate::loop_queue::{LoopItem, LoopQueue};

/// How many bytes of a stream may wait for its client when a further event comes. Past it the stream is ended: the client
/// of a session comes back for what it missed, another asks again. One event may be larger: an answer is not cut off for
/// its own size.
const MAX_WAITING: usize = 8 << 20;

/// An exchange that was started.
#[pyclass(module = "libmcp._libmcp", frozen)]
pub struct Exchange {
    reply: Arc<Reply>,
    abort: Abort,
}

#[pymethods]
impl Exchange {
    /// What has come since the last time, as messages of ASGI, and whether that was all.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>, bool)> {
        let Taken { head, body, over, begun } = self.reply.take();
        let messages = PyList::empty(py);
        if let Some(head) = head {
            messages.append(head.message(py)?)?;
        }
        if begun && (over || !body.is_empty()) {
            let message = PyDict::new(py);
            message.set_item("type", "http.response.body")?;
            message.set_item("body", PyBytes::new(py, &body))?;
            message.set_item("more_body", !over)?;
            messages.append(message)?;
        }
        Ok((messages, over))
    }

    /// Whether there is a response.
    #[getter]
    fn begun(&self) -> bool {
        self.reply.come.lock().begun
    }

    /// Nobody waits for the rest: what runs for it is cancelled. One that is over does not mind.
    fn abort(&self) {
        self.abort.abort();
    }
}

impl Exchange {
    /// An exchange whose pieces wait for `queue`'s loop, which calls `bell` when there are some; and what is to be told
    /// of them.
    pub fn new(queue: Arc<LoopQueue>, bell: Py<PyAny>) -> (Exchange, Writer) {
        let reply = Arc::new(Reply { come: Mutex::default(), queue, bell });
        let abort = Abort::default();
        let writer =
            Writer { reply: reply.clone(), abort: abort.clone(), whole: false, between_events: true };
        (Exchange { reply, abort }, writer)
    }

    /// How the core is told to break it off.
    pub fn breaking(&self) -> &Abort {
        &self.abort
    }
}

/// What has come of a response.
struct Reply {
    come: Mutex<Come>,
    queue: Arc<LoopQueue>,
    bell: Py<PyAny>,
}

#[derive(Default)]
struct Come {
    head: Option<Head>,
    body: Vec<u8>,
    begun: bool,
    over: bool,
    /// The bell was rung, and nobody has come yet.
    rung: bool,
}

struct Taken {
    head: Option<Head>,
    body: Vec<u8>,
    begun: bool,
    over: bool,
}

struct Head {
    status: u16,
    headers: Vec<Header>,
}

/// A name and a value.
type Header = (Box<[u8]>, Box<[u8]>);

impl Head {
    fn message<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let header = |(name, value): &Header| (PyBytes::new(py, name), PyBytes::new(py, value));
        let headers = PyList::new(py, self.headers.iter().map(header))?;
        let message = PyDict::new(py);
        message.set_item("type", "http.response.start")?;
        message.set_item("status", self.status)?;
        message.set_item("headers", headers)?;
        Ok(message)
    }
}

impl Reply {
    fn take(&self) -> Taken {
        let mut come = self.come.lock();
        come.rung = false;
        Taken { head: come.head.take(), body: mem::take(&mut come.body), begun: come.begun, over: come.over }
    }

    /// Notes what has come; the loop is told, unless that can wait or was done.
    fn note(self: &Arc<Self>, can_wait: bool, note: impl FnOnce(&mut Come)) {
        let mut come = self.come.lock();
        note(&mut come);
        if can_wait || mem::replace(&mut come.rung, true) {
            return;
        }
        drop(come);
        // A loop that is gone has no task that waits for the bell.
        let _gone = self.queue.push(Box::new(Ring(self.clone())));
    }
}

/// Rings on the thread of the loop.
struct Ring(Arc<Reply>);

impl LoopItem for Ring {
    fn run(self: Box<Self>, py: Python<'_>) -> PyResult<()> {
        guarded_call::call(self.0.bell.bind(py), &PyTuple::empty(py), None).map(drop)
    }
}

/// Where the core tells the response.
pub struct Writer {
    reply: Arc<Reply>,
    abort: Abort,
    /// The body is one text, and its end comes with it.
    whole: bool,
    /// The next piece begins an event.
    between_events: bool,
}

impl ResponseWriter for Writer {
    fn head(&mut self, status: u16, headers: &[(&str, &[u8])]) {
        self.whole = headers.iter().any(|(name, _)| *name == "content-length");
        let headers = headers.iter().map(|(name, value)| (name.as_bytes().into(), (*value).into())).collect();
        self.reply.note(self.whole, |come| {
            come.head = Some(Head { status, headers });
            come.begun = true;
        });
    }

    fn body(&mut self, piece: &[u8]) {
        let may_end = !self.whole && self.between_events;
        self.between_events = piece.ends_with(b"\n\n");
        let mut too_much = false;
        self.reply.note(self.whole, |come| {
            too_much = may_end && come.body.len() > MAX_WAITING;
            if !too_much {
                come.body.extend_from_slice(piece);
            }
        });
        if too_much {
            library_log::warning(format_args!(
                "a client reads its stream too slowly: more than {MAX_WAITING} bytes wait for it; the stream is ended"
            ));
            self.abort.abort();
        }
    }

    fn end(&mut self) {
        self.reply.note(false, |come| come.over = true);
    }
}
