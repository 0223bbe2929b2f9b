//! `initialize`: the revision is agreed on, and each side says what it can.
//!
//! Specification: 2025-11-25, basic/lifecycle, "Initialization".

use bytes::Bytes;
use serde_json::Value;

use super::answering;
use crate::protocol::client_capability::ClientCapabilities;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::frame::Params;
use crate::protocol::json_write;
use crate::protocol::request_id::RequestId;
use crate::protocol::revision::Revision;
use crate::server::engine::Server;
use crate::server::outbox::Outbox;
use crate::server::server_capabilities;

/// Bytes of the capabilities of one client, which its session keeps.
pub const MAX_CAPABILITIES_BYTES: usize = 64 << 10;

/// Bytes of what one client says of itself: more is not kept.
pub const MAX_INTRODUCTION_BYTES: usize = 16 << 10;

/// What a client says of itself.
pub struct Hello {
    /// The revision to speak: the client's, if it is known, or else the newest that is entered this way.
    pub revision: Revision,
    /// What the client can be asked.
    pub capabilities: ClientCapabilities,
    /// What the client says of itself, an `Implementation` object.
    pub introduction: Option<Bytes>,
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
    let capabilities = capabilities.to_string();
    if capabilities.len() > MAX_CAPABILITIES_BYTES {
        return Err(ProtocolError::invalid_params(format!(
            "params.capabilities has more than {MAX_CAPABILITIES_BYTES} bytes"
        )));
    }
    let introduction = params.member("clientInfo").filter(Value::is_object);
    let introduction = introduction.map(|info| Bytes::from(info.to_string()));
    Ok(Hello {
        revision: Revision::negotiate(&version),
        capabilities: ClientCapabilities::new(capabilities.into()),
        introduction: introduction.filter(|info| info.len() <= MAX_INTRODUCTION_BYTES),
    })
}

/// The error for a client that has a session.
pub fn again() -> ProtocolError {
    ProtocolError::new(ErrorCode::INVALID_REQUEST, "this session is initialized already")
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use serde_json::{Value, json};

    use crate::call::invocation::Call;
    use crate::protocol::revision::Revision;
    use crate::server::conversation::{add, add_prompt, add_resource, complete_by, server};
    use crate::server::engine::Server;
    use crate::server::legacy::conversation::{Client, LEGACY, initialize};

    fn result(server: &Arc<Server>, revision: impl Into<Value>) -> Value {
        Client::arriving(server, None, &initialize(revision, json!({}))).1.answer()["result"].clone()
    }

    #[test]
    fn agrees_on_the_clients_revision_or_else_on_the_newest() {
        let server = server();
        for (asked, agreed) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("2099-01-01", "2025-11-25"),
            ("1.0", "2025-11-25"),
            ("", "2025-11-25"),
        ] {
            let (client, told) = Client::arriving(&server, None, &initialize(asked, json!({})));
            let answer = told.answer();
            assert_eq!((&answer["id"], &answer["result"]["protocolVersion"]), (&json!(0), &json!(agreed)));
            assert_eq!(client.unwrap().session.revision().name(), agreed);
        }
    }

    #[test]
    fn keeps_what_the_client_says_of_itself_for_its_calls() {
        let long = "x".repeat(super::MAX_INTRODUCTION_BYTES);
        for (info, kept) in [
            (json!({"name": "c", "version": "1"}), true),
            (json!({"name": long}), false),
            (json!("c"), false),
            (Value::Null, false),
        ] {
            let server = server();
            let (tell, told) = std::sync::mpsc::channel();
            add(&server, "t", json!({"type": "object"}), move |call: &Arc<Call>| {
                tell.send(call.context().client_info()).unwrap();
                call.finish_text("").unwrap();
            });
            let mut hello = initialize("2025-11-25", json!({}));
            hello["params"]["clientInfo"] = info.clone();
            let client = Client::arriving(&server, None, &hello).0.unwrap();
            client.ask("tools/call", json!({"name": "t"}));
            assert_eq!(told.recv().unwrap().is_some_and(|said| said == info.to_string()), kept, "{info}");
        }
    }

    #[test]
    fn lets_nobody_in_who_does_not_say_what_it_speaks() {
        let server = server();
        for params in [
            Value::Null,
            json!({}),
            json!({"protocolVersion": 20251125}),
            json!({"protocolVersion": null, "capabilities": {}}),
            json!({"protocolVersion": "2025-11-25", "capabilities": []}),
            json!({"protocolVersion": "2025-11-25", "capabilities": "roots"}),
        ] {
            let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
            let (client, told) = Client::arriving(&server, None, &hello);
            assert_eq!(
                (client.is_none(), &told.answer()["error"]["code"]),
                (true, &json!(-32602)),
                "{params}"
            );
        }
        assert_eq!(server.sessions().count(), 0);
        let hello = json!({"jsonrpc": "2.0", "id": "a", "method": "initialize",
            "params": {"protocolVersion": "2024-11-05", "capabilities": null}});
        let (client, told) = Client::arriving(&server, None, &hello);
        assert_eq!((client.is_some(), &told.answer()["id"]), (true, &json!("a")));
    }

    #[test]
    fn tells_what_the_server_can_and_who_it_is_as_each_revision_has_it() {
        let server = server();
        let capabilities = |revision: Revision| result(&server, revision.name())["capabilities"].clone();
        assert_eq!(capabilities(Revision::V2025_11_25), json!({"logging": {}}));
        add(&server, "tool", json!({"type": "object"}), |_: &_| {});
        add_prompt(&server, json!({"name": "prompt"}), |_: &_| {});
        add_resource(&server, json!({"uri": "x:1", "name": "one"}), |_: &_| {});
        complete_by(&server, |_: &_| {});
        server
            .configure(|settings| {
                settings.set("website_url", "https://example.com")?;
                settings.set("icons", r#"[{"src": "data:,"}]"#)?;
                let identity = Arc::make_mut(&mut settings.identity);
                identity.set_text("title", "Test");
                identity.instructions = Some("Say \"hi\"".into());
                Ok(())
            })
            .unwrap();
        for revision in LEGACY {
            let result = result(&server, revision.name());
            let mut wanted = json!({"tools": {"listChanged": true}, "prompts": {"listChanged": true},
                "resources": {"subscribe": true, "listChanged": true}, "logging": {}});
            if revision >= Revision::V2025_03_26 {
                wanted["completions"] = json!({});
            }
            assert_eq!(result["capabilities"], wanted, "{}", revision.name());
            let mut wanted = json!({"name": "test", "version": "1.0"});
            if revision >= Revision::V2025_06_18 {
                wanted["title"] = json!("Test");
            }
            if revision >= Revision::V2025_11_25 {
                wanted["websiteUrl"] = json!("https://example.com");
                wanted["icons"] = json!([{"src": "data:,"}]);
            }
            assert_eq!(result["serverInfo"], wanted, "{}", revision.name());
            assert_eq!(result["instructions"], "Say \"hi\"");
            let members: Vec<_> = result.as_object().unwrap().keys().collect();
            assert_eq!(members, ["capabilities", "instructions", "protocolVersion", "serverInfo"]);
        }
        server.configure(|settings| settings.set("logging", "false")).unwrap();
        assert!(capabilities(Revision::V2025_11_25).get("logging").is_none());
    }
}
