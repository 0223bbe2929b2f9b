//! The way from one request of a session back to its client: the stream of its response.

use std::sync::Arc;
use std::time::Duration;

use super::event_id::StreamId;
use super::http_session::HttpSession;
use crate::protocol::message::{Answer, Message};
use crate::protocol::notification::Change;
use crate::protocol::request_id::RequestId;
use crate::runtime::lock::Mutex;
use crate::server::batch_answers::BatchSlot;
use crate::server::open_requests::Ticket;
use crate::server::outbox::Outbox;

/// The way back from one request.
pub struct StreamReply {
    /// The session.
    pub session: Arc<HttpSession>,
    /// The id of the request.
    pub id: RequestId,
    /// Tells it from another that has the same id.
    pub ticket: Ticket,
    /// The stream of the response, which a batch shares.
    pub stream: StreamId,
    /// Whether the client accepts more than one JSON object.
    pub events: bool,
    /// Where the answer goes.
    pub place: Mutex<Place>,
}

/// Where an answer goes.
#[derive(Default)]
pub enum Place {
    /// On the stream.
    Stream,
    /// Among the other answers to a batch.
    Batch(BatchSlot),
    /// Nowhere: it was sent, or is not wanted any more.
    #[default]
    Nowhere,
}

impl StreamReply {
    /// Nothing is sent from now on.
    pub fn withdraw(&self) {
        let place = std::mem::take(&mut *self.place.lock());
        if matches!(place, Place::Stream) {
            self.session.streams().remove(self.stream);
        }
    }

    fn is_open(&self) -> bool {
        !matches!(*self.place.lock(), Place::Nowhere)
    }
}

impl Outbox for StreamReply {
    fn notify(&self, message: Message, change: Option<Change>) {
        if self.events && self.is_open() {
            self.session.streams().notify(self.stream, message, change);
        }
    }

    fn send(&self, message: Message) -> bool {
        self.events && self.is_open() && self.session.streams().request(self.stream, message)
    }

    fn close_stream(&self, retry: Option<Duration>) {
        if self.events && self.is_open() {
            self.session.streams().close(self.stream, retry);
        }
    }

    fn answer(&self, answer: Answer) {
        let place = std::mem::take(&mut *self.place.lock());
        // First: with the answer in hand the client may use the id again.
        self.session.answered(&self.id, self.ticket);
        match place {
            Place::Stream => self.session.streams().answer(self.stream, answer),
            Place::Batch(slot) => slot.answer(Some(answer.message)),
            Place::Nowhere => {}
        }
    }
}
