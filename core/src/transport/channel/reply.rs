//! The way from one request of a channel back to its client.

use std::sync::Arc;
use std::time::Duration;

use super::Channel;
use super::sink::{Queue, Sink};
use crate::protocol::message::{Answer, Message};
use crate::protocol::notification::Change;
use crate::protocol::request_id::RequestId;
use crate::server::open_requests::Ticket;
use crate::server::outbox::Outbox;

/// The way back from one request.
pub(super) struct Reply<S: Sink> {
    pub channel: Arc<Channel<S>>,
    pub id: RequestId,
    pub ticket: Ticket,
}

impl<S: Sink> Outbox for Reply<S> {
    fn notify(&self, message: Message, change: Option<Change>) {
        let mut state = self.channel.state.lock();
        let is_open = !state.gone && state.open.has(&self.id, self.ticket);
        if !is_open || state.is_superfluous(Some(&self.id), change) {
            return;
        }
        state.outgoing.push(message);
        drop(state);
        self.channel.sink.send_soon(&self.channel);
    }

    fn send(&self, message: Message) -> bool {
        self.channel.post(message);
        true
    }

    fn close_stream(&self, _retry: Option<Duration>) {}

    fn answer(&self, answer: Answer) {
        let mut state = self.channel.state.lock();
        let Some(in_flight) = state.open.answered(&self.id, self.ticket) else { return };
        let batched = state.batched.remove(&self.id);
        let mut message = Some(answer.message);
        if batched.is_none() && !state.gone {
            message.take().into_iter().for_each(|message| state.outgoing.push(message));
        }
        drop(state);
        drop(in_flight);
        if let Some(batched) = batched {
            batched.answer(message);
        }
        self.channel.sink.send_now(&self.channel);
    }
}
