//! One client of the legacy era, from its `initialize` to its end.
//!
//! Specification: 2025-11-25, basic/lifecycle.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::client_requests::ClientRequests;
use super::push::Push;
use super::{answering, door, initialize};
use crate::protocol::client_capability::ClientCapabilities;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::{Notification, Response};
use crate::protocol::log_level::LogLevel;
use crate::protocol::message::Message;
use crate::protocol::notification::{self, Change};
use crate::protocol::revision::Revision;
use crate::runtime::lock::Mutex;
use crate::server::engine::{Incoming, Server};
use crate::server::in_flight::Handled;

/// Resources that one session may subscribe to.
pub const MAX_SUBSCRIBED: usize = 1000;

/// Log messages from this level on are sent until the client sets another.
pub const DEFAULT_LOG_LEVEL: LogLevel = LogLevel::Info;

/// A session. Every method may be called from any thread. It ends with [`Self::end`], or when it is dropped.
pub struct Session {
    key: u64,
    server: Arc<Server>,
    revision: Revision,
    capabilities: ClientCapabilities,
    principal: Option<Arc<str>>,
    push: Arc<dyn Push>,
    log_level: Mutex<LogLevel>,
    /// The client has said that it is ready; before, it is told nothing that it did not ask for.
    initialized: AtomicBool,
    subscribed: Mutex<HashSet<Arc<str>>>,
    requests: ClientRequests,
}

impl Session {
    /// Answers `initialize` and opens the session, if it succeeds. What belongs to no request goes by `push`.
    pub fn initialize(server: &Arc<Server>, incoming: Incoming, push: Arc<dyn Push>) -> Option<Arc<Session>> {
        Session::open(server, incoming, push, |_| ())
    }

    /// The same; `keep` has the session before the client has the answer. Where an answer may be sent while the
    /// request is being taken, the next message may come meanwhile.
    pub fn open(
        server: &Arc<Server>,
        incoming: Incoming,
        push: Arc<dyn Push>,
        keep: impl FnOnce(&Arc<Session>),
    ) -> Option<Arc<Session>> {
        let outbox = incoming.outbox;
        let hello = match initialize::read(&incoming.request.params) {
            Ok(hello) => hello,
            Err(error) => {
                answering::fail(&*outbox, &incoming.request.id, error);
                return None;
            }
        };
        let session = server.sessions().add(|key| {
            Arc::new(Session {
                key,
                server: server.clone(),
                revision: hello.revision,
                capabilities: hello.capabilities,
                principal: incoming.principal,
                push,
                log_level: Mutex::new(DEFAULT_LOG_LEVEL),
                initialized: AtomicBool::new(false),
                subscribed: Mutex::default(),
                requests: ClientRequests::default(),
            })
        });
        keep(&session);
        initialize::answer(server, session.revision, &*outbox, &incoming.request.id);
        Some(session)
    }

    /// Takes a request.
    pub fn handle(self: &Arc<Self>, incoming: Incoming) -> Handled {
        door::handle(self, incoming)
    }

    /// Takes a notification, but for a cancellation, which is the transport's: it knows the requests in flight.
    pub fn notification(&self, notification: &Notification) {
        if notification.method.as_str() == "notifications/initialized" {
            self.initialized.store(true, Ordering::Release);
        }
    }

    /// Takes the answer to a request of the server's.
    pub fn response(&self, response: Response) {
        self.requests.answered(response);
    }

    /// Nothing more is asked of the client or told to it. What waits for an answer of its fails.
    pub fn end(&self) {
        self.server.sessions().remove(self.key);
        self.requests.abandon();
    }

    /// The revision that was agreed on.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// On whose behalf the client came.
    pub fn principal(&self) -> Option<&Arc<str>> {
        self.principal.as_ref()
    }

    /// Tells the client of `change`, if it asked for it.
    pub fn tell(&self, change: &Change) {
        let asked = match change {
            Change::Resource(uri) => self.subscribed.lock().contains(uri),
            _ => true,
        };
        if asked && self.initialized.load(Ordering::Acquire) {
            self.notify(notification::changed(change, None), Some(change.clone()));
        }
    }

    /// Sends a notification that belongs to no request; false if the session has ended.
    pub(super) fn notify(&self, message: Message, change: Option<Change>) -> bool {
        let is_open = !self.requests.have_ended();
        if is_open {
            self.push.notify(message, change);
        }
        is_open
    }

    pub(super) fn server(&self) -> &Arc<Server> {
        &self.server
    }

    pub(super) fn capabilities(&self) -> &ClientCapabilities {
        &self.capabilities
    }

    pub(super) fn push(&self) -> &Arc<dyn Push> {
        &self.push
    }

    pub(super) fn requests(&self) -> &ClientRequests {
        &self.requests
    }

    pub(super) fn log_level(&self) -> LogLevel {
        *self.log_level.lock()
    }

    pub(super) fn set_log_level(&self, level: LogLevel) {
        *self.log_level.lock() = level;
    }

    /// Specification: 2025-11-25, server/resources, "Subscriptions".
    pub(super) fn subscribe(&self, uri: String) -> Result<(), ProtocolError> {
        let mut subscribed = self.subscribed.lock();
        if subscribed.len() >= MAX_SUBSCRIBED && !subscribed.contains(&*uri) {
            return Err(ProtocolError::internal(format!(
                "this session subscribes to {MAX_SUBSCRIBED} resources, and to no more"
            )));
        }
        subscribed.insert(uri.into());
        Ok(())
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.subscribed.lock().remove(uri);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.server.sessions().remove(self.key);
    }
}
