//! The messages of a legacy session that belong to no request.

use std::sync::Arc;

use super::Channel;
use super::sink::{Queue, Sink};
use crate::protocol::message::Message;
use crate::protocol::notification::Change;
use crate::server::legacy::push::Push;

/// The way to the client of a channel's session.
pub(super) struct SessionPush<S: Sink>(pub Arc<Channel<S>>);

impl<S: Sink> Push for SessionPush<S> {
    fn notify(&self, message: Message, change: Option<Change>) {
        let mut state = self.0.state.lock();
        if state.gone || state.is_superfluous(None, change) {
            return;
        }
        state.outgoing.push(message);
        drop(state);
        self.0.sink.send_soon(&self.0);
    }

    fn send(&self, message: Message) {
        self.0.post(message);
    }
}
