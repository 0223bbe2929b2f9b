//! `server/discover`: what the server speaks, can do, and is.
//!
//! Specification: server/discover.

use super::door::Visit;
use super::list_tools::complete;
use crate::protocol::error::ProtocolError;
use crate::protocol::json_write;
use crate::protocol::message::Message;
use crate::protocol::revision::Revision;
use crate::server::in_flight::Handled;

/// Answers the request.
pub fn handle(visit: &Visit<'_>) -> Result<Handled, ProtocolError> {
    let settings = &visit.settings;
    let mut out = Vec::with_capacity(512);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    visit.request.id.write(&mut out);
    out.extend_from_slice(b",\"result\":{\"supportedVersions\":");
    out.extend_from_slice(Revision::supported_json().as_bytes());
    out.extend_from_slice(b",\"capabilities\":{");
    let mut capabilities = Vec::new();
    if visit.server.offers_tools() {
        capabilities.push("\"tools\":{\"listChanged\":true}");
    }
    if settings.logging {
        capabilities.push("\"logging\":{}");
    }
    out.extend_from_slice(capabilities.join(",").as_bytes());
    out.push(b'}');
    if let Some(instructions) = &settings.identity.instructions {
        out.extend_from_slice(b",\"instructions\":");
        json_write::string(&mut out, instructions);
    }
    out.push(b',');
    settings.discover_cache.write(&mut out);
    out.extend_from_slice(b",\"resultType\":\"complete\"");
    if let Some(identity) = settings.identity_in_results() {
        out.push(b',');
        identity.write_meta(&mut out);
    }
    out.extend_from_slice(b"}}");
    Ok(complete(&*visit.outbox, Message::whole(out)))
}
