//! `completion/complete`: has the completion handler name the values that an argument may take.
//!
//! Specification: server/utilities/completion.

use super::admission::Admitted;
use super::door::Visit;
use super::start;
use crate::protocol::error::ProtocolError;
use crate::server::called::completion;
use crate::server::in_flight::Handled;

/// Starts the call, or refuses it.
pub fn handle(visit: Visit<'_>, admitted: Admitted) -> Result<Handled, ProtocolError> {
    let called = completion::find(visit.server, &visit.request.params)?;
    start::start(visit, admitted, called)
}
