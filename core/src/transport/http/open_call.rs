//! A request that the server works on while its client waits, or goes away.

use std::sync::Arc;
use std::task::{Context, Poll};

use super::event_stream::{Next, Source};
use super::http_reply::{Beginning, Reply};
use super::open_streams::{Subscriptions, Watched};
use crate::server::in_flight::InFlight;

/// A call, or a subscription, and its reply. Dropped before its answer came, it cancels the call: closing the
/// response is how a client cancels.
///
/// Specification: Streamable HTTP, "Cancellation".
pub(super) struct OpenCall {
    reply: Arc<Reply>,
    in_flight: Option<InFlight>,
    _watched: Option<Watched>,
}

impl OpenCall {
    /// A call that was answered.
    pub fn answered(reply: Arc<Reply>) -> Self {
        OpenCall { reply, in_flight: None, _watched: None }
    }

    /// A call that runs.
    pub fn running(reply: Arc<Reply>, in_flight: InFlight, subscriptions: &Arc<Subscriptions>) -> Self {
        let watched = subscriptions.watch(&in_flight);
        OpenCall { reply, in_flight: Some(in_flight), _watched: watched }
    }

    /// Waits until it can be said how the response begins.
    pub fn poll_begin(&mut self, cx: &mut Context<'_>) -> Poll<Beginning> {
        self.reply.begin(cx.waker()).map_or(Poll::Pending, Poll::Ready)
    }
}

impl Source for OpenCall {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        self.reply.next(cx.waker()).map_or(Poll::Pending, Poll::Ready)
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if let Some(in_flight) = self.in_flight.take()
            && self.reply.give_up()
        {
            in_flight.cancel();
        }
    }
}
