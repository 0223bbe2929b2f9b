//! `resources/read`: finds the resource, or the template that makes it, and has its handler read it.
//!
//! Specification: server/resources, "Reading Resources".

use super::admission::Admitted;
use super::door::Visit;
use super::start;
use crate::protocol::error::ProtocolError;
use crate::server::called::resource;
use crate::server::in_flight::Handled;

/// Starts the call, or refuses it.
pub fn handle(visit: Visit<'_>, admitted: Admitted) -> Result<Handled, ProtocolError> {
    let called = resource::find(visit.server, &visit.request.params)?;
    let required = called.subject.required_capabilities();
    admitted.context.capabilities.require(&"this resource", required)?;
    start::start(visit, admitted, called)
}
