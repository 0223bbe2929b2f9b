//! `tools/call`: finds the tool, checks what it is called with, and runs it.
//!
//! Specification: server/tools, "Calling Tools".

use std::sync::Arc;

use super::admission::Admitted;
use super::door::Visit;
use super::mirrored_headers;
use super::reply::Reply;
use crate::call::arguments::Arguments;
use crate::call::invocation::Call;
use crate::call::lenient_arguments;
use crate::call::outcome::Outcome;
use crate::call::outlet::Outlet;
use crate::protocol::client_capability::{ClientCapabilities, ClientCapability};
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::registry::registered_tool::RegisteredTool;
use crate::server::execution;
use crate::server::in_flight::{Handled, InFlight};

/// Starts the call, or refuses it.
pub fn handle(visit: Visit<'_>, admitted: Admitted) -> Result<Handled, ProtocolError> {
    let tool = find(&visit)?;
    let arguments = Arguments::decode(visit.request.params.arguments.map(|s| visit.request.params.raw(s)));
    if let Ok(arguments) = &arguments {
        check_shape(&visit, &tool, arguments)?;
    }
    require_capabilities(&tool.contract.required_capabilities, &admitted.context.capabilities)?;
    let accepted = accept(&tool, arguments, visit.settings.lenient_arguments);
    let place = visit.server.take_place(&visit.settings);
    let busy = place.is_none();
    let reply = Reply {
        id: visit.request.id,
        progress_token: admitted.progress_token,
        log_level: admitted.log_level.filter(|_| visit.settings.logging),
        identity: visit.settings.identity_in_results().cloned(),
        outbox: visit.outbox,
        place,
    };
    let arguments = match accepted {
        Ok(arguments) if !busy => arguments,
        refused => {
            let why = refused.err().unwrap_or_else(|| execution::BUSY.into());
            reply.finish(Outcome::tool_error(&why));
            return Ok(Handled::Answered);
        }
    };
    let rate = visit.settings.progress_per_second;
    let call = Call::new(tool.contract.clone(), arguments, admitted.context, Box::new(reply), rate);
    let call = Arc::new(call);
    let in_flight = Arc::downgrade(&call);
    execution::run(visit.server, &visit.settings, &tool, call);
    if in_flight.strong_count() == 0 {
        return Ok(Handled::Answered);
    }
    Ok(Handled::Running(InFlight::Call(in_flight)))
}

fn find(visit: &Visit<'_>) -> Result<Arc<RegisteredTool>, ProtocolError> {
    let params = &visit.request.params;
    let name = params
        .name
        .and_then(|span| params.string(span))
        .ok_or_else(|| ProtocolError::invalid_params("params.name is required and must be a string"))?;
    let list = visit.server.tools().list();
    list.find(&name).cloned().ok_or_else(|| {
        let shown: String = name.chars().take(128).collect();
        ProtocolError::invalid_params(format!("unknown tool: \"{shown}\"; tools/list tells which there are"))
    })
}

/// What makes a request malformed, rather than its arguments wrong.
fn check_shape(visit: &Visit<'_>, tool: &RegisteredTool, arguments: &Arguments) -> Result<(), ProtocolError> {
    if !arguments.is_object() {
        return Err(ProtocolError::invalid_params("params.arguments must be an object"));
    }
    match &visit.headers {
        Some(headers) => mirrored_headers::check_arguments(&**headers, &tool.mirrored, arguments),
        None => Ok(()),
    }
}

/// Specification: basic, "Per-request protocol fields".
fn require_capabilities(
    required: &[ClientCapability],
    declared: &ClientCapabilities,
) -> Result<(), ProtocolError> {
    let missing = declared.missing(required);
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = missing.iter().map(ToString::to_string).collect();
    let message = format!("this tool needs a client that declares the capability {}", names.join(", "));
    let data = format!("{{\"requiredCapabilities\":{}}}", ClientCapability::required_json(missing));
    Err(ProtocolError::new(ErrorCode::MISSING_CAPABILITY, message).with_data(data))
}

/// Bad arguments are the model's to mend, so the refusal is the text of a tool error.
fn accept(
    tool: &RegisteredTool,
    arguments: Result<Arguments, String>,
    lenient: bool,
) -> Result<Arguments, String> {
    let name = tool.name();
    let arguments =
        arguments.map_err(|fault| format!("Invalid arguments for tool \"{name}\":\n- {fault}"))?;
    let schema = &tool.contract.input;
    match schema.validate(arguments.decoded()) {
        Ok(()) => Ok(arguments),
        Err(problems) => lenient
            .then(|| lenient_arguments::mend(schema, &arguments, &problems))
            .flatten()
            .ok_or_else(|| problems.describe_input(name)),
    }
}
