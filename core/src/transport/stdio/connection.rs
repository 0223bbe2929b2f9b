//! What the I/O thread of a pair of streams shares with the threads that answer: its bell, and when it is to be over.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{OutputQueue, Wakeup};
use crate::protocol::message::Message;
use crate::runtime::lock::Mutex;
use crate::server::shutdown::Service;
use crate::transport::channel::{Channel, Queue, Sink};

/// One pair of streams, as the way out of a channel: its I/O thread sends what is queued.
pub struct Connection {
    wakeup: Wakeup,
    stop: Mutex<Option<Instant>>,
}

impl Connection {
    /// A connection that is not told to stop. Fails when the process has no descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Connection { wakeup: Wakeup::new()?, stop: Mutex::default() })
    }

    /// The bell of the I/O thread.
    pub fn wakeup(&self) -> &Wakeup {
        &self.wakeup
    }

    /// When the connection was told to be over, at the latest.
    pub fn stop_deadline(&self) -> Option<Instant> {
        *self.stop.lock()
    }
}

impl Sink for Connection {
    type Queue = OutputQueue;

    fn send_now(&self, _channel: &Arc<Channel<Self>>) {
        self.wakeup.wake();
    }

    fn send_soon(&self, _channel: &Arc<Channel<Self>>) {
        self.wakeup.wake();
    }
}

impl Queue for OutputQueue {
    fn push(&mut self, message: Message) {
        OutputQueue::push(self, message);
    }

    fn waiting(&self) -> usize {
        OutputQueue::waiting(self)
    }
}

impl Service for Channel<Connection> {
    fn stop(&self, drain: Duration) {
        let now = Instant::now();
        // A time that no clock can show is one without end; a year is as good.
        let deadline = now.checked_add(drain).unwrap_or(now + Duration::from_secs(365 * 24 * 3600));
        let connection = self.sink();
        let mut stop = connection.stop.lock();
        *stop = Some(stop.map_or(deadline, |before| before.min(deadline)));
        drop(stop);
        connection.wakeup.wake();
    }
}
