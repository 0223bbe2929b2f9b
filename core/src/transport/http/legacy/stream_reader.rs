//! The reading end of a stream: one connection that takes what comes.

use std::task::{Context, Poll};

use super::event_id::EventId;
use super::http_session::InUse;
use super::store::Hold;
use super::streams::Start;
use crate::transport::http::accept::Accepted;
use crate::transport::http::event_stream::{Next, Source};

/// A connection that reads a stream. Dropped before the end, it leaves the stream for another to take up, and
/// cancels nothing: in this era, a client that goes away may come back.
///
/// Specification: 2025-11-25, Streamable HTTP, "Sending Messages to the Server", 6.
pub struct StreamReader {
    session: InUse,
    hold: Hold,
    accepted: Accepted,
    /// Nothing of the stream was taken, by anybody.
    is_first: bool,
}

impl StreamReader {
    /// Reads the response of `hold` from its beginning, for a client that accepts `accepted`.
    pub fn of_response(session: InUse, hold: Hold, accepted: Accepted) -> Self {
        StreamReader { session, hold, accepted, is_first: true }
    }

    /// Reads what belongs to no request; `None` if the session has ended.
    pub fn listening(session: InUse, accepted: Accepted) -> Option<Self> {
        let hold = session.streams().listen()?;
        Some(StreamReader { session, hold, accepted, is_first: true })
    }

    /// Reads the rest of the stream of which the client has `id`; `None` if nothing follows it.
    pub fn resuming(session: InUse, id: EventId, accepted: Accepted) -> Option<Self> {
        let hold = session.streams().resume(id)?;
        let is_first = hold.stream != id.stream;
        Some(StreamReader { session, hold, accepted, is_first })
    }

    /// Waits until it can be said how the response begins.
    pub fn poll_begin(&mut self, cx: &mut Context<'_>) -> Poll<Start> {
        let start = self.session.streams().begin(self.hold, self.accepted, cx.waker());
        start.map_or(Poll::Pending, Poll::Ready)
    }

    /// Whether the stream begins with an event of its own.
    pub fn has_opening(&self) -> bool {
        self.is_first && self.session.streams().allows_polling()
    }
}

impl Source for StreamReader {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        let next = self.session.streams().next(self.hold, &mut self.is_first, cx.waker());
        next.map_or(Poll::Pending, Poll::Ready)
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        if self.session.streams().leave(self.hold) {
            self.session.response_was_left(self.hold.stream);
        }
    }
}
