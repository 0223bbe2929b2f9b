//! The stream of one client: the address to post to, and then every message.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::SseEndpoint;
use super::outgoing::Outgoing;
use crate::protocol::message::Message;
use crate::transport::channel::Channel;
use crate::transport::http::event_stream::{Event, Next, Source};

/// The stream. Dropped, it takes its client with it: what is in flight is cancelled.
pub struct ClientStream {
    endpoint: Arc<SseEndpoint>,
    id: String,
    channel: Arc<Channel<Outgoing>>,
    /// The event that is sent first.
    address: Option<Event>,
    /// Taken from the channel, not yet sent.
    taken: VecDeque<Message>,
}

impl ClientStream {
    /// The stream of the client `id`, which posts to `address`.
    pub fn new(
        endpoint: Arc<SseEndpoint>,
        id: String,
        channel: Arc<Channel<Outgoing>>,
        address: &str,
    ) -> Self {
        let address = event("endpoint", Message::whole(address.into()));
        ClientStream { endpoint, id, channel, address: Some(address), taken: VecDeque::new() }
    }
}

impl Source for ClientStream {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        if let Some(address) = self.address.take() {
            return Poll::Ready(Next::Event(address));
        }
        if self.taken.is_empty() {
            let sink = self.channel.sink();
            // First: what comes while it is looked wakes the task.
            sink.waits(cx.waker());
            let ends = sink.is_concluding() && self.channel.open_requests() == 0;
            self.taken = self.channel.take_outgoing(std::mem::take).waiting;
            if self.taken.is_empty() && ends {
                return Poll::Ready(Next::End);
            }
        }
        match self.taken.pop_front() {
            Some(message) => Poll::Ready(Next::Event(event("message", message))),
            None => Poll::Pending,
        }
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        self.endpoint.forget(&self.id);
        self.channel.abandon();
    }
}

fn event(name: &str, message: Message) -> Event {
    Event { fields: Some(format!("event: {name}\n")), message }
}
