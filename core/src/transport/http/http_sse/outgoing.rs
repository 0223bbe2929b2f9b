//! Messages on their way to a client's stream.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Waker;

use crate::protocol::message::Message;
use crate::runtime::lock::Mutex;
use crate::transport::channel::{Channel, Queue, Sink};
use crate::transport::http::backlog::Taker;

/// The way to the stream.
#[derive(Default)]
pub struct Outgoing {
    stream: Mutex<Taker>,
    concluding: AtomicBool,
}

impl Outgoing {
    /// The task of `waker` waits for something to send.
    pub fn waits(&self, waker: &Waker) {
        self.stream.lock().waits(waker);
    }

    /// The stream is to end when nothing is in flight any more.
    pub fn conclude(&self) {
        self.concluding.store(true, Ordering::SeqCst);
        self.wake();
    }

    /// Whether it is.
    pub fn is_concluding(&self) -> bool {
        self.concluding.load(Ordering::SeqCst)
    }

    fn wake(&self) {
        let stream = self.stream.lock().take();
        stream.wake();
    }
}

impl Sink for Outgoing {
    type Queue = Messages;

    fn send_now(&self, _: &Arc<Channel<Self>>) {
        self.wake();
    }

    fn send_soon(&self, _: &Arc<Channel<Self>>) {
        self.wake();
    }
}

/// Messages, in order.
#[derive(Default)]
pub struct Messages {
    /// The messages.
    pub waiting: VecDeque<Message>,
    bytes: usize,
}

impl Queue for Messages {
    fn push(&mut self, message: Message) {
        self.bytes += message.len();
        self.waiting.push_back(message);
    }

    fn waiting(&self) -> usize {
        self.bytes
    }
}
