//! The prompt that a `prompts/get` names, and its arguments.
//!
//! Specification: server/prompts, "Getting a Prompt".

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::{Called, SHOWN_NAME};
use crate::call::arguments::Arguments;
use crate::call::subject::Subject;
use crate::protocol::document;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::registry::registered_prompt::RegisteredPrompt;
use crate::server::engine::Server;

/// The prompt that `params` names.
pub fn find(server: &Server, params: &Params) -> Result<Arc<RegisteredPrompt>, ProtocolError> {
    let name = params
        .name
        .and_then(|span| params.string(span))
        .ok_or_else(|| ProtocolError::invalid_params("params.name is required and must be a string"))?;
    find_named(server, &name)
}

/// The prompt called `name`.
pub fn find_named(server: &Server, name: &str) -> Result<Arc<RegisteredPrompt>, ProtocolError> {
    server.prompts().list().find(name).cloned().ok_or_else(|| {
        let shown = document::cut_to(name, SHOWN_NAME);
        ProtocolError::invalid_params(format!(
            "unknown prompt: \"{shown}\"; prompts/list tells which there are"
        ))
    })
}

/// Checks the JSON text `arguments` of a prompt: strings, of which the required ones are there.
pub fn accept(prompt: &RegisteredPrompt, arguments: Option<Bytes>) -> Result<Called, ProtocolError> {
    let arguments = Arguments::decode(arguments)
        .map_err(|fault| ProtocolError::invalid_params(format!("params.arguments: {fault}")))?;
    let Value::Object(given) = arguments.decoded() else {
        return Err(ProtocolError::invalid_params("params.arguments must be an object"));
    };
    let wrong: Vec<_> =
        given.iter().filter(|(_, value)| !value.is_string()).map(|(name, _)| name.as_str()).collect();
    if !wrong.is_empty() {
        let wrong = document::cut_to(&wrong.join(", "), SHOWN_NAME).into_owned();
        return Err(ProtocolError::invalid_params(format!(
            "the arguments of a prompt are strings; these are not: {wrong}"
        )));
    }
    let missing: Vec<_> = prompt
        .contract
        .arguments
        .iter()
        .filter(|argument| argument.required && !given.contains_key(&*argument.name))
        .map(|argument| &*argument.name)
        .collect();
    if !missing.is_empty() {
        return Err(ProtocolError::invalid_params(format!(
            "prompt \"{}\" requires the arguments {}",
            prompt.contract.name,
            missing.join(", ")
        )));
    }
    Ok(Called {
        subject: Subject::Prompt(prompt.contract.clone()),
        handler: prompt.handler.clone(),
        dispatch: prompt.dispatch,
        arguments,
        check_first: false,
    })
}
