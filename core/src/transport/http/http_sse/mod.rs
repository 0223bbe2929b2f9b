//! The transport of revision 2024-11-05, deprecated since: a client keeps one stream open, by GET, on which it gets
//! every message, and sends its own by POST to an address that the stream names first. Off unless a path is set.
//!
//! Each client is one [`Channel`]: what is true of standard streams is true of it. It ends with its stream.
//!
//! Specification: 2024-11-05, basic/transports, "HTTP with SSE".

mod client_stream;
mod outgoing;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{StatusCode, Uri};

use self::client_stream::ClientStream;
use self::outgoing::Outgoing;
use super::client::Client;
use super::path::Endpoint;
use super::principal::Principal;
use super::refusal::Refusal;
use crate::host_error::HostError;
use crate::runtime::lock::Mutex;
use crate::runtime::unguessable;
use crate::server::engine::Server;
use crate::transport::channel::{Channel, MAX_UNSENT_BYTES};

/// The endpoint of the older transport.
pub struct SseEndpoint {
    server: Arc<Server>,
    path: Endpoint,
    most: usize,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    open: HashMap<String, Open>,
    stopped: bool,
}

#[derive(Clone)]
struct Open {
    channel: Arc<Channel<Outgoing>>,
    principal: Option<Arc<str>>,
}

impl SseEndpoint {
    /// An endpoint at `path`, for as many as `most` clients at a time.
    pub fn new(server: &Arc<Server>, path: &str, most: usize) -> Result<Arc<Self>, HostError> {
        let path = Endpoint::new("sse_path", path)?;
        Ok(Arc::new(SseEndpoint { server: server.clone(), path, most, table: Mutex::default() }))
    }

    /// Whether it is at `path`.
    pub fn is_at(&self, path: &str) -> bool {
        self.path.is_at(path)
    }

    /// Whether it has the path of `other`.
    pub fn is_that_of(&self, other: &Endpoint) -> bool {
        self.path == *other
    }

    /// Opens the stream of a new client, which sends its messages to the path of `uri`.
    pub fn open(self: &Arc<Self>, uri: &Uri, client: Client) -> Result<ClientStream, Refusal> {
        let id = unguessable::text();
        let channel = Channel::new(&self.server, Outgoing::default());
        let mut table = self.table.lock();
        if table.stopped || table.open.len() >= self.most {
            return Err(Refusal::busy(
                "the server has as many clients as max_sessions allows; try again later",
            ));
        }
        table.open.insert(id.clone(), Open { channel: channel.clone(), principal: client.principal });
        drop(table);
        let address = format!("{}?sessionId={id}", uri.path());
        Ok(ClientStream::new(self.clone(), id, channel, &address))
    }

    /// The client that sends a POST with the head `parts`.
    pub fn sender(&self, parts: &Parts) -> Result<Sender, Refusal> {
        let query = parts.uri.query().unwrap_or_default();
        let Some(id) = query.split('&').find_map(|part| part.strip_prefix("sessionId=")) else {
            let message =
                "sessionId is missing; GET opens a stream, whose first event has the address to post to";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, message));
        };
        let principal = parts.extensions.get().map(|Principal(name)| name);
        let open =
            self.table.lock().open.get(id).filter(|open| open.principal.as_ref() == principal).cloned();
        let Some(Open { channel, principal }) = open else {
            let message = "there is no stream of this sessionId (any more); open one with GET";
            return Err(Refusal::new(StatusCode::NOT_FOUND, message));
        };
        if channel.unsent_bytes() > MAX_UNSENT_BYTES {
            return Err(Refusal::busy("too much waits to be read on the stream; read it first"));
        }
        Ok(Sender { channel, principal })
    }

    /// The listener stops: streams end when what is in flight on them was answered.
    pub fn stop(&self) {
        let mut table = self.table.lock();
        table.stopped = true;
        let open: Vec<_> = table.open.values().map(|client| client.channel.clone()).collect();
        drop(table);
        for channel in open {
            channel.conclude();
            channel.sink().conclude();
        }
    }

    fn forget(&self, id: &str) {
        let forgotten = self.table.lock().open.remove(id);
        drop(forgotten);
    }
}

/// A client that sends something.
pub struct Sender {
    channel: Arc<Channel<Outgoing>>,
    principal: Option<Arc<str>>,
}

impl Sender {
    /// Takes a message; what there is to say to it goes by the stream. An inline handler runs before this returns.
    pub fn send(self, message: Bytes) {
        self.channel.receive(message, self.principal);
    }
}
