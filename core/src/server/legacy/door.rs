//! One request of a session, taken to the method that it names.

use std::sync::Arc;

use serde_json::Value;

use super::session::Session;
use super::{answering, call};
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::log_level::LogLevel;
use crate::registry::catalog::Catalog;
use crate::registry::item::Item;
use crate::server::called::resource;
use crate::server::engine::Incoming;
use crate::server::in_flight::Handled;
use crate::server::list_page;

/// Takes the request to its method. Whatever is wrong with it is answered here.
pub fn handle(session: &Arc<Session>, incoming: Incoming) -> Handled {
    let id = incoming.request.id.clone();
    let outbox = incoming.outbox.clone();
    route(session, incoming).unwrap_or_else(|error| answering::fail(&*outbox, &id, error))
}

fn route(session: &Arc<Session>, incoming: Incoming) -> Result<Handled, ProtocolError> {
    let server = session.server().clone();
    if incoming.request.params.not_an_object {
        return Err(ProtocolError::invalid_params("params must be an object"));
    }
    match incoming.request.method.as_str() {
        "ping" => Ok(done(&incoming)),
        "tools/call" if server.offers_tools() => call::tool(session, incoming),
        "tools/list" if server.offers_tools() => list(session, &incoming, server.tools()),
        "prompts/get" if server.offers_prompts() => call::prompt(session, incoming),
        "prompts/list" if server.offers_prompts() => list(session, &incoming, server.prompts()),
        "resources/read" if server.offers_resources() => call::resource(session, incoming),
        "resources/list" if server.offers_resources() => list(session, &incoming, server.resources()),
        "resources/templates/list" if server.offers_resources() => {
            list(session, &incoming, server.resource_templates())
        }
        "resources/subscribe" if server.offers_resources() => {
            session.subscribe(resource::uri(&incoming.request.params)?)?;
            Ok(done(&incoming))
        }
        "resources/unsubscribe" if server.offers_resources() => {
            session.unsubscribe(&resource::uri(&incoming.request.params)?);
            Ok(done(&incoming))
        }
        "completion/complete" if server.offers_completions() => call::completion(session, incoming),
        "logging/setLevel" if server.settings().logging => set_log_level(session, &incoming),
        "initialize" => {
            Err(ProtocolError::new(ErrorCode::INVALID_REQUEST, "this session is initialized already"))
        }
        method => Err(ProtocolError::unknown_method(method)),
    }
}

fn list<T: Item>(
    session: &Session,
    incoming: &Incoming,
    catalog: &Catalog<T>,
) -> Result<Handled, ProtocolError> {
    let (revision, capabilities) = (session.revision(), session.capabilities());
    list_page::answer(catalog, &incoming.request, revision, capabilities, &*incoming.outbox)
}

/// Specification: 2025-11-25, server/utilities/logging, "Setting Log Level".
fn set_log_level(session: &Session, incoming: &Incoming) -> Result<Handled, ProtocolError> {
    let level = match incoming.request.params.member("level") {
        Some(Value::String(name)) => LogLevel::named(&name),
        _ => None,
    };
    let level = level.ok_or_else(|| {
        ProtocolError::invalid_params(format!("params.level must be one of {}", LogLevel::names()))
    })?;
    session.set_log_level(level);
    Ok(done(incoming))
}

fn done(incoming: &Incoming) -> Handled {
    answering::succeed(&*incoming.outbox, &incoming.request.id, b"")
}
