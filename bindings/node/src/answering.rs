//! Runs a handler of JavaScript on a call, and ends the call with what the handler gives.
//!
//! The hook `run` gives a text if the handler has an answer at once. Its first character says what the rest is:
//! `{` a whole result, of which it is a part; `t` a text for the model; `s` structured content. Otherwise the handler
//! goes on, and one of the functions here ends the call later.

use std::sync::Arc;

use mcp_core::call::invocation::Call;
use mcp_core::call::outcome::Outcome;
use mcp_core::host_error::HostError;
use mcp_core::protocol::error::{ErrorCode, ProtocolError};
use mcp_core::runtime::library_log;
use napi_derive::napi;

use crate::environment::{Environment, Shared};
use crate::exchange::attachment_of;
use crate::fault::Result;
use crate::hooks::Hooks;
use crate::javascript::{Scope, Value};
use crate::queue::CallId;

/// Calls the handler of this number, on the environment's own thread.
pub fn run(scope: &Scope, hooks: &Hooks, shared: &Shared, handler: u32, call: Arc<Call>) {
    let id = shared.calls.keep(call.clone());
    let Ok(value) = ask(scope, hooks, handler, id, &call) else {
        shared.calls.release(id);
        let message = format!("{} cannot run now", call.subject());
        return call.abort(Outcome::Error(ProtocolError::internal(message)));
    };
    if let Some(answer) = scope.read_text(value) {
        shared.calls.release(id);
        finish(&call, &answer);
    }
}

#[napi]
impl Environment {
    /// Ends a call with an answer, as the hook `run` may give it at once.
    #[napi]
    pub fn finish(&self, call: CallId, answer: String) {
        if let Some(call) = self.shared.calls.release(call) {
            finish(&call, answer.as_bytes());
        }
    }

    /// Ends a call with an error that the model sees; one of no tool, with -32603.
    #[napi]
    pub fn finish_tool_error(&self, call: CallId, message: String) {
        self.end(call, |call| call.finish_tool_error(&message));
    }

    /// Ends a call with an error of JSON-RPC; `data` is JSON text.
    #[napi]
    pub fn finish_error(&self, call: CallId, code: i32, message: String, data: Option<String>) {
        self.end(call, |call| {
            call.finish_error(ErrorCode(code), &message, data.as_deref().map(str::as_bytes))
        });
    }

    /// Ends the read of a resource that does not exist.
    #[napi]
    pub fn finish_not_found(&self, call: CallId) {
        self.end(call, Call::finish_not_found);
    }

    /// Ends a call with the questions that it asked; false if there are none, and it is still open.
    #[napi]
    pub fn finish_input_required(&self, call: CallId) -> bool {
        let Ok(asking) = self.shared.calls.get(call) else { return true };
        if matches!(asking.finish_input_required(), Err(HostError::InvalidArgument(_))) {
            return false;
        }
        self.shared.calls.release(call);
        true
    }

    fn end(&self, call: CallId, end: impl FnOnce(&Call) -> Result<(), HostError>) {
        if let Some(call) = self.shared.calls.release(call) {
            ended(&call, end(&call));
        }
    }
}

fn ask(scope: &Scope, hooks: &Hooks, handler: u32, id: CallId, call: &Call) -> Result<Value, ()> {
    let values = || -> Result<[Value; 4]> {
        Ok([
            scope.number(handler)?,
            scope.number(id)?,
            scope.text(call.arguments().raw())?,
            scope.number(attachment_of(call))?,
        ])
    };
    let arguments = values().map_err(drop)?;
    scope.call(&hooks.run, &arguments).map_err(drop)
}

fn finish(call: &Call, answer: &[u8]) {
    let finished = match answer.split_first() {
        Some((b't', text)) => call.finish_text(&String::from_utf8_lossy(text)),
        Some((b's', structured)) => call.set_structured(structured).and_then(|()| call.finish()),
        _ => call.finish_json(answer),
    };
    ended(call, finished);
}

/// Answers a call whose end was refused. The reason is for the log, not for the peer.
fn ended(call: &Call, result: Result<(), HostError>) {
    match result {
        // Whoever asked and did not leave it at that was told so by the core.
        Ok(()) | Err(HostError::Cancelled | HostError::AlreadyFinished | HostError::InputRequired(_)) => {}
        Err(why) => {
            let (subject, why) = (call.subject().to_string(), why.to_string());
            if why.contains(&subject) {
                library_log::error(format_args!("{why}"));
            } else {
                library_log::error(format_args!("{subject}: {why}"));
            }
            let message = format!("{subject} failed to produce a result");
            call.abort(Outcome::Error(ProtocolError::internal(message)));
        }
    }
}
