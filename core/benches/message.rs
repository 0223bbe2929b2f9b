//! What a message costs on its way through the core, without a transport: parse, validate, list, call.

#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::Arc;

use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mcp_core::call::handler::Dispatch;
use mcp_core::call::invocation::Call;
use mcp_core::protocol::content::ContentBlock;
use mcp_core::protocol::frame::{DEFAULT_MAX_DEPTH, Frame};
use mcp_core::protocol::json_write;
use mcp_core::protocol::message::{Answer, Message};
use mcp_core::protocol::notification::Change;
use mcp_core::protocol::tool_definition::ToolDefinition;
use mcp_core::schema::compile::{CompiledSchema, SchemaLimits};
use mcp_core::server::engine::{Incoming, Server};
use mcp_core::server::outbox::Outbox;
use serde_json::json;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
const ADD: &str =
    r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}"#;

/// Throws messages away.
struct Nowhere;

impl Outbox for Nowhere {
    fn notify(&self, message: Message, _change: Option<Change>) {
        black_box(message);
    }

    fn send(&self, _message: Message) -> bool {
        true
    }

    fn close_stream(&self, _retry: Option<std::time::Duration>) {}

    fn answer(&self, answer: Answer) {
        black_box(answer);
    }
}

fn request(method: &str, params: &str) -> Bytes {
    let separator = if params.is_empty() { "" } else { "," };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{separator}{META}}}}}"#).into()
}

/// Prose with about 5 % of bytes that need an escape.
fn prose(length: usize) -> String {
    let line =
        "He said \"so be it\" and left;\nthe path C:\\temp held a café menu and nothing else at all.\n";
    line.chars().cycle().take(length).collect()
}

fn echo_request(length: usize) -> Bytes {
    let mut text = Vec::new();
    json_write::string(&mut text, &prose(length));
    let text = String::from_utf8(text).unwrap();
    request("tools/call", &format!(r#""name":"echo","arguments":{{"text":{text}}}"#))
}

fn server(tools: usize) -> Arc<Server> {
    let server = Server::new("bench", "1").unwrap();
    let add = |name: &str, schema: &str, handler: fn(&Arc<Call>)| {
        let json = format!(r#"{{"name":"{name}","description":"a tool","inputSchema":{schema}}}"#);
        let definition = ToolDefinition::from_json(json.as_bytes()).unwrap();
        server.add_tool(&definition, Arc::new(handler), Dispatch::Inline, Vec::new()).unwrap();
    };
    add("add", ADD, |call| {
        let number = |name| call.argument(name).unwrap().as_i64().unwrap();
        call.set_structured(format!("{{\"sum\":{}}}", number("a") + number("b")).as_bytes()).unwrap();
        call.finish().unwrap();
    });
    add("echo", r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#, |call| {
        let text = call.argument("text").unwrap().as_str().unwrap();
        call.add_content(ContentBlock::Text { text }).unwrap();
        call.finish().unwrap();
    });
    for index in 0..tools {
        let schema = r#"{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}"#;
        add(&format!("tool_{index:04}"), schema, |_| {});
    }
    server
}

fn handle(server: &Arc<Server>, outbox: &Arc<dyn Outbox>, text: &Bytes) {
    let Ok(Frame::Request(request)) = Frame::scan(text.clone(), DEFAULT_MAX_DEPTH) else { return };
    black_box(server.handle(Incoming {
        request,
        headers: None,
        principal: None,
        outbox: outbox.clone(),
        overloaded: false,
    }));
}

fn parse(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse");
    let add = request("tools/call", r#""name":"add","arguments":{"a":1,"b":2}"#);
    for (name, text) in [("add", add), ("echo 100 KiB", echo_request(100 << 10))] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| b.iter(|| Frame::scan(black_box(text.clone()), DEFAULT_MAX_DEPTH)));
    }
}

fn validate(c: &mut Criterion) {
    let schema = CompiledSchema::compile_input(ADD.as_bytes(), &SchemaLimits::default()).unwrap();
    let arguments = json!({"a": 1, "b": 2});
    c.bench_function("validate add", |b| b.iter(|| schema.validate(black_box(&arguments)).is_ok()));
    c.bench_function("compile add", |b| {
        b.iter(|| CompiledSchema::compile_input(black_box(ADD.as_bytes()), &SchemaLimits::default()).is_ok())
    });
}

fn dispatch(c: &mut Criterion) {
    let server = server(1000);
    let outbox: Arc<dyn Outbox> = Arc::new(Nowhere);
    let mut group = c.benchmark_group("dispatch");
    for (name, text) in [
        ("list of 1000", request("tools/list", "")),
        ("add", request("tools/call", r#""name":"add","arguments":{"a":1,"b":2}"#)),
        ("echo 100 KiB", echo_request(100 << 10)),
        ("echo 10 MiB", echo_request(10 << 20)),
    ] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| b.iter(|| handle(&server, &outbox, &text)));
    }
}

criterion_group!(benches, parse, validate, dispatch);
criterion_main!(benches);
