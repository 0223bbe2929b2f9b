//! What a server says that it can do. A capability is declared once anything of its kind was registered.
//!
//! Specification: server/discover; 2025-11-25, basic/lifecycle, "Capability Negotiation".

use super::engine::Server;
use super::settings::Settings;
use crate::protocol::revision::Revision;

/// Appends the `ServerCapabilities` object for a client of `revision`.
pub fn write(server: &Server, settings: &Settings, revision: Revision, out: &mut Vec<u8>) {
    let mut members = Vec::new();
    if server.offers_tools() {
        members.push(r#""tools":{"listChanged":true}"#);
    }
    if server.offers_prompts() {
        members.push(r#""prompts":{"listChanged":true}"#);
    }
    if server.offers_resources() {
        members.push(r#""resources":{"subscribe":true,"listChanged":true}"#);
    }
    if server.offers_completions() && revision.has_completions_capability() {
        members.push(r#""completions":{}"#);
    }
    if settings.logging {
        members.push(r#""logging":{}"#);
    }
    if server.offers_apps() && revision.has_extensions() {
        members.push(r#""extensions":{"io.modelcontextprotocol/ui":{}}"#);
    }
    out.push(b'{');
    out.extend_from_slice(members.join(",").as_bytes());
    out.push(b'}');
}
