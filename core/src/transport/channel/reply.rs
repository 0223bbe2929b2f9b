//! The way from one request of a channel back to its client.

use std::sync::Arc;
use std::time::Duration;

use super::sink::{Queue, Sink};
use super::{Channel, MAX_UNSENT_BYTES};
use crate::protocol::message::{Answer, Message};
use crate::protocol::notification::Change;
use crate::protocol::request_id::RequestId;
use crate::runtime::lock::Mutex;
use crate::server::batch_answers::BatchSlot;
use crate::server::open_requests::Ticket;
use crate::server::outbox::Outbox;

/// The way back from one request.
pub(super) struct Reply<S: Sink> {
    pub channel: Arc<Channel<S>>,
    pub id: RequestId,
    pub ticket: Ticket,
    /// The batch that the request came in.
    pub batch: Mutex<Option<BatchSlot>>,
}

impl<S: Sink> Outbox for Reply<S> {
    fn notify(&self, message: Message, change: Option<Change>) {
        let mut state = self.channel.state.lock();
        let superfluous = match &change {
            Some(change) => {
                let same = |(id, waiting): &(Option<RequestId>, Change)| {
                    waiting == change && id.as_ref() == Some(&self.id)
                };
                state.waiting_changes.iter().any(same)
            }
            None => state.outgoing.waiting() > MAX_UNSENT_BYTES,
        };
        if superfluous || state.gone || !state.open.has(&self.id, self.ticket) {
            return;
        }
        state.waiting_changes.extend(change.map(|change| (Some(self.id.clone()), change)));
        state.outgoing.push(message);
        drop(state);
        self.channel.sink.send_soon(&self.channel);
    }

    fn request(&self, message: Message) -> bool {
        self.channel.post(message);
        true
    }

    fn close_stream(&self, _retry: Option<Duration>) {}

    fn answer(&self, answer: Answer) {
        let mut state = self.channel.state.lock();
        let in_flight = state.open.answered(&self.id, self.ticket);
        let batch = self.batch.lock().take();
        if let Some(batch) = batch {
            drop(state);
            return batch.answer(in_flight.is_some().then_some(answer.message));
        }
        if in_flight.is_some() && !state.gone {
            state.outgoing.push(answer.message);
        }
        drop(state);
        drop(in_flight);
        self.channel.sink.send_now(&self.channel);
    }
}
