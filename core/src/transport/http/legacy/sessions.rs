//! The sessions of an endpoint, by their ids.
//!
//! Specification: 2025-11-25, Streamable HTTP, "Session Management".

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::http_session::{HttpSession, InUse};
use super::store_bounds::Load;
use super::streams::Streams;
use crate::runtime::library_log;
use crate::runtime::lock::Mutex;
use crate::runtime::unguessable;
use crate::server::engine::Server;
use crate::server::legacy::session::Session;

/// How many sessions may be open, unless set otherwise.
pub const DEFAULT_MAX_SESSIONS: usize = 1024;

/// How long a session may be idle, unless set otherwise: without a request in flight and without anybody who listens.
pub const DEFAULT_IDLE: Duration = Duration::from_secs(30 * 60);

/// The longest time between two looks for sessions that have expired.
const MAX_SWEEP: Duration = Duration::from_secs(30);

/// What can be set about sessions.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// How many may be open.
    pub most: usize,
    /// How long one may be idle.
    pub idle: Duration,
    /// What each keeps of its streams.
    pub store: Load,
    /// How long a client waits before it takes a stream up again.
    pub retry: Duration,
}

/// The sessions.
pub struct Sessions {
    server: Arc<Server>,
    options: SessionOptions,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    open: HashMap<String, Arc<HttpSession>>,
    /// Somebody will look for sessions that have expired.
    sweeping: bool,
    stopped: bool,
}

impl Sessions {
    /// No sessions yet.
    pub fn new(server: &Arc<Server>, options: SessionOptions) -> Arc<Self> {
        Arc::new(Sessions { server: server.clone(), options, table: Mutex::default() })
    }

    /// The streams of a session to be.
    pub fn streams(&self) -> Arc<Streams> {
        Streams::new(self.options.store)
    }

    /// Opens a session and returns its id. Where no more may be open, the one goes that has been idle longest; `None`
    /// if none is, or if the listener stops.
    pub fn open(self: &Arc<Self>, session: Arc<Session>, streams: Arc<Streams>) -> Option<String> {
        if session.revision().has_stream_polling() {
            streams.allow_polling(self.options.retry);
        }
        let id = unguessable::text();
        let opened = HttpSession::new(session, streams);
        let mut table = self.table.lock();
        let mut gone = None;
        if table.open.len() >= self.options.most {
            gone = table.take_longest_idle();
        }
        if table.stopped || table.open.len() >= self.options.most {
            drop(table);
            opened.end();
            return None;
        }
        table.open.insert(id.clone(), opened);
        let sweeps = !std::mem::replace(&mut table.sweeping, true);
        drop(table);
        if let Some(gone) = gone {
            library_log::debug(format_args!("a session was ended to make room for another"));
            gone.end();
        }
        if sweeps {
            self.sweep_later();
        }
        Some(id)
    }

    /// The session `id` of `principal`, in use until the guard is dropped; `None` if there is none, or not any more.
    pub fn find(&self, id: &str, principal: Option<&str>) -> Option<InUse> {
        let mut table = self.table.lock();
        let session = table.open.get(id).filter(|session| belongs(session, principal))?;
        if !self.is_expired(session, Instant::now()) {
            return Some(session.in_use());
        }
        let expired = table.open.remove(id);
        drop(table);
        if let Some(expired) = expired {
            expired.end();
        }
        None
    }

    /// Ends the session `id` of `principal`; false if there is none.
    pub fn end(&self, id: &str, principal: Option<&str>) -> bool {
        let mut table = self.table.lock();
        if !table.open.get(id).is_some_and(|session| belongs(session, principal)) {
            return false;
        }
        let ended = table.open.remove(id);
        drop(table);
        if let Some(ended) = &ended {
            ended.end();
        }
        ended.is_some()
    }

    /// The listener stops: sessions end, but what is in flight may be answered as long as its connection stays.
    pub fn stop(&self) {
        let mut table = self.table.lock();
        table.stopped = true;
        let open = std::mem::take(&mut table.open);
        drop(table);
        for session in open.into_values() {
            session.stop();
        }
    }

    /// How many are open.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.table.lock().open.len()
    }

    fn is_expired(&self, session: &HttpSession, now: Instant) -> bool {
        session.idle(now).is_some_and(|idle| idle >= self.options.idle)
    }

    /// Looks for sessions that have expired, as long as there are any.
    fn sweep_later(self: &Arc<Self>) {
        let sessions = Arc::downgrade(self);
        let period = (self.options.idle / 4).clamp(Duration::from_millis(10), MAX_SWEEP);
        let timer = self.server.runtime().after(period, move || {
            if let Some(sessions) = Weak::upgrade(&sessions)
                && sessions.sweep()
            {
                sessions.sweep_later();
            }
        });
        if let Err(fault) = timer {
            self.table.lock().sweeping = false;
            library_log::warning(format_args!("idle sessions are not looked for: {fault}"));
        }
    }

    /// Ends the sessions that have expired. True if others are left.
    fn sweep(&self) -> bool {
        let now = Instant::now();
        let mut table = self.table.lock();
        let expired: Vec<_> = table.open.extract_if(|_, session| self.is_expired(session, now)).collect();
        table.sweeping = !table.open.is_empty();
        let others = table.sweeping;
        drop(table);
        for (_, session) in expired {
            session.end();
        }
        others
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        for session in std::mem::take(&mut self.table.get_mut().open).into_values() {
            session.end();
        }
    }
}

impl Table {
    fn take_longest_idle(&mut self) -> Option<Arc<HttpSession>> {
        let now = Instant::now();
        let idle = self.open.iter().filter_map(|(id, session)| Some((session.idle(now)?, id)));
        let id = idle.max()?.1.clone();
        self.open.remove(&id)
    }
}

/// Whether `session` belongs to `principal`: it is that of whoever opened it.
fn belongs(session: &HttpSession, principal: Option<&str>) -> bool {
    session.session().principal().as_deref() == principal
}
