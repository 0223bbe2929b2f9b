//! What the I/O thread of a connection shares with the threads that answer: the messages on their way out,
//! and the requests that have no answer yet.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::runtime::lock::Mutex;

use super::{OutputQueue, Wakeup};
use crate::protocol::message::{Answer, Message};
use crate::protocol::notification::{self, Change};
use crate::protocol::request_id::RequestId;
use crate::runtime::library_log;
use crate::server::in_flight::InFlight;
use crate::server::outbox::Outbox;
use crate::server::shutdown::Service;

/// With so many bytes unsent, because the client does not read, progress and log messages are dropped and
/// nothing more is read until the client takes some.
pub const MAX_UNSENT_BYTES: usize = 8 << 20;

/// One pair of streams and the client at their other end.
pub struct Connection {
    wakeup: Wakeup,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    outgoing: OutputQueue,
    /// Changes that wait in `outgoing`, so that none waits there twice.
    waiting_changes: Vec<(RequestId, Change)>,
    /// Requests without an answer. The value comes a moment after the key.
    open: HashMap<RequestId, Option<InFlight>>,
    stop: Option<Instant>,
    /// Nobody is there to read.
    gone: bool,
}

impl Connection {
    /// A connection over which nothing was said. Fails when the process has no descriptor left.
    pub fn new() -> io::Result<Arc<Self>> {
        Ok(Arc::new(Connection { wakeup: Wakeup::new()?, state: Mutex::default() }))
    }

    /// The bell of the I/O thread.
    pub fn wakeup(&self) -> &Wakeup {
        &self.wakeup
    }

    /// Notes a request before it is handed to the server; false if one of the same id has no answer yet.
    pub fn begin(&self, id: &RequestId) -> bool {
        let mut state = self.state.lock();
        if state.open.contains_key(id) {
            return false;
        }
        state.open.insert(id.clone(), None);
        true
    }

    /// Makes it possible to cancel a request that was begun.
    pub fn attach(&self, id: &RequestId, in_flight: InFlight) {
        if let Some(place) = self.state.lock().open.get_mut(id) {
            *place = Some(in_flight);
        }
    }

    /// Requests that have no answer yet.
    pub fn open_requests(&self) -> usize {
        self.state.lock().open.len()
    }

    /// The client does not want the answer of `id` any more. An unknown id is passed over.
    pub fn cancel(&self, id: &RequestId) {
        let in_flight = self.state.lock().open.remove(id).flatten();
        if let Some(in_flight) = in_flight {
            in_flight.cancel();
        }
    }

    /// Cancels whatever has no answer yet; with `gone`, nothing is sent from now on either.
    pub fn abandon(&self, gone: bool) {
        let mut state = self.state.lock();
        state.gone |= gone;
        let open = std::mem::take(&mut state.open);
        drop(state);
        for in_flight in open.into_values().flatten() {
            if let Some(tool) = in_flight.unanswered_tool() {
                library_log::warning(format_args!(
                    "tool \"{tool}\": its call ends with the connection, unanswered"
                ));
            }
            in_flight.cancel();
        }
    }

    /// Ends the subscriptions: each gets its result, and then the notification that names it as cancelled,
    /// in this order, because a client that sees the notification first reports an error.
    pub fn conclude_subscriptions(&self) {
        let open = self.state.lock().open.clone();
        for (id, in_flight) in open {
            if in_flight.is_some_and(|in_flight| in_flight.conclude()) {
                self.send(notification::cancelled(&id));
            }
        }
    }

    /// Queues a message that belongs to no open request.
    pub fn send(&self, message: Message) {
        let mut state = self.state.lock();
        if !state.gone {
            state.outgoing.push(message);
            drop(state);
            self.wakeup.wake();
        }
    }

    /// Takes all that was queued, in exchange for the empty queue `sent`.
    pub fn take_outgoing(&self, sent: &mut OutputQueue) {
        let mut state = self.state.lock();
        state.waiting_changes.clear();
        std::mem::swap(&mut state.outgoing, sent);
    }

    /// Bytes that are queued.
    pub fn unsent_bytes(&self) -> usize {
        self.state.lock().outgoing.waiting()
    }

    /// When the connection was told to be over, at the latest.
    pub fn stop_deadline(&self) -> Option<Instant> {
        self.state.lock().stop
    }
}

impl Service for Connection {
    fn stop(&self, drain: Duration) {
        let now = Instant::now();
        // A time that no clock can show is one without end; a year is as good.
        let deadline = now.checked_add(drain).unwrap_or(now + Duration::from_secs(365 * 24 * 3600));
        let mut state = self.state.lock();
        state.stop = Some(state.stop.map_or(deadline, |before| before.min(deadline)));
        drop(state);
        self.wakeup.wake();
    }
}

/// The way from one request back to the client.
pub struct Reply {
    connection: Arc<Connection>,
    id: RequestId,
}

impl Reply {
    /// The way back from the request `id`.
    pub fn new(connection: Arc<Connection>, id: RequestId) -> Self {
        Reply { connection, id }
    }
}

impl Outbox for Reply {
    fn notify(&self, message: Message, change: Option<Change>) {
        let mut state = self.connection.state.lock();
        let superfluous = match &change {
            Some(change) => {
                state.waiting_changes.iter().any(|(id, waiting)| waiting == change && *id == self.id)
            }
            None => state.outgoing.waiting() > MAX_UNSENT_BYTES,
        };
        if superfluous || state.gone || !state.open.contains_key(&self.id) {
            return;
        }
        state.waiting_changes.extend(change.map(|change| (self.id.clone(), change)));
        state.outgoing.push(message);
        drop(state);
        self.connection.wakeup.wake();
    }

    fn request(&self, message: Message) -> bool {
        self.connection.send(message);
        true
    }

    fn close_stream(&self, _retry: Option<Duration>) {}

    fn answer(&self, answer: Answer) {
        let mut state = self.connection.state.lock();
        let in_flight = state.open.remove(&self.id);
        if in_flight.is_some() && !state.gone {
            state.outgoing.push(answer.message);
        }
        drop(state);
        drop(in_flight);
        self.connection.wakeup.wake();
    }
}
