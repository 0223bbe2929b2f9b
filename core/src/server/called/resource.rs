//! The resource that a `resources/read` names: one that is listed, or one that a template makes.
//!
//! Specification: server/resources, "Reading Resources".

use serde_json::{Map, Value};

use super::Called;
use crate::call::arguments::Arguments;
use crate::call::subject::Subject;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::server::engine::Server;

/// The resource that `params` names, with the variables of its template as arguments.
pub fn find(server: &Server, params: &Params) -> Result<Called, ProtocolError> {
    find_uri(server, &uri(params)?)
}

/// The URI in `params`.
pub fn uri(params: &Params) -> Result<String, ProtocolError> {
    let uri = params.uri.and_then(|span| params.string(span));
    uri.ok_or_else(|| ProtocolError::invalid_params("params.uri is required and must be a string"))
}

/// The resource at `uri`.
pub fn find_uri(server: &Server, uri: &str) -> Result<Called, ProtocolError> {
    let found = server.find_resource(uri).ok_or_else(|| ProtocolError::resource_not_found(uri))?;
    let variables: Map<_, _> =
        found.variables.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
    let arguments = Arguments::from_value(Value::Object(variables));
    Ok(Called {
        subject: Subject::Resource(found.contract, uri.into()),
        handler: found.handler,
        dispatch: found.dispatch,
        arguments,
        check_first: false,
    })
}
