//! One request of the modern era: admitted, and handed to the method that it names.

use std::sync::Arc;

use super::admission::{self, Admitted};
use super::{call_tool, complete, discover, get_prompt, listen, read_resource};
use crate::call::headers::Headers;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::frame::Request;
use crate::protocol::revision::Revision;
use crate::registry::catalog::Catalog;
use crate::registry::item::Item;
use crate::server::engine::Server;
use crate::server::in_flight::Handled;
use crate::server::list_page;
use crate::server::outbox::Outbox;
use crate::server::settings::Settings;

/// A request on its way through the door.
pub struct Visit<'a> {
    /// The server.
    pub server: &'a Arc<Server>,
    /// Its settings, the same ones from the beginning of the request to its end.
    pub settings: Arc<Settings>,
    /// The request.
    pub request: Request,
    /// Its HTTP headers, where it came by HTTP.
    pub headers: Option<Arc<dyn Headers>>,
    /// On whose behalf it comes.
    pub principal: Option<Arc<str>>,
    /// Where its answer goes.
    pub outbox: Arc<dyn Outbox>,
    /// Whether the transport has as many requests in flight as it may.
    pub overloaded: bool,
}

impl Visit<'_> {
    /// Takes the request to its method. Whatever is wrong with it is answered here.
    pub fn handle(self) -> Handled {
        let id = self.request.id.clone();
        let outbox = self.outbox.clone();
        let (headers, principal) = (self.headers.as_ref(), self.principal.as_ref());
        let handled = admission::admit(&self.request, headers, principal, self.settings.legacy)
            .and_then(|admitted| self.route(admitted));
        handled.unwrap_or_else(|error| {
            outbox.answer(error.answer(Some(&id)));
            Handled::Answered
        })
    }

    fn route(self, admitted: Admitted) -> Result<Handled, ProtocolError> {
        let server = self.server;
        match self.request.method.as_str() {
            "tools/call" if server.offers_tools() => call_tool::handle(self, admitted),
            "tools/list" if server.offers_tools() => self.list(server.tools(), &admitted),
            "prompts/get" if server.offers_prompts() => get_prompt::handle(self, admitted),
            "prompts/list" if server.offers_prompts() => self.list(server.prompts(), &admitted),
            "resources/read" if server.offers_resources() => read_resource::handle(self, admitted),
            "resources/list" if server.offers_resources() => self.list(server.resources(), &admitted),
            "resources/templates/list" if server.offers_resources() => {
                self.list(server.resource_templates(), &admitted)
            }
            "completion/complete" if server.offers_completions() => complete::handle(self, admitted),
            "server/discover" => discover::handle(&self),
            "subscriptions/listen" => listen::handle(self),
            "initialize" => Err(no_handshake()),
            method => Err(ProtocolError::unknown_method(method)),
        }
    }

    fn list<T: Item>(&self, catalog: &Catalog<T>, admitted: &Admitted) -> Result<Handled, ProtocolError> {
        let (revision, capabilities) = (admitted.context.revision, &admitted.context.capabilities);
        list_page::answer(catalog, &self.request, revision, capabilities, &*self.outbox)
    }
}

fn no_handshake() -> ProtocolError {
    let versions = Revision::supported_json();
    let message =
        format!("there is no initialize in this revision; supported protocol versions are {versions}");
    ProtocolError::new(ErrorCode::METHOD_NOT_FOUND, message)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::{Value, json};

    use crate::protocol::message::AnswerStatus;
    use crate::server::conversation::{FixedHeaders, add, ask, meta, request, send, server};

    fn headers(pairs: &[(&'static str, &str)]) -> FixedHeaders {
        FixedHeaders(
            pairs.iter().map(|(name, value)| (*name, (*value).to_string())).collect::<HashMap<_, _>>(),
        )
    }

    #[test]
    fn reports_faults_in_the_order_of_the_design() {
        let server = server();
        add(&server, "add", json!({"type": "object"}), |_: &_| {});
        let good =
            [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "add")];
        let with = |name, value| {
            let mut pairs: Vec<_> = good.into_iter().filter(|(n, _)| *n != name).collect();
            pairs.extend((!str::is_empty(value)).then_some((name, value)));
            headers(&pairs)
        };
        let mut no_capabilities = meta();
        no_capabilities["io.modelcontextprotocol/clientCapabilities"] = Value::Null;
        let mut future = meta();
        future["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
        let call = |meta: &Value, name: &str| json!({"name": name, "_meta": meta});
        let cases = [
            // A version that header and body disagree on comes before a version that is unknown.
            ("tools/call", call(&future, "add"), headers(&good), -32020),
            ("tools/call", call(&future, "add"), with("mcp-protocol-version", "2099-01-01"), -32022),
            ("tools/call", call(&meta(), "add"), with("mcp-protocol-version", ""), -32020),
            ("tools/call", json!({"name": "add", "_meta": {}}), with("mcp-protocol-version", "v999"), -32022),
            // `_meta` comes before the headers that repeat the body.
            ("tools/call", call(&no_capabilities, "add"), with("mcp-method", "x"), -32602),
            ("tools/call", call(&meta(), "add"), with("mcp-method", "TOOLS/CALL"), -32020),
            ("tools/call", call(&meta(), "add"), with("mcp-method", ""), -32020),
            ("tools/call", call(&meta(), "add"), with("mcp-name", ""), -32020),
            ("tools/call", call(&meta(), "add"), with("mcp-name", "sub"), -32020),
            // The headers come before the method, the method before the tool.
            ("foo/bar", json!({"_meta": meta()}), headers(&good), -32020),
            ("foo/bar", json!({"_meta": meta()}), with("mcp-method", "foo/bar"), -32601),
            ("tools/call", call(&meta(), "sub"), with("mcp-name", "sub"), -32602),
        ];
        for (method, params, headers, code) in cases {
            let message = request(7, method, params);
            let (recorder, _) = send(&server, &message, Some(headers));
            let answer = recorder.answer();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(code)), "{message}");
        }
    }

    #[test]
    fn tells_a_malformed_request_from_a_wrong_one_by_the_http_status() {
        let server = server();
        add(&server, "add", json!({"type": "object"}), |_: &_| {});
        for (method, params, status) in [
            ("server/discover", json!({"_meta": {}}), AnswerStatus::BadRequest),
            ("tools/call", json!({"name": "sub"}), AnswerStatus::Ok),
            ("tools/list", json!({"cursor": "bogus"}), AnswerStatus::Ok),
            ("foo/bar", json!({}), AnswerStatus::NotFound),
        ] {
            let (recorder, _) = send(&server, &request(1, method, params), None);
            recorder.answer();
            assert_eq!(recorder.status(), Some(status), "{method}");
        }
    }

    #[test]
    fn names_the_versions_it_supports() {
        let server = server();
        let mut future = meta();
        future["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
        let error = &ask(&server, "server/discover", json!({"_meta": future}))["error"];
        assert_eq!(error["data"], json!({"supported": ["2026-07-28"], "requested": "2099-01-01"}));
        let message = &ask(&server, "initialize", json!({"_meta": {}}))["error"]["message"];
        assert!(message.as_str().is_some_and(|text| text.contains("2026-07-28")), "{message}");
    }

    #[test]
    fn requires_what_meta_must_have_and_no_more() {
        let server = server();
        let version = "io.modelcontextprotocol/protocolVersion";
        let capabilities = "io.modelcontextprotocol/clientCapabilities";
        let cases = [
            (json!({version: "2026-07-28", capabilities: {}}), None),
            (json!({version: "2026-07-28", capabilities: {}, "com.x/y": 1, "progressToken": 0}), None),
            (json!({version: "2026-07-28", capabilities: {}, "progressToken": null}), None),
            (json!({version: "2026-07-28"}), Some(capabilities)),
            (json!({version: "2026-07-28", capabilities: []}), Some(capabilities)),
            (json!({version: "2026-07-28", capabilities: "x"}), Some(capabilities)),
            (json!({capabilities: {}}), Some(version)),
            (json!({version: 5, capabilities: {}}), Some(version)),
            (json!([]), Some("_meta")),
            (json!({version: "2026-07-28", capabilities: {}, "progressToken": 1.5}), Some("progressToken")),
            (
                json!({version: "2026-07-28", capabilities: {}, "io.modelcontextprotocol/logLevel": "loud"}),
                Some("logLevel"),
            ),
        ];
        for (meta, named) in cases {
            let answer = ask(&server, "server/discover", json!({"_meta": meta}));
            match named {
                None => assert!(answer["result"].is_object(), "{meta}: {answer}"),
                Some(named) => {
                    assert_eq!(answer["error"]["code"], -32602, "{meta}");
                    let message = answer["error"]["message"].as_str().unwrap_or_default();
                    assert!(message.contains(named), "{meta}: {message}");
                }
            }
        }
    }

    #[test]
    fn takes_parameters_only_as_an_object() {
        let server = server();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": ["a"]});
        assert_eq!(send(&server, &message, None).0.answer()["error"]["code"], -32602);
    }
}
