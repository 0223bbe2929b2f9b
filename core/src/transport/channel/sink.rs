//! How messages leave a channel.

use std::sync::Arc;

use super::Channel;
use crate::protocol::message::Message;

/// The way out of a channel. What is to be sent lies in the channel's queue, under the channel's own lock, until
/// somebody takes it with [`Channel::take_outgoing`].
pub trait Sink: Send + Sync + Sized + 'static {
    /// Messages on their way out.
    type Queue: Queue;

    /// Something was queued, or a request answered, by a caller that holds no lock: it may be sent on this thread.
    fn send_now(&self, channel: &Arc<Channel<Self>>);

    /// Something was queued by a caller that may hold the lock of a call, so that no code of the host's may run on
    /// this thread: sees to it that it is sent soon.
    fn send_soon(&self, channel: &Arc<Channel<Self>>);
}

/// Messages on their way out, in order.
pub trait Queue: Default + Send + 'static {
    /// Queues a message.
    fn push(&mut self, message: Message);

    /// Bytes that wait.
    fn waiting(&self) -> usize;
}
