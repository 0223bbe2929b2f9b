//! One session over HTTP: what the client has in flight, its streams, and when it was last heard of.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::event_id::StreamId;
use super::store::Hold;
use super::stream_reply::{Place, StreamReply};
use super::streams::Streams;
use crate::call::headers::Headers;
use crate::protocol::frame::{Notification, Request};
use crate::protocol::request_id::RequestId;
use crate::runtime::library_log;
use crate::runtime::lock::Mutex;
use crate::server::engine::Incoming;
use crate::server::in_flight::{Handled, InFlight};
use crate::server::legacy::session::Session;
use crate::server::open_requests::{OpenRequests, Ticket};

/// A session.
pub struct HttpSession {
    session: Arc<Session>,
    streams: Arc<Streams>,
    requests: Mutex<Requests>,
    usage: Mutex<Usage>,
    /// The listener stops: a client that goes away cannot come back.
    stopping: AtomicBool,
}

#[derive(Default)]
struct Requests {
    open: OpenRequests,
    replies: HashMap<RequestId, Arc<StreamReply>>,
    /// No more are taken.
    ended: bool,
}

struct Usage {
    /// HTTP requests that are being answered.
    requests: usize,
    /// When the last of them was.
    since: Instant,
}

/// A request of a session, as it came.
pub struct Arrived {
    /// The request.
    pub request: Request,
    /// Its headers.
    pub headers: Arc<dyn Headers>,
    /// On whose behalf it came.
    pub principal: Option<Arc<str>>,
    /// Whether its client accepts a stream.
    pub events: bool,
    /// The stream of its response.
    pub hold: Hold,
    /// Where its answer goes.
    pub place: Place,
}

/// Why a request was not taken.
pub enum NotTaken {
    /// Another of this id has no answer yet. The answer would have gone to that place.
    IdInUse(RequestId, Place),
    /// The session has ended.
    Ended,
}

impl HttpSession {
    /// A session whose client has just been answered.
    pub fn new(session: Arc<Session>, streams: Arc<Streams>) -> Arc<Self> {
        Arc::new(HttpSession {
            session,
            streams,
            requests: Mutex::default(),
            usage: Mutex::new(Usage { requests: 0, since: Instant::now() }),
            stopping: AtomicBool::new(false),
        })
    }

    /// Says that the session is in use, until the guard is dropped.
    pub fn in_use(self: &Arc<Self>) -> InUse {
        self.usage.lock().requests += 1;
        InUse(self.clone())
    }

    /// How long nobody has used it; `None` if it is in use, or has a request in flight.
    pub fn idle(&self, now: Instant) -> Option<Duration> {
        let usage = self.usage.lock();
        let is_idle = usage.requests == 0 && self.requests.lock().open.count() == 0;
        is_idle.then(|| now.saturating_duration_since(usage.since))
    }

    /// The conversation.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The streams.
    pub fn streams(&self) -> &Arc<Streams> {
        &self.streams
    }

    /// Takes a request, of which there may be `most` in flight before calls are told to try again. An inline handler
    /// runs before this returns.
    pub fn take(self: &Arc<Self>, arrived: Arrived, most: usize) -> Result<(), NotTaken> {
        let Arrived { request, headers, principal, events, hold, place } = arrived;
        let id = request.id.clone();
        let mut requests = self.requests.lock();
        if requests.ended {
            return Err(NotTaken::Ended);
        }
        let overloaded = requests.open.count() >= most;
        let Some(ticket) = requests.open.begin(&id) else {
            drop(requests);
            return Err(NotTaken::IdInUse(id, place));
        };
        let stream = hold.stream;
        let (session, place) = (self.clone(), Mutex::new(place));
        let reply = Arc::new(StreamReply { session, id: id.clone(), ticket, stream, events, place });
        requests.replies.insert(id.clone(), reply.clone());
        drop(requests);
        let incoming = Incoming { request, headers: Some(headers), principal, outbox: reply, overloaded };
        if let Handled::Running(in_flight) = self.session.handle(incoming) {
            self.attach(&id, ticket, in_flight);
        }
        Ok(())
    }

    /// Takes a notification. Whatever is wrong with a cancellation, it is passed over.
    ///
    /// Specification: 2025-11-25, basic/utilities/cancellation.
    pub fn notification(&self, notification: &Notification) {
        if notification.method.as_str() != "notifications/cancelled" {
            return self.session.notification(notification);
        }
        let params = &notification.params;
        if let Some(id) = params.request_id.and_then(|span| params.id(span)) {
            let reason = params.reason.and_then(|span| params.string(span)).unwrap_or_default();
            library_log::debug(format_args!("the client cancelled the request {id}: {reason}"));
            self.cancel(&id);
        }
    }

    /// A request was answered.
    pub fn answered(&self, id: &RequestId, ticket: Ticket) {
        let mut requests = self.requests.lock();
        let in_flight = requests.open.answered(id, ticket);
        let reply = in_flight.as_ref().and_then(|_| requests.replies.remove(id));
        drop(requests);
        drop((in_flight, reply));
        // The time in which it may expire begins with the last answer.
        self.usage.lock().since = Instant::now();
    }

    /// The client left the response `stream` before its end. When it cannot come back, what runs for it is cancelled.
    pub fn response_was_left(&self, stream: StreamId) {
        if self.stopping.load(Ordering::SeqCst) {
            self.cancel_where(|reply| reply.stream == stream);
        }
    }

    /// The listener stops: requests in flight may be answered as long as their connections stay, but for those that
    /// wait for an answer of the client's, which cannot come any more.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.requests.lock().ended = true;
        self.streams.end_listening();
        let open = self.requests.lock().open.all();
        let asking: Vec<_> = open.into_iter().filter(|(_, in_flight)| in_flight.is_asking()).collect();
        self.session.end();
        for (id, _) in asking {
            self.cancel(&id);
        }
        self.cancel_where(|reply| !self.streams.is_read(reply.stream));
    }

    /// Ends the session: what is in flight is cancelled, and every stream ends.
    pub fn end(&self) {
        self.requests.lock().ended = true;
        self.session.end();
        self.cancel_where(|_| true);
        self.streams.end();
    }

    /// The client does not want the answer of `id` any more. An unknown id is passed over.
    fn cancel(&self, id: &RequestId) {
        let mut requests = self.requests.lock();
        let in_flight = requests.open.remove(id);
        let reply = requests.replies.remove(id);
        drop(requests);
        if let Some(reply) = reply {
            reply.withdraw();
        }
        if let Some(in_flight) = in_flight {
            in_flight.cancel();
        }
    }

    fn cancel_where(&self, chosen: impl Fn(&StreamReply) -> bool) {
        let replies: Vec<_> = self.requests.lock().replies.values().cloned().collect();
        for reply in replies.into_iter().filter(|reply| chosen(reply)) {
            self.cancel(&reply.id);
        }
    }

    /// Makes it possible to cancel the request of `ticket`, which the server has taken.
    fn attach(&self, id: &RequestId, ticket: Ticket, in_flight: InFlight) {
        let refused = self.requests.lock().open.attach(id, ticket, in_flight);
        // It was cancelled while the server took it. One that was answered meanwhile does not mind.
        if let Some(cancelled) = refused {
            cancelled.cancel();
        }
    }
}

/// Keeps a session from being idle.
pub struct InUse(Arc<HttpSession>);

impl Clone for InUse {
    fn clone(&self) -> Self {
        self.0.in_use()
    }
}

impl Deref for InUse {
    type Target = Arc<HttpSession>;

    fn deref(&self) -> &Arc<HttpSession> {
        &self.0
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut usage = self.0.usage.lock();
        usage.requests -= 1;
        usage.since = Instant::now();
    }
}
