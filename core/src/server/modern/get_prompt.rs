//! `prompts/get`: finds the prompt, checks its arguments, and has its handler write the messages.
//!
//! Specification: server/prompts, "Getting a Prompt".

use super::admission::Admitted;
use super::door::Visit;
use super::start;
use crate::protocol::error::ProtocolError;
use crate::server::called::prompt;
use crate::server::in_flight::Handled;

/// Starts the call, or refuses it.
pub fn handle(visit: Visit<'_>, admitted: Admitted) -> Result<Handled, ProtocolError> {
    let called = prompt::find(visit.server, &visit.request.params)?;
    let required = called.subject.required_capabilities();
    admitted.context.capabilities.require(&"this prompt", required)?;
    start::start(visit, admitted, called)
}
