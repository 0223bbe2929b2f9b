//! The open connections of a listener, and how they learn that it closes.
//!
//! A connection looks at one atomic value each time it is polled; nothing is registered per request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Waker;
use std::time::Instant;

use crate::runtime::lock::{Condvar, Mutex};

use super::patience::{Activity, Patience};

/// How far a listener has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Phase {
    /// It serves.
    Open,
    /// Requests in work are finished; connections without one are closed.
    Draining,
    /// Everything is closed as it is.
    Closed,
}

/// The connections of a listener.
pub(super) struct Connections {
    phase: AtomicU8,
    /// The present tick; see [`Activity`].
    now: AtomicU32,
    table: Mutex<Table>,
    fewer: Condvar,
}

#[derive(Default)]
struct Table {
    open: HashMap<u64, Arc<Connection>>,
    next: u64,
    /// Whether something still takes connections in.
    accepting: bool,
}

/// What is known of one connection.
pub(super) struct Connection {
    listener: Arc<Connections>,
    activity: Activity,
    overdue: AtomicBool,
    task: OnceLock<Waker>,
}

impl Connections {
    /// No connections yet.
    pub fn new() -> Arc<Self> {
        Arc::new(Connections {
            phase: AtomicU8::new(Phase::Open as u8),
            now: AtomicU32::new(1),
            table: Mutex::default(),
            fewer: Condvar::default(),
        })
    }

    /// Says that connections are taken in until the guard is dropped.
    pub fn accepting(self: &Arc<Self>) -> Accepting {
        self.table.lock().accepting = true;
        Accepting(self.clone())
    }

    /// Takes in a connection, until the guard is dropped.
    pub fn admit(self: &Arc<Self>) -> Admitted {
        let connection = Arc::new(Connection {
            listener: self.clone(),
            activity: Activity::new(self.now()),
            overdue: AtomicBool::new(false),
            task: OnceLock::new(),
        });
        let mut table = self.table.lock();
        let key = table.next;
        table.next += 1;
        table.open.insert(key, connection.clone());
        Admitted { connection, key }
    }

    /// Goes on to `phase` and tells every connection.
    pub fn enter(&self, phase: Phase) {
        self.phase.fetch_max(phase as u8, Ordering::SeqCst);
        self.wake(|_| true);
    }

    /// How far the listener has come.
    pub fn phase(&self) -> Phase {
        match self.phase.load(Ordering::SeqCst) {
            0 => Phase::Open,
            1 => Phase::Draining,
            _ => Phase::Closed,
        }
    }

    /// Waits until no connection is open and none is taken in, but not past `deadline`.
    pub fn wait_until_none(&self, deadline: Option<Instant>) {
        let mut table = self.table.lock();
        while table.accepting || !table.open.is_empty() {
            let time_is_up;
            (table, time_is_up) = self.fewer.wait(table, deadline);
            if time_is_up {
                return;
            }
        }
    }

    /// Lets the clock tick, and closes the connections that have kept the server waiting for too long.
    pub fn tick(&self, patience: &Patience) {
        let now = self.now.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        self.wake(|connection| {
            let overdue = connection.activity.is_overdue(now, patience);
            if overdue {
                connection.overdue.store(true, Ordering::SeqCst);
            }
            overdue
        });
    }

    /// How many are open.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.table.lock().open.len()
    }

    fn wake(&self, chosen: impl Fn(&Connection) -> bool) {
        // Woken without the lock: what a task does then is not known here.
        let table = self.table.lock();
        let chosen = table.open.values().filter(|connection| chosen(connection));
        let tasks: Vec<Waker> = chosen.filter_map(|connection| connection.task.get().cloned()).collect();
        drop(table);
        tasks.into_iter().for_each(Waker::wake);
    }

    fn now(&self) -> u32 {
        self.now.load(Ordering::Relaxed)
    }
}

impl Connection {
    /// Says which task polls the connection; each time, before `phase` is asked for.
    pub fn is_polled_by(&self, task: &Waker) {
        self.task.get_or_init(|| task.clone());
    }

    /// What the connection should do.
    pub fn phase(&self) -> Phase {
        if self.overdue.load(Ordering::SeqCst) { Phase::Closed } else { self.listener.phase() }
    }

    /// Bytes came.
    pub fn bytes_came(&self) {
        self.activity.bytes_came(self.listener.now());
    }

    /// The socket took bytes, or did not (`pending`), as the client reads none.
    pub fn wrote(&self, pending: bool) {
        self.activity.wrote(pending, self.listener.now());
    }

    /// Whether nothing is in work and nothing waits to be sent.
    #[cfg(feature = "tls")]
    pub fn is_at_rest(&self) -> bool {
        self.activity.is_at_rest()
    }

    /// The head of a request is complete. Returns what notes the end of its body, and that of its response.
    pub fn request_began(self: &Arc<Self>, http2: bool) -> (BodyInWork, RequestInWork) {
        self.activity.request_began(http2);
        (BodyInWork(self.clone()), RequestInWork(self.clone()))
    }
}

/// Dropped when the body of a request is complete or no longer wanted.
pub(super) struct BodyInWork(Arc<Connection>);

impl Drop for BodyInWork {
    fn drop(&mut self) {
        self.0.activity.body_ended();
    }
}

/// Dropped when the response to a request is handed over or no longer wanted.
pub(super) struct RequestInWork(Arc<Connection>);

impl Drop for RequestInWork {
    fn drop(&mut self) {
        self.0.activity.request_ended(self.0.listener.now());
    }
}

/// Keeps a connection among the open ones.
pub(super) struct Admitted {
    /// The connection.
    pub connection: Arc<Connection>,
    key: u64,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let listener = &self.connection.listener;
        let removed = listener.table.lock().open.remove(&self.key);
        listener.fewer.notify_all();
        drop(removed);
    }
}

/// Says that connections are taken in.
pub(super) struct Accepting(Arc<Connections>);

impl Drop for Accepting {
    fn drop(&mut self) {
        self.0.table.lock().accepting = false;
        self.0.fewer.notify_all();
    }
}
