//! One client over a transport of the program's own.

use std::sync::Arc;

use mcp_core::protocol::message::Message;
use mcp_core::transport::host_channel::HostChannel;
use napi_derive::napi;

use crate::environment::Shared;
use crate::fault::{Result, fault};
use crate::queue::Item;
use crate::server::{NativeServer, wait_aside};

/// A client.
#[napi]
pub struct NativeSession {
    shared: Arc<Shared>,
    channel: Arc<HostChannel>,
}

#[napi]
impl NativeServer {
    /// Joins a client; the hook `message` is told what to send it, under the number `session`.
    #[napi]
    pub fn connect(&self, session: u32) -> Result<NativeSession> {
        let shared = self.shared.clone();
        let send = move |message: &Message| {
            shared.queue.put(Item::Message(session, message.parts().concat()));
        };
        let channel = HostChannel::open(&self.core, Box::new(send)).map_err(|error| fault(&error))?;
        Ok(NativeSession { shared: self.shared.clone(), channel: Arc::new(channel) })
    }
}

#[napi]
impl NativeSession {
    /// Takes a message of the client.
    #[napi]
    pub fn receive(&self, message: String) -> Result<()> {
        self.channel.receive(message.as_bytes()).map_err(|error| fault(&error))
    }

    /// Says on whose behalf the messages come that follow.
    #[napi]
    pub fn set_principal(&self, principal: Option<String>) {
        self.channel.set_principal(principal.as_deref());
    }

    /// Cancels the client's calls and ends its subscriptions; `promise` is settled when nothing is sent any more.
    #[napi]
    pub fn close(&self, promise: u32) -> Result<()> {
        let channel = self.channel.clone();
        wait_aside(&self.shared, "mcp-close", promise, move || channel.close())
    }
}
