//! `subscriptions/listen`: opens a stream of changes.
//!
//! Specification: basic/patterns/subscriptions.

use serde_json::Value;

use super::door::Visit;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::server::in_flight::{Handled, InFlight};
use crate::server::subscription::Filter;

/// Opens the subscription, acknowledged with what of its filter the server honours.
pub fn handle(visit: Visit<'_>) -> Result<Handled, ProtocolError> {
    let wanted = read_filter(&visit.request.params)?;
    let honoured = Filter { tools: wanted.tools && visit.server.offers_tools() };
    let place = visit.server.take_subscription(&visit.settings)?;
    let identity = visit.settings.identity_in_results().cloned();
    let subscription =
        visit.server.subscriptions().open(visit.request.id, honoured, identity, visit.outbox, place);
    Ok(Handled::Running(InFlight::Subscription(subscription)))
}

fn read_filter(params: &Params) -> Result<Filter, ProtocolError> {
    let filter = params.notifications.and_then(|span| serde_json::from_slice(params.bytes(span)).ok());
    let Some(Value::Object(filter)) = filter else {
        return Err(ProtocolError::invalid_params(
            "params.notifications is required and must be an object that says which changes to announce",
        ));
    };
    let mut wanted = Filter::default();
    for (name, value) in &filter {
        match (name.as_str(), value) {
            ("toolsListChanged", Value::Bool(yes)) => wanted.tools = *yes,
            (_, Value::Null) | ("promptsListChanged" | "resourcesListChanged", Value::Bool(_)) => {}
            ("toolsListChanged" | "promptsListChanged" | "resourcesListChanged", _) => {
                return Err(ProtocolError::invalid_params(format!(
                    "params.notifications.{name} must be true or false"
                )));
            }
            ("resourceSubscriptions", uris) if !is_list_of_strings(uris) => {
                return Err(ProtocolError::invalid_params(
                    "params.notifications.resourceSubscriptions must be an array of URIs",
                ));
            }
            _ => {}
        }
    }
    Ok(wanted)
}

fn is_list_of_strings(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
}
