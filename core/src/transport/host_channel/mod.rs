//! One client over the host's own transport: the host hands in what it received, and is handed what to send.
//!
//! The library has no thread for it: an inline handler runs on the thread that hands its request in, and an answer is
//! sent on the thread that gives it. `delivery` says how messages come to the host.

mod delivery;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;

use self::delivery::{Delivery, Phase};
use super::channel::Channel;
use crate::host_error::HostError;
use crate::protocol::message::Message;
use crate::runtime::lock::Mutex;
use crate::server::engine::Server;
use crate::server::shutdown::Service;

/// The host's function that sends a message. It is called on any thread, with no lock held and one call at a time; it
/// may hand the next message in, to the same channel too, but must not wait for the server.
pub type SendMessage = Box<dyn FnMut(&Message) + Send>;

/// A client over the host's own transport. Every method may be called from any thread.
///
/// It ends with its server, or when it is closed or dropped.
pub struct HostChannel {
    channel: Arc<Channel<Delivery>>,
    principal: Mutex<Option<Arc<str>>>,
}

impl HostChannel {
    /// Begins to serve a client of `server`, to whom `send` takes messages.
    pub fn open(server: &Arc<Server>, send: SendMessage) -> Result<HostChannel, HostError> {
        server.check_process()?;
        let channel = Channel::new(server, Delivery::new(send));
        let serving = server.services().begin(Arc::new(Serving(channel.clone())))?;
        channel.sink().serves(serving)?;
        Ok(HostChannel { channel, principal: Mutex::default() })
    }

    /// Takes a message of the client's, and returns at once; an inline handler runs before. What is wrong with the
    /// message is told to the client. Fails when the server was shut down.
    pub fn receive(&self, text: &[u8]) -> Result<(), HostError> {
        self.check_process()?;
        let _receiving = self.channel.sink().receiving(&self.channel)?;
        let limit = self.channel.settings().max_message_bytes;
        if text.len() > limit {
            self.channel.refuse_too_long(limit);
        } else if !text.trim_ascii().is_empty() {
            let principal = self.principal.lock().clone();
            self.channel.receive(Bytes::copy_from_slice(text), principal);
        }
        Ok(())
    }

    /// Fails in a child process after a fork, where the channel is the parent's.
    pub fn check_process(&self) -> Result<(), HostError> {
        self.channel.server().check_process()
    }

    /// Says on whose behalf messages come from now on.
    pub fn set_principal(&self, principal: Option<&str>) {
        let principal = principal.map(Arc::from);
        let before = std::mem::replace(&mut *self.principal.lock(), principal.clone());
        if before != principal {
            self.channel.set_principal(principal.as_ref());
        }
    }

    /// Ends the subscriptions, cancels the calls, waits until a message that is being sent is out, and drops the host's
    /// function.
    ///
    /// Fails on a thread for which it would wait, as one that sends, and in a process forked from the one that opened
    /// the channel.
    pub fn close(&self) -> Result<(), HostError> {
        self.check_process()?;
        self.channel.server().check_may_wait()?;
        end(&self.channel);
        self.channel.sink().close();
        Ok(())
    }
}

impl Drop for HostChannel {
    fn drop(&mut self) {
        if self.check_process().is_ok() {
            end(&self.channel);
            self.channel.sink().orphan();
        }
    }
}

/// A channel among the transports that serve.
struct Serving(Arc<Channel<Delivery>>);

impl Service for Serving {
    fn stop(&self, drain: Duration) {
        let channel = &self.0;
        if channel.server().check_process().is_err() {
            return;
        }
        conclude(channel);
        if channel.open_requests() == 0 {
            return channel.sink().deliver(channel);
        }
        let late: Weak<_> = Arc::downgrade(channel);
        let abandon = move || {
            if let Some(channel) = late.upgrade() {
                end(&channel);
            }
        };
        if drain.is_zero() || channel.server().runtime().after(drain, abandon).is_err() {
            end(channel);
        }
    }
}

/// Takes no more messages, and ends the subscriptions.
fn conclude(channel: &Arc<Channel<Delivery>>) {
    channel.sink().enter(Phase::Concluding);
    channel.conclude();
    channel.sink().enter(Phase::Draining);
}

/// The same, and cancels what has no answer yet.
fn end(channel: &Arc<Channel<Delivery>>) {
    conclude(channel);
    channel.abandon();
    channel.sink().deliver(channel);
}
