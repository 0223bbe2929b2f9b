//! The tool that a `tools/call` names, and the arguments it is called with.
//!
//! Specification: server/tools, "Calling Tools".

use std::sync::Arc;

use super::{Called, SHOWN_NAME};
use crate::call::arguments::Arguments;
use crate::call::handler::Dispatch;
use crate::call::lenient_arguments;
use crate::call::subject::Subject;
use crate::protocol::document;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::protocol::json_decode::DecodeFault;
use crate::registry::registered_tool::RegisteredTool;
use crate::server::engine::Server;

/// Arguments of more bytes are validated on the pool, where the tool's handler runs there too: some schemas take
/// a time that grows faster than the arguments, and the threads of the protocol have others to serve.
pub(in crate::server) const LARGE_ARGUMENTS: usize = 64 << 10;

/// The tool that `params` names.
pub fn find(server: &Server, params: &Params) -> Result<Arc<RegisteredTool>, ProtocolError> {
    let name = params
        .name
        .and_then(|span| params.string(span))
        .ok_or_else(|| ProtocolError::invalid_params("params.name is required and must be a string"))?;
    find_named(server, &name)
}

/// The tool called `name`.
pub fn find_named(server: &Server, name: &str) -> Result<Arc<RegisteredTool>, ProtocolError> {
    server.tools().list().find(name).cloned().ok_or_else(|| {
        let shown = document::cut_to(name, SHOWN_NAME);
        ProtocolError::invalid_params(format!("unknown tool: \"{shown}\"; tools/list tells which there are"))
    })
}

/// The arguments in `params`, which decoding may refuse.
pub fn arguments(params: &Params) -> Result<Arguments, DecodeFault> {
    Arguments::decode(params.arguments.map(|span| params.raw(span)))
}

/// Arguments of a tool must be an object, if they decode.
pub fn check_object(arguments: &Result<Arguments, DecodeFault>) -> Result<(), ProtocolError> {
    if arguments.as_ref().is_ok_and(|arguments| !arguments.is_object()) {
        return Err(ProtocolError::invalid_params("params.arguments must be an object"));
    }
    Ok(())
}

/// Validates the arguments, or leaves it to the thread that runs the handler. What is wrong with them is the
/// model's to mend: the refusal is a text for it.
pub fn accept(
    tool: &RegisteredTool,
    arguments: Result<Arguments, DecodeFault>,
    lenient: bool,
) -> Result<Called, String> {
    let arguments =
        arguments.map_err(|fault| format!("Invalid arguments for tool \"{}\":\n- {fault}", tool.name()))?;
    let check_first = tool.dispatch == Dispatch::Pool && !lenient && arguments.raw().len() > LARGE_ARGUMENTS;
    let arguments = if check_first { arguments } else { validated(tool, arguments, lenient)? };
    Ok(Called {
        subject: Subject::Tool(tool.contract.clone()),
        handler: tool.handler.clone(),
        dispatch: tool.dispatch,
        arguments,
        check_first,
    })
}

fn validated(tool: &RegisteredTool, arguments: Arguments, lenient: bool) -> Result<Arguments, String> {
    let schema = &tool.contract.input;
    match schema.validate(arguments.decoded()) {
        Ok(()) => Ok(arguments),
        Err(problems) => lenient
            .then(|| lenient_arguments::mend(schema, &arguments, &problems))
            .flatten()
            .ok_or_else(|| problems.describe_input(tool.name())),
    }
}
