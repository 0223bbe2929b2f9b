//! How messages come to the host: one at a time, in order, and never while a lock of the library is held.
//!
//! Whoever has something to send does so, and sends what others queue meanwhile. Hence a host that hands in a message
//! while it sends one finds no lock in its way, and its answer comes when it has returned. A notification may be made
//! under the lock of its call: it is sent by the `receive` that is under way, or else by a worker.

use std::sync::Arc;

use super::SendMessage;
use crate::call::job;
use crate::host_error::HostError;
use crate::protocol::message::Message;
use crate::runtime::lock::{Condvar, Mutex, MutexGuard};
use crate::server::shutdown::Serving;
use crate::transport::channel::{Channel, Queue, Sink};

/// The host, as the way out of a channel.
pub(super) struct Delivery {
    turn: Mutex<Turn>,
    /// Told when nobody sends any more.
    idle: Condvar,
}

struct Turn {
    /// The host's function; none while somebody calls it, and none once the channel is closed.
    send: Option<SendMessage>,
    /// Somebody calls it.
    sending: bool,
    /// There is more to send for whoever does.
    again: bool,
    /// A worker was told to send.
    scheduled: bool,
    /// Messages that are being taken; who takes one sends what there is when that is done.
    receiving: usize,
    phase: Phase,
    /// Nobody waits for the host's function to be free: it is dropped when it is.
    orphaned: bool,
    /// Kept until the channel has ended.
    serving: Option<Serving>,
}

/// How far the end of a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Messages are taken.
    Open,
    /// None is taken any more, and subscriptions end.
    Concluding,
    /// The channel serves until nothing is left to answer or to send.
    Draining,
}

impl Delivery {
    /// Delivers by `send`.
    pub fn new(send: SendMessage) -> Self {
        let turn = Turn {
            send: Some(send),
            sending: false,
            again: false,
            scheduled: false,
            receiving: 0,
            phase: Phase::Open,
            orphaned: false,
            serving: None,
        };
        Delivery { turn: Mutex::new(turn), idle: Condvar::default() }
    }

    /// Keeps `serving` until the channel has ended. Fails if it was told to end before.
    pub fn serves(&self, serving: Serving) -> Result<(), HostError> {
        let mut turn = self.turn.lock();
        if turn.phase != Phase::Open {
            drop(turn);
            return Err(HostError::ShutDown);
        }
        turn.serving = Some(serving);
        Ok(())
    }

    /// Notes that a message is being taken. Fails when none is any more.
    pub fn receiving<'a>(&'a self, channel: &'a Arc<Channel<Self>>) -> Result<Receiving<'a>, HostError> {
        let mut turn = self.turn.lock();
        if turn.phase != Phase::Open {
            return Err(HostError::ShutDown);
        }
        turn.receiving += 1;
        Ok(Receiving { channel })
    }

    /// Goes on to `phase`, and never back.
    pub fn enter(&self, phase: Phase) {
        let mut turn = self.turn.lock();
        turn.phase = turn.phase.max(phase);
    }

    /// Sends what waits, or has whoever sends now go on. The caller holds no lock.
    pub fn deliver(&self, channel: &Arc<Channel<Self>>) {
        let mut turn = self.begin(channel);
        while let Some(mut sending) = turn {
            for message in channel.take_outgoing(std::mem::take).messages {
                sending.send(&message);
            }
            turn = sending.unless_done();
        }
    }

    /// Waits until nobody sends, and drops the host's function.
    pub fn close(&self) {
        let mut turn = self.turn.lock();
        while turn.sending {
            (turn, _) = self.idle.wait(turn, None);
        }
        let closed = (turn.send.take(), turn.serving.take());
        drop(turn);
        drop(closed);
    }

    /// Drops the host's function, or has whoever calls it do so.
    pub fn orphan(&self) {
        let mut turn = self.turn.lock();
        turn.orphaned = true;
        let send = turn.send.take();
        drop(turn);
        drop(send);
    }

    fn begin<'a>(&'a self, channel: &'a Channel<Self>) -> Option<Sending<'a>> {
        let mut turn = self.turn.lock();
        turn.scheduled = false;
        turn.again |= turn.sending;
        let send = turn.send.take()?;
        turn.sending = true;
        Some(Sending { delivery: self, channel, send: Some(send) })
    }
}

impl Sink for Delivery {
    type Queue = Outgoing;

    fn send_now(&self, channel: &Arc<Channel<Self>>) {
        self.deliver(channel);
    }

    fn send_soon(&self, channel: &Arc<Channel<Self>>) {
        let mut turn = self.turn.lock();
        if turn.sending {
            turn.again = true;
        } else if turn.receiving == 0 && !turn.scheduled && turn.send.is_some() {
            turn.scheduled = true;
            drop(turn);
            let later = channel.clone();
            let spawned = channel.server().runtime().spawn(async move { later.sink().deliver(&later) });
            if spawned.is_err() {
                // It waits for the next answer. No log line says so: the caller may hold the lock of its call.
                self.turn.lock().scheduled = false;
            }
        }
    }
}

/// Messages on their way to the host.
#[derive(Default)]
pub(super) struct Outgoing {
    messages: Vec<Message>,
    bytes: usize,
}

impl Queue for Outgoing {
    fn push(&mut self, message: Message) {
        self.bytes += message.len();
        self.messages.push(message);
    }

    fn waiting(&self) -> usize {
        self.bytes
    }
}

/// A message that is being taken.
pub(super) struct Receiving<'a> {
    channel: &'a Arc<Channel<Delivery>>,
}

impl Drop for Receiving<'_> {
    fn drop(&mut self) {
        let delivery = self.channel.sink();
        delivery.turn.lock().receiving -= 1;
        delivery.deliver(self.channel);
    }
}

/// The turn of the one who sends.
struct Sending<'a> {
    delivery: &'a Delivery,
    channel: &'a Channel<Delivery>,
    send: Option<SendMessage>,
}

impl Sending<'_> {
    fn send(&mut self, message: &Message) {
        if let Some(send) = &mut self.send {
            job::as_handler(|| send(message));
        }
    }

    /// The turn again, if there is more to send; otherwise it is over.
    fn unless_done(mut self) -> Option<Self> {
        let mut turn = self.delivery.turn.lock();
        if std::mem::take(&mut turn.again) {
            drop(turn);
            return Some(self);
        }
        self.end(turn);
        None
    }

    /// Gives the host's function back. The channel ends with the last thing that it had to say.
    fn end(&mut self, mut turn: MutexGuard<'_, Turn>) {
        let send = self.send.take();
        let orphan = if turn.orphaned { send } else { std::mem::replace(&mut turn.send, send) };
        turn.sending = false;
        let is_over = turn.phase == Phase::Draining
            && turn.receiving == 0
            && self.channel.open_requests() == 0
            && self.channel.unsent_bytes() == 0;
        let serving = if is_over { turn.serving.take() } else { None };
        drop(turn);
        self.delivery.idle.notify_all();
        drop((orphan, serving));
    }
}

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        // Only the host's panic leaves the turn so.
        if self.send.is_some() {
            self.end(self.delivery.turn.lock());
        }
    }
}
