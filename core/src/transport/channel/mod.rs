//! One client at the other end of a channel that carries whole messages both ways: standard streams, or whatever a
//! host has.
//!
//! What is true of every such channel stands here; how messages leave it is a [`Sink`]. `intake` takes what the
//! client says and is where to begin reading, `reply` is the way back from one request.

mod intake;
mod push;
mod reply;
mod sink;

#[cfg(test)]
mod batch_tests;
#[cfg(test)]
mod freed_tests;
#[cfg(test)]
mod session_tests;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub use self::sink::{Queue, Sink};
use crate::protocol::message::Message;
use crate::protocol::notification::{self, Change};
use crate::protocol::request_id::RequestId;
use crate::runtime::library_log;
use crate::runtime::lock::Mutex;
use crate::server::batch_answers::BatchSlot;
use crate::server::engine::Server;
use crate::server::in_flight::InFlight;
use crate::server::legacy::session::Session;
use crate::server::open_requests::{OpenRequests, Ticket};
use crate::server::settings::Settings;

/// With so many bytes unsent, because the client does not take them, progress and log messages are dropped.
pub const MAX_UNSENT_BYTES: usize = 8 << 20;

/// A channel and the client at its other end. Every method may be called from any thread.
pub struct Channel<S: Sink> {
    server: Arc<Server>,
    /// The settings of the moment at which the channel was opened.
    settings: Arc<Settings>,
    sink: S,
    state: Mutex<State<S::Queue>>,
}

struct State<Q> {
    outgoing: Q,
    /// Changes that wait in `outgoing`, so that none waits there twice.
    waiting_changes: HashSet<(Option<RequestId>, Change)>,
    open: OpenRequests,
    /// The places of open requests among the answers to a batch.
    batched: HashMap<RequestId, BatchSlot>,
    /// The client's, if it is one of the legacy era.
    session: Option<Arc<Session>>,
    /// Subscriptions were ended: one that comes to light now ends too.
    concluded: bool,
    /// Nobody is there to take anything.
    gone: bool,
}

impl<Q: Queue> State<Q> {
    /// Whether a notification, of the request `id` if of any, may be dropped; it is queued if not.
    fn is_superfluous(&mut self, id: Option<&RequestId>, change: Option<Change>) -> bool {
        match change {
            Some(change) => !self.waiting_changes.insert((id.cloned(), change)),
            None => self.outgoing.waiting() > MAX_UNSENT_BYTES,
        }
    }
}

impl<S: Sink> Channel<S> {
    /// A channel over which nothing was said.
    pub fn new(server: &Arc<Server>, sink: S) -> Arc<Self> {
        let state = State {
            outgoing: S::Queue::default(),
            waiting_changes: HashSet::new(),
            open: OpenRequests::default(),
            batched: HashMap::new(),
            session: None,
            concluded: false,
            gone: false,
        };
        let settings = server.settings();
        Arc::new(Channel { server: server.clone(), settings, sink, state: Mutex::new(state) })
    }

    /// The way out.
    pub fn sink(&self) -> &S {
        &self.sink
    }

    /// The server that is spoken to.
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// The settings of the channel: those of the server when it was opened.
    pub fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// Requests that have no answer yet.
    pub fn open_requests(&self) -> usize {
        self.state.lock().open.count()
    }

    /// Bytes that are queued.
    pub fn unsent_bytes(&self) -> usize {
        self.state.lock().outgoing.waiting()
    }

    /// Takes what is queued, all of it, by `take`.
    pub fn take_outgoing<T>(&self, take: impl FnOnce(&mut S::Queue) -> T) -> T {
        let mut state = self.state.lock();
        state.waiting_changes.clear();
        take(&mut state.outgoing)
    }

    /// Sends a message that belongs to no open request. The caller holds no lock.
    pub fn send(self: &Arc<Self>, message: Message) {
        let mut state = self.state.lock();
        if !state.gone {
            state.outgoing.push(message);
            drop(state);
            self.sink.send_now(self);
        }
    }

    /// The same for a caller that may hold the lock of a call.
    fn post(self: &Arc<Self>, message: Message) {
        let mut state = self.state.lock();
        if !state.gone {
            state.outgoing.push(message);
            drop(state);
            self.sink.send_soon(self);
        }
    }

    /// The client does not want the answer of `id` any more. An unknown id is passed over.
    pub fn cancel(&self, id: &RequestId) {
        let mut state = self.state.lock();
        let in_flight = state.open.remove(id);
        let batched = state.batched.remove(id);
        drop(state);
        if let Some(in_flight) = in_flight {
            in_flight.cancel();
        }
        // The rest of its batch waits for it no more.
        drop(batched);
    }

    /// Cancels whatever has no answer yet. Nothing is sent from now on.
    pub fn abandon(&self) {
        let mut state = self.state.lock();
        state.gone = true;
        let open = state.open.take();
        let batched = std::mem::take(&mut state.batched);
        let session = state.session.take();
        drop(state);
        drop(batched);
        for in_flight in open {
            if let Some(subject) = in_flight.unanswered() {
                library_log::warning(format_args!(
                    "{subject}: its call ends with the connection, unanswered"
                ));
            }
            in_flight.cancel();
        }
        if let Some(session) = session {
            session.end();
        }
    }

    /// The session of a client of the legacy era.
    fn session(&self) -> Option<Arc<Session>> {
        self.state.lock().session.clone()
    }

    /// Keeps the session that `initialize` opened, for as long as the client is there.
    /// False if it has one, or has gone.
    fn keep_session(&self, opened: &Arc<Session>) -> bool {
        let mut state = self.state.lock();
        if state.gone || state.session.is_some() {
            return false;
        }
        state.session = Some(opened.clone());
        let concluded = state.concluded;
        drop(state);
        if concluded {
            opened.hear_no_more();
        }
        true
    }

    /// Nothing more is taken from the client. What waits for an answer of its fails, and the subscriptions end: each
    /// gets its result, and then the notification that names it as cancelled, in this order, because a client that sees
    /// the notification first reports an error.
    ///
    /// Specification: basic/patterns/subscriptions, "Graceful closure".
    pub fn conclude(self: &Arc<Self>) {
        let mut state = self.state.lock();
        state.concluded = true;
        let open = state.open.all();
        let session = state.session.clone();
        drop(state);
        for (id, in_flight) in open {
            self.conclude_subscription(&id, &in_flight);
        }
        if let Some(session) = session {
            session.hear_no_more();
        }
    }

    /// The client comes on behalf of `principal` from now on. What was subscribed to on behalf of another ends; what was
    /// before anybody was known goes on.
    pub fn set_principal(self: &Arc<Self>, principal: Option<&Arc<str>>) {
        let state = self.state.lock();
        let session = state.session.clone();
        let open = state.open.all();
        drop(state);
        if let Some(session) = session {
            session.set_principal(principal);
        }
        for (id, in_flight) in open {
            if let InFlight::Subscription(subscription) = &in_flight
                && subscription.principal().is_some_and(|own| Some(own) != principal)
            {
                self.conclude_subscription(&id, &in_flight);
            }
        }
    }

    fn conclude_subscription(self: &Arc<Self>, id: &RequestId, in_flight: &InFlight) {
        if in_flight.conclude() {
            self.send(notification::cancelled(id, None));
        }
    }

    /// Makes it possible to cancel the request of `ticket`, which the server has taken.
    fn attach(self: &Arc<Self>, id: &RequestId, ticket: Ticket, in_flight: InFlight) {
        let mut state = self.state.lock();
        let late = state.concluded.then(|| in_flight.clone());
        let refused = state.open.attach(id, ticket, in_flight);
        drop(state);
        // It was cancelled while the server took it. One that was answered meanwhile does not mind.
        if let Some(cancelled) = refused {
            cancelled.cancel();
        } else if let Some(late) = late {
            self.conclude_subscription(id, &late);
        }
    }
}
