//! `initialize`: the revision is agreed on, and each side says what it can.
//!
//! Specification: 2025-11-25, basic/lifecycle, "Initialization".

use serde_json::Value;

use super::answering;
use crate::protocol::client_capability::ClientCapabilities;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::protocol::json_write;
use crate::protocol::request_id::RequestId;
use crate::protocol::revision::Revision;
use crate::server::engine::Server;
use crate::server::outbox::Outbox;
use crate::server::server_capabilities;

/// What a client says of itself.
pub struct Hello {
    /// The revision to speak: the client's, if it is known, or else the newest that is entered this way.
    pub revision: Revision,
    /// What the client can be asked.
    pub capabilities: ClientCapabilities,
}

/// Reads the parameters of `initialize`.
pub fn read(params: &Params) -> Result<Hello, ProtocolError> {
    let Some(Value::String(version)) = params.member("protocolVersion") else {
        return Err(ProtocolError::invalid_params("params.protocolVersion is required and must be a string"));
    };
    let capabilities = match params.member("capabilities") {
        None => Value::Object(Default::default()),
        Some(object @ Value::Object(_)) => object,
        Some(_) => return Err(ProtocolError::invalid_params("params.capabilities must be an object")),
    };
    Ok(Hello {
        revision: Revision::negotiate(&version),
        capabilities: ClientCapabilities::new(capabilities.to_string().into()),
    })
}

/// Answers it.
pub fn answer(server: &Server, revision: Revision, outbox: &dyn Outbox, id: &RequestId) {
    let settings = server.settings();
    let mut out = b"\"protocolVersion\":\"".to_vec();
    out.extend_from_slice(revision.name().as_bytes());
    out.extend_from_slice(b"\",\"capabilities\":");
    server_capabilities::write(server, &settings, revision, &mut out);
    out.extend_from_slice(b",\"serverInfo\":");
    settings.identity.write(revision, &mut out);
    if let Some(instructions) = &settings.identity.instructions {
        out.extend_from_slice(b",\"instructions\":");
        json_write::string(&mut out, instructions);
    }
    answering::succeed(outbox, id, &out);
}
