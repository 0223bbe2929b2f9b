//! `server/discover`: what the server speaks, can do, and is.
//!
//! Specification: server/discover.

use super::door::Visit;
use crate::protocol::error::ProtocolError;
use crate::protocol::json_write;
use crate::protocol::message::Message;
use crate::protocol::revision::Revision;
use crate::server::in_flight::Handled;
use crate::server::server_capabilities;

/// Answers the request.
pub fn handle(visit: &Visit<'_>) -> Result<Handled, ProtocolError> {
    let settings = &visit.settings;
    let mut out = Vec::with_capacity(512);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    visit.request.id.write(&mut out);
    out.extend_from_slice(b",\"result\":{\"supportedVersions\":");
    out.extend_from_slice(Revision::supported_json().as_bytes());
    out.extend_from_slice(b",\"capabilities\":");
    server_capabilities::write(visit.server, settings, Revision::V2026_07_28, &mut out);
    if let Some(instructions) = &settings.identity.instructions {
        out.extend_from_slice(b",\"instructions\":");
        json_write::string(&mut out, instructions);
    }
    out.push(b',');
    settings.caching.discover.write(&mut out);
    out.extend_from_slice(b",\"resultType\":\"complete\"");
    if let Some(identity) = settings.identity_in_results() {
        out.push(b',');
        identity.write_meta(&mut out);
    }
    out.extend_from_slice(b"}}");
    Ok(Handled::at_once(&*visit.outbox, Message::whole(out)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use crate::server::conversation::{add, ask, server};

    #[test]
    fn tells_what_the_server_is_and_can() {
        let server = server();
        server.configure(|settings| settings.set("discover_cache_ttl_ms", "60000")).unwrap();
        let result = ask(&server, "server/discover", json!({}))["result"].clone();
        assert_eq!(
            result,
            json!({
                "supportedVersions": ["2026-07-28"], "capabilities": {"logging": {}}, "ttlMs": 60000,
                "cacheScope": "public", "resultType": "complete",
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.0"}},
            })
        );
    }

    #[test]
    fn declares_tools_once_there_was_one() {
        let server = server();
        let declared =
            || ask(&server, "server/discover", json!({}))["result"]["capabilities"]["tools"].clone();
        assert_eq!(ask(&server, "tools/list", json!({}))["error"]["code"], -32601);
        assert!(declared().is_null());
        add(&server, "add", json!({"type": "object"}), |_: &_| {});
        assert_eq!(declared(), json!({"listChanged": true}));
        server.remove_tool("add").unwrap();
        assert_eq!(declared(), json!({"listChanged": true}));
        assert_eq!(ask(&server, "tools/list", json!({}))["result"]["tools"], json!([]));
    }
}
