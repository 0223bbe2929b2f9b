//! Test support: talks to a server without a transport and remembers what it says.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::runtime::lock::{Condvar, Mutex};
use bytes::Bytes;
use serde_json::{Value, json};

use super::engine::{Completion, Incoming, Server};
use super::in_flight::{Handled, InFlight};
use super::legacy::push::Push;
use super::outbox::Outbox;
use crate::call::handler::{Dispatch, Handler};
use crate::call::headers::Headers;
use crate::protocol::client_capability::ClientCapability;
use crate::protocol::frame::{DEFAULT_MAX_DEPTH, Frame};
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::notification::Change;
use crate::protocol::prompt_definition::PromptDefinition;
use crate::protocol::resource_definition::ResourceDefinition;
use crate::protocol::resource_template_definition::ResourceTemplateDefinition;
use crate::protocol::tool_definition::ToolDefinition;

/// The longest that a test waits for something to happen.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Remembers the messages of one request, or those of a session that belong to none.
#[derive(Default)]
pub struct Recorder {
    messages: Mutex<Vec<Value>>,
    status: Mutex<Option<AnswerStatus>>,
    arrived: Condvar,
    /// No request of the server's can go this way.
    json_only: bool,
}

impl Recorder {
    /// One by which no request of the server's can go.
    pub fn json_only() -> Self {
        Recorder { json_only: true, ..Recorder::default() }
    }

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
        let is_answer = |message: &Value| message.get("method").is_none();
        let messages = self.wait(|messages| messages.iter().any(is_answer));
        messages.into_iter().find(is_answer).unwrap()
    }

    /// The HTTP status of the answer.
    pub fn status(&self) -> Option<AnswerStatus> {
        *self.status.lock()
    }

    /// What came so far.
    pub fn so_far(&self) -> Vec<Value> {
        self.messages.lock().clone()
    }

    /// Waits until the server has asked `count` things, and returns its requests.
    pub fn requests(&self, count: usize) -> Vec<Value> {
        let asked = |message: &&Value| message.get("method").is_some() && message.get("id").is_some();
        let messages = self.wait(|messages| messages.iter().filter(asked).count() >= count);
        messages.into_iter().filter(|message| asked(&message)).collect()
    }

    /// Waits until the server has told something by `method`, and returns its parameters.
    pub fn told(&self, method: &str) -> Value {
        let is_it = |message: &&Value| message["method"] == method;
        let messages = self.wait(|messages| messages.iter().any(|message| is_it(&message)));
        messages.iter().find(is_it).unwrap()["params"].clone()
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

    fn send(&self, message: Message) -> bool {
        if !self.json_only {
            self.push(&message);
        }
        !self.json_only
    }

    fn close_stream(&self, _retry: Option<Duration>) {}

    fn answer(&self, answer: Answer) {
        assert!(self.status.lock().replace(answer.status).is_none(), "answered twice");
        self.push(&answer.message);
    }
}

impl Push for Recorder {
    fn notify(&self, message: Message, _change: Option<Change>) {
        self.push(&message);
    }

    fn send(&self, message: Message) {
        self.push(&message);
    }
}

/// Headers for a test.
pub struct FixedHeaders(pub HashMap<&'static str, String>);

impl Headers for FixedHeaders {
    fn value(&self, name: &str, nth: usize) -> Option<&[u8]> {
        self.0.get(name).filter(|_| nth == 0).map(|value| value.as_bytes())
    }

    fn each(&self, tell: &mut dyn FnMut(&str, &[u8])) {
        self.0.iter().for_each(|(name, value)| tell(name, value.as_bytes()));
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

/// Adds a tool of the pool.
pub fn add_to_pool(server: &Server, name: &str, handler: impl Handler) {
    add_defined(server, json!({"name": name, "inputSchema": {"type": "object"}}), Dispatch::Pool, handler);
}

/// Adds a tool that takes an object and requires a capability of its clients.
pub fn add_requiring(server: &Server, name: &str, capability: &str, handler: impl Handler) {
    let definition = json!({"name": name, "inputSchema": {"type": "object"}}).to_string();
    let definition = ToolDefinition::from_json(definition.as_bytes()).unwrap();
    let required = vec![ClientCapability::named(capability).unwrap()];
    server.add_tool(&definition, Arc::new(handler), Dispatch::Inline, required).unwrap();
}

/// Adds a prompt by its definition, which runs inline.
pub fn add_prompt(server: &Server, definition: Value, handler: impl Handler) {
    let definition = PromptDefinition::from_json(definition.to_string().as_bytes()).unwrap();
    server.add_prompt(&definition, Arc::new(handler), Dispatch::Inline, Vec::new());
}

/// Adds a resource by its definition, which is read inline.
pub fn add_resource(server: &Server, definition: Value, handler: impl Handler) {
    let definition = ResourceDefinition::from_json(definition.to_string().as_bytes()).unwrap();
    server.add_resource(&definition, Arc::new(handler), Dispatch::Inline, Vec::new());
}

/// Adds a resource template by its definition, which is read inline.
pub fn add_template(server: &Server, definition: Value, handler: impl Handler) {
    let definition = ResourceTemplateDefinition::from_json(definition.to_string().as_bytes()).unwrap();
    let (handler, inline) = (Arc::new(handler), Dispatch::Inline);
    server.add_resource_template(&definition, &[], handler, inline, Vec::new()).unwrap();
}

/// Completes arguments by `handler`.
pub fn complete_by(server: &Server, handler: impl Handler) {
    server.set_completion(Some(Completion { handler: Arc::new(handler), dispatch: Dispatch::Inline }));
}

/// `_meta` as a client that declares nothing sends it.
pub fn meta() -> Value {
    meta_declaring(json!({}))
}

/// `_meta` of a client with these capabilities.
pub fn meta_declaring(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
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
    let headers = headers.map(|headers| Arc::new(headers) as Arc<dyn Headers>);
    let handled = server.handle(Incoming { headers, ..incoming(request, recorder.clone(), None) });
    (recorder, in_flight(handled))
}

/// Hands a request in on behalf of `principal`.
pub fn send_for(
    server: &Arc<Server>,
    principal: Option<&str>,
    request: &Value,
) -> (Arc<Recorder>, Option<InFlight>) {
    let recorder = Arc::new(Recorder::default());
    let handled = server.handle(incoming(&request.to_string(), recorder.clone(), principal));
    (recorder, in_flight(handled))
}

/// A request on its way in.
pub fn incoming(request: &str, outbox: Arc<Recorder>, principal: Option<&str>) -> Incoming {
    let frame = Frame::scan(Bytes::copy_from_slice(request.as_bytes()), DEFAULT_MAX_DEPTH).unwrap();
    let Frame::Request(request) = frame else { panic!("not a request") };
    Incoming { request, headers: None, principal: principal.map(Arc::from), outbox, overloaded: false }
}

/// What is in flight, if anything is.
pub fn in_flight(handled: Handled) -> Option<InFlight> {
    match handled {
        Handled::Answered => None,
        Handled::Running(in_flight) => Some(in_flight),
    }
}

/// Hands a request in and waits for its answer.
pub fn ask(server: &Arc<Server>, method: &str, params: Value) -> Value {
    send(server, &request(1, method, params), None).0.answer()
}

/// Calls a tool and waits for the answer.
pub fn call(server: &Arc<Server>, name: &str, arguments: Value) -> Value {
    ask(server, "tools/call", json!({"name": name, "arguments": arguments}))
}

/// What a client declares that can be asked everything.
pub fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}})
}

/// A form that asks for a name.
pub const FORM: &[u8] = br#"{"method": "elicitation/create", "params": {"mode": "form", "message": "Who?",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}}"#;

/// A question for the client's roots.
pub const ROOTS: &[u8] = br#"{"method": "roots/list"}"#;

/// A question for the client's language model.
pub const SAMPLING: &[u8] = br#"{"method": "sampling/createMessage", "params": {"maxTokens": 9,
    "messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]}}"#;

/// A page to visit.
pub const PAGE: &[u8] = br#"{"method": "elicitation/create", "params": {"mode": "url", "message": "Pay",
    "url": "https://pay.example/"}}"#;

/// The answer to [`FORM`].
pub fn named(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

/// One request of the modern era and its rounds, of a client that can be asked everything.
pub struct Asking<'a> {
    /// Whom it is sent to.
    pub server: &'a Arc<Server>,
    /// On whose behalf.
    pub principal: Option<&'a str>,
    /// Its method.
    pub method: &'a str,
    /// What it is first made with.
    pub params: Value,
}

impl<'a> Asking<'a> {
    /// A call of a tool without arguments.
    pub fn tool(server: &'a Arc<Server>, name: &str) -> Self {
        let params = json!({"name": name, "arguments": {}});
        Asking { server, principal: None, method: "tools/call", params }
    }

    /// Sends the request as it is first made, or with `state` and `answers`.
    pub fn send(&self, state: &Value, answers: &Value) -> (Arc<Recorder>, Option<InFlight>) {
        let mut params = self.params.clone();
        params["_meta"] = meta_declaring(everything());
        params["requestState"] = state.clone();
        params["inputResponses"] = answers.clone();
        send_for(self.server, self.principal, &request(7, self.method, params))
    }

    /// The answer to a round.
    pub fn round(&self, state: &Value, answers: &Value) -> Value {
        self.send(state, answers).0.answer()
    }

    /// The result of the first round.
    pub fn begin(&self) -> Value {
        self.round(&Value::Null, &Value::Null)["result"].clone()
    }

    /// The result of a later round, in which the questions of `asked` are answered.
    pub fn again(&self, asked: &Value, answers: Value) -> Value {
        self.round(&asked["requestState"], &answers)["result"].clone()
    }
}

/// The first text of a tool's result, or the message of an error.
pub fn text(answer: &Value) -> &str {
    let text = &answer["result"]["content"][0]["text"];
    text.as_str().or_else(|| answer["error"]["message"].as_str()).unwrap_or_default()
}

/// Waits until `holds`.
pub fn eventually(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::yield_now();
    }
}
