//! Test support: a client of the legacy era without a transport.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use serde_json::{Value, json};

use super::session::Session;
use crate::protocol::frame::{DEFAULT_MAX_DEPTH, Frame};
use crate::protocol::revision::Revision;
use crate::server::conversation::{self, Recorder, in_flight, incoming};
use crate::server::engine::Server;
use crate::server::in_flight::InFlight;

/// Every revision that has sessions, the oldest first.
pub const LEGACY: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

/// One client and its session.
pub struct Client {
    /// The session.
    pub session: Arc<Session>,
    /// What belongs to no request of the client's.
    pub push: Arc<Recorder>,
    next: AtomicI64,
}

/// What a client sends first.
pub fn initialize(revision: impl Into<Value>, capabilities: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": revision.into(),
        "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}}})
}

impl Client {
    /// A client that speaks `revision`, can be asked everything, and has said that it is ready.
    pub fn begin(server: &Arc<Server>, revision: Revision) -> Self {
        Self::declaring(server, revision, conversation::everything())
    }

    /// The same for a client with these capabilities.
    pub fn declaring(server: &Arc<Server>, revision: Revision, capabilities: Value) -> Self {
        let client = Self::arriving(server, None, &initialize(revision.name(), capabilities)).0;
        client.as_ref().unwrap().notify("notifications/initialized", json!({}));
        client.unwrap()
    }

    /// A client that sent `hello` on behalf of `principal` and nothing else, if it was let in; and what it was told.
    pub fn arriving(
        server: &Arc<Server>,
        principal: Option<&str>,
        hello: &Value,
    ) -> (Option<Self>, Arc<Recorder>) {
        let (push, told) = (Arc::new(Recorder::default()), Arc::new(Recorder::default()));
        let hello = incoming(&hello.to_string(), told.clone(), principal);
        let session = Session::initialize(server, hello, push.clone());
        (session.map(|session| Client { session, push, next: AtomicI64::new(1) }), told)
    }

    /// Sends a request and returns what records its messages, and the request if it is in flight.
    pub fn send(&self, method: &str, params: Value) -> (Arc<Recorder>, Option<InFlight>) {
        self.send_to(Recorder::default(), method, params)
    }

    /// The same with `recorder` as the way back.
    pub fn send_to(
        &self,
        recorder: Recorder,
        method: &str,
        params: Value,
    ) -> (Arc<Recorder>, Option<InFlight>) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let recorder = Arc::new(recorder);
        let handled = self.session.handle(incoming(&request.to_string(), recorder.clone(), None));
        (recorder, in_flight(handled))
    }

    /// Sends a request and waits for its answer.
    pub fn ask(&self, method: &str, params: Value) -> Value {
        self.send(method, params).0.answer()
    }

    /// Calls a tool and waits for the answer.
    pub fn call(&self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// Begins a call of a tool without arguments.
    pub fn begin_call(&self, name: &str) -> (Arc<Recorder>, Option<InFlight>) {
        self.send("tools/call", json!({"name": name}))
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: Value) {
        let text = json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string();
        match Frame::scan(Bytes::from(text), DEFAULT_MAX_DEPTH).unwrap() {
            Frame::Notification(notification) => self.session.notification(&notification),
            _ => panic!("not a notification"),
        }
    }

    /// Answers a request of the server's.
    pub fn answer(&self, request: &Value, result: Value) {
        self.respond(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    /// Answers a request of the server's with an error.
    pub fn refuse(&self, request: &Value, message: &str) {
        let error = json!({"code": -1, "message": message});
        self.respond(json!({"jsonrpc": "2.0", "id": request["id"], "error": error}));
    }

    /// Sends a response.
    pub fn respond(&self, response: Value) {
        match Frame::scan(Bytes::from(response.to_string()), DEFAULT_MAX_DEPTH).unwrap() {
            Frame::Response(response) => self.session.response(response),
            _ => panic!("not a response"),
        }
    }
}
