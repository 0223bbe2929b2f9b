//! Test support: talks to a server without a transport and remembers what it says.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::runtime::lock::{Condvar, Mutex};
use bytes::Bytes;
use serde_json::{Value, json};

use super::engine::{Incoming, Server};
use super::in_flight::{Handled, InFlight};
use super::outbox::Outbox;
use crate::call::handler::{Dispatch, Handler};
use crate::call::headers::Headers;
use crate::protocol::frame::{DEFAULT_MAX_DEPTH, Frame};
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::notification::Change;
use crate::protocol::tool_definition::ToolDefinition;

/// The longest that a test waits for something to happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// Remembers the messages of one request.
#[derive(Default)]
pub struct Recorder {
    messages: Mutex<Vec<Value>>,
    status: Mutex<Option<AnswerStatus>>,
    arrived: Condvar,
}

impl Recorder {
    /// Waits until `enough` is true of the messages so far, and returns them.
    pub fn wait(&self, enough: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let deadline = Instant::now() + PATIENCE;
        let mut messages = self.messages.lock();
        while !enough(&messages) {
            let time_is_up;
            (messages, time_is_up) = self.arrived.wait(messages, Some(deadline));
            assert!(!time_is_up, "got only {messages:?}");
        }
        messages.clone()
    }

    /// Waits for the answer.
    pub fn answer(&self) -> Value {
        self.wait(|messages| messages.iter().any(|m| m.get("method").is_none())).pop().unwrap()
    }

    /// The HTTP status of the answer.
    pub fn status(&self) -> Option<AnswerStatus> {
        *self.status.lock()
    }

    /// What came so far.
    pub fn so_far(&self) -> Vec<Value> {
        self.messages.lock().clone()
    }

    fn push(&self, message: &Message) {
        let text = message.parts().concat();
        assert!(!text.contains(&b'\n'), "a message must be one line");
        self.messages.lock().push(serde_json::from_slice(&text).unwrap());
        self.arrived.notify_all();
    }
}

impl Outbox for Recorder {
    fn notify(&self, message: Message, _change: Option<Change>) {
        self.push(&message);
    }

    fn request(&self, message: Message) -> bool {
        self.push(&message);
        true
    }

    fn close_stream(&self, _retry: Option<Duration>) {}

    fn answer(&self, answer: Answer) {
        assert!(self.status.lock().replace(answer.status).is_none(), "answered twice");
        self.push(&answer.message);
    }
}

/// Headers for a test.
pub struct FixedHeaders(pub HashMap<&'static str, String>);

impl Headers for FixedHeaders {
    fn value(&self, name: &str, nth: usize) -> Option<&[u8]> {
        self.0.get(name).filter(|_| nth == 0).map(|value| value.as_bytes())
    }
}

/// A server without tools.
pub fn server() -> Arc<Server> {
    Server::new("test", "1.0").unwrap()
}

/// Adds a tool with the input schema `schema` that runs inline.
pub fn add(server: &Server, name: &str, schema: Value, handler: impl Handler) {
    let definition = json!({"name": name, "description": "A tool", "inputSchema": schema});
    add_defined(server, definition, Dispatch::Inline, handler);
}

/// Adds a tool by its definition.
pub fn add_defined(server: &Server, definition: Value, dispatch: Dispatch, handler: impl Handler) {
    let definition = ToolDefinition::from_json(definition.to_string().as_bytes()).unwrap();
    server.add_tool(&definition, Arc::new(handler), dispatch, Vec::new()).unwrap();
}

/// `_meta` as a client that declares nothing sends it.
pub fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A request with `_meta`, where `params` has none.
pub fn request(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    if params.is_object() && params.get("_meta").is_none() {
        params["_meta"] = meta();
    }
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// Hands a request in and returns what records its messages, and the request if it is in flight.
pub fn send(
    server: &Arc<Server>,
    request: &Value,
    headers: Option<FixedHeaders>,
) -> (Arc<Recorder>, Option<InFlight>) {
    send_text(server, &request.to_string(), headers)
}

/// The same for a request as text.
pub fn send_text(
    server: &Arc<Server>,
    request: &str,
    headers: Option<FixedHeaders>,
) -> (Arc<Recorder>, Option<InFlight>) {
    let recorder = Arc::new(Recorder::default());
    let frame = Frame::scan(Bytes::copy_from_slice(request.as_bytes()), DEFAULT_MAX_DEPTH).unwrap();
    let Frame::Request(request) = frame else { panic!("not a request") };
    let headers = headers.map(|headers| Arc::new(headers) as Arc<dyn Headers>);
    let outbox = recorder.clone();
    let handled = server.handle(Incoming { request, headers, principal: None, outbox, overloaded: false });
    let in_flight = match handled {
        Handled::Answered => None,
        Handled::Running(in_flight) => Some(in_flight),
    };
    (recorder, in_flight)
}

/// Hands a request in and waits for its answer.
pub fn ask(server: &Arc<Server>, method: &str, params: Value) -> Value {
    send(server, &request(1, method, params), None).0.answer()
}

/// Calls a tool and waits for the answer.
pub fn call(server: &Arc<Server>, name: &str, arguments: Value) -> Value {
    ask(server, "tools/call", json!({"name": name, "arguments": arguments}))
}
