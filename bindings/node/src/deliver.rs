//! Brings what waits for an environment to its JavaScript.

use std::time::{Duration, Instant};

use mcp_core::runtime::library_log::LogSeverity;

use crate::answering;
use crate::environment::Shared;
use crate::fault::{Result, code_of};
use crate::handler;
use crate::hooks::Hooks;
use crate::javascript::{Function, Scope, Value};
use crate::queue::Item;

/// For how long one wake-up may keep the event loop from its timers and sockets, but for the handler that began last.
const TURN: Duration = Duration::from_millis(10);

/// Delivers what is there, on the environment's own thread.
pub fn deliver(scope: &Scope, hooks: &Hooks, shared: &Shared) {
    let mut items = shared.queue.take();
    let end = Instant::now() + TURN;
    while let Some(item) = items.pop_front() {
        scope.within(|| deliver_one(scope, hooks, shared, item));
        if !items.is_empty() && Instant::now() >= end {
            return shared.queue.put_back(items);
        }
    }
}

fn deliver_one(scope: &Scope, hooks: &Hooks, shared: &Shared, item: Item) {
    match item {
        Item::Job(job) => {
            if let Some((handler, call)) = handler::begin(job) {
                answering::run(scope, hooks, shared, handler, call);
            }
        }
        Item::Cancelled(call) => tell(scope, &hooks.cancelled, [scope.number(call)]),
        Item::Settled(promise, Ok(text)) => {
            tell(scope, &hooks.settled, [scope.number(promise), scope.text(b""), scope.text(&text)]);
        }
        Item::Settled(promise, Err(error)) => {
            let (code, message) = (code_of(&error), error.to_string());
            let arguments =
                [scope.number(promise), scope.text(code.as_bytes()), scope.text(message.as_bytes())];
            tell(scope, &hooks.settled, arguments);
        }
        Item::ForgetHandler(handler) => tell(scope, &hooks.forget_handler, [scope.number(handler)]),
        Item::ForgetAttachment(number) => tell(scope, &hooks.forget_attachment, [scope.number(number)]),
        Item::Head(exchange, status, headers) => {
            let arguments =
                [scope.number(exchange), scope.number(status.into()), header_lines(scope, &headers)];
            tell(scope, &hooks.head, arguments);
        }
        Item::Body(exchange, piece) => {
            tell(scope, &hooks.body, [scope.number(exchange), scope.buffer(&piece)]);
        }
        Item::End(exchange) => tell(scope, &hooks.end, [scope.number(exchange)]),
        Item::Message(session, text) => {
            tell(scope, &hooks.message, [scope.number(session), scope.text(&text)]);
        }
        Item::Log(severity, text) => {
            let level = level_of(severity).as_bytes();
            tell(scope, &hooks.log, [scope.text(level), scope.text(text.as_bytes())]);
        }
    }
}

/// Calls a hook. Where the values cannot be made or JavaScript cannot run, the environment is ending, or is out of
/// memory: there is nobody to be told.
fn tell<const N: usize>(scope: &Scope, hook: &Function, arguments: [Result<Value>; N]) {
    let arguments: Result<Vec<Value>> = arguments.into_iter().collect();
    if let Ok(arguments) = arguments {
        let _ = scope.call(hook, &arguments);
    }
}

/// Names and values by turns. Values are bytes, which JavaScript sees one by one, as Node's own headers.
fn header_lines(scope: &Scope, headers: &[(String, Vec<u8>)]) -> Result<Value> {
    let mut lines = Vec::with_capacity(headers.len() * 2);
    for (name, value) in headers {
        lines.push(scope.text(name.as_bytes())?);
        lines.push(scope.latin1(value)?);
    }
    scope.array(&lines)
}

fn level_of(severity: LogSeverity) -> &'static str {
    match severity {
        LogSeverity::Debug => "debug",
        LogSeverity::Info => "info",
        LogSeverity::Warning => "warning",
        LogSeverity::Error => "error",
    }
}
