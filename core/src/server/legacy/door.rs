//! One request of a session, taken to the method that it names.

use std::sync::Arc;

use serde_json::Value;

use super::session::Session;
use super::{answering, call, initialize};
use crate::protocol::error::ProtocolError;
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
        "initialize" => Err(initialize::again()),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use serde_json::{Value, json};

    use crate::call::handler::Dispatch;
    use crate::call::invocation::Call;
    use crate::protocol::log_level::LogLevel;
    use crate::protocol::revision::Revision;
    use crate::server::conversation::{add, add_defined, add_prompt, add_resource, add_template, server};
    use crate::server::engine::Server;
    use crate::server::legacy::conversation::{Client, LEGACY, initialize};

    /// A server that has one of each.
    fn furnished() -> Arc<Server> {
        let server = server();
        let definition = json!({"name": "tool", "title": "T", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
            "icons": [{"src": "data:,"}], "_meta": {"com.x/y": 1}});
        add_defined(&server, definition, Dispatch::Inline, |_: &_| {});
        add_prompt(
            &server,
            json!({"name": "prompt", "title": "P", "icons": [{"src": "data:,"}]}),
            |_: &_| {},
        );
        add_resource(&server, json!({"uri": "x:1", "name": "one", "title": "R"}), |_: &_| {});
        add_template(&server, json!({"uriTemplate": "x:{id}", "name": "any", "title": "R"}), |_: &_| {});
        server
    }

    #[test]
    fn answers_a_ping_with_an_empty_object_even_before_the_client_is_ready() {
        let server = server();
        for revision in LEGACY {
            let hello = initialize(revision.name(), json!({}));
            let client = Client::arriving(&server, None, &hello).0.unwrap();
            for params in [json!({}), Value::Null, json!({"_meta": {}})] {
                assert_eq!(client.ask("ping", params)["result"], json!({}));
            }
        }
    }

    #[test]
    fn lists_what_each_revision_knows_and_nothing_of_the_modern_era() {
        let server = furnished();
        for revision in LEGACY {
            let client = Client::begin(&server, revision);
            for (method, member) in [
                ("tools/list", "tools"),
                ("prompts/list", "prompts"),
                ("resources/list", "resources"),
                ("resources/templates/list", "resourceTemplates"),
            ] {
                let result = client.ask(method, json!({}))["result"].clone();
                assert_eq!(
                    result.as_object().unwrap().keys().collect::<Vec<_>>(),
                    [member],
                    "{}",
                    revision.name()
                );
                let has_title = result[member][0].get("title").is_some();
                assert_eq!(has_title, revision >= Revision::V2025_06_18, "{method} {}", revision.name());
            }
            let tool = client.ask("tools/list", json!({}))["result"]["tools"][0].clone();
            let since = |member: &str, first| {
                assert_eq!(tool.get(member).is_some(), revision >= first, "{member} {}", revision.name());
            };
            since("inputSchema", Revision::V2024_11_05);
            since("annotations", Revision::V2025_03_26);
            since("outputSchema", Revision::V2025_06_18);
            since("_meta", Revision::V2025_06_18);
            since("icons", Revision::V2025_11_25);
        }
    }

    #[test]
    fn pages_go_on_from_a_cursor() {
        let server = furnished();
        add(&server, "uncle", json!({"type": "object"}), |_: &_| {});
        server.configure(|settings| settings.set("page_size", "1")).unwrap();
        let client = Client::begin(&server, Revision::V2024_11_05);
        let first = client.ask("tools/list", json!({}))["result"].clone();
        let second = client.ask("tools/list", json!({"cursor": first["nextCursor"]}))["result"].clone();
        assert_eq!((&second["tools"][0]["name"], second.get("nextCursor")), (&json!("uncle"), None));
        assert_eq!(client.ask("tools/list", json!({"cursor": "bogus"}))["error"]["code"], -32602);
    }

    #[test]
    fn sets_the_level_of_log_messages() {
        let server = server();
        add(&server, "talk", json!({"type": "object"}), |call: &Arc<Call>| {
            for level in [LogLevel::Debug, LogLevel::Info, LogLevel::Error] {
                call.log(level, Some("db"), b"{\"a\": 1}").unwrap();
            }
            call.finish().unwrap();
        });
        let client = Client::begin(&server, Revision::V2024_11_05);
        let levels = || {
            let (recorder, _) = client.begin_call("talk");
            recorder.answer();
            let said = recorder.so_far();
            let levels = said.iter().filter(|message| message["method"] == "notifications/message");
            levels.map(|message| message["params"]["level"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(levels(), ["info", "error"]);
        for (level, heard) in
            [("debug", vec!["debug", "info", "error"]), ("error", vec!["error"]), ("emergency", vec![])]
        {
            assert_eq!(client.ask("logging/setLevel", json!({"level": level}))["result"], json!({}));
            assert_eq!(levels(), heard, "{level}");
        }
        for params in [json!({}), json!({"level": "loud"}), json!({"level": 3}), json!({"level": "Debug"})] {
            let error = client.ask("logging/setLevel", params.clone())["error"].clone();
            assert_eq!(error["code"], -32602, "{params}");
            assert!(error["message"].as_str().unwrap().contains("debug"), "{error}");
        }
        assert!(levels().is_empty(), "a bad level changes nothing");
        server.configure(|settings| settings.set("logging", "false")).unwrap();
        assert_eq!(client.ask("logging/setLevel", json!({"level": "debug"}))["error"]["code"], -32601);
        assert!(levels().is_empty());
    }

    #[test]
    fn refuses_what_the_server_or_the_era_does_not_have() {
        let client = Client::begin(&server(), Revision::V2025_11_25);
        for method in [
            "tools/list",
            "tools/call",
            "prompts/list",
            "prompts/get",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "resources/subscribe",
            "resources/unsubscribe",
            "completion/complete",
            "server/discover",
            "subscriptions/listen",
            "tasks/get",
            "foo/bar",
        ] {
            let error = client.ask(method, json!({"name": "a", "uri": "x:1"}))["error"].clone();
            assert_eq!(error["code"], -32601, "{method}");
            assert!(error["message"].as_str().unwrap().contains(method), "{error}");
        }
        assert_eq!(client.ask("ping", json!([1]))["error"]["code"], -32602);
        let again = client.ask("initialize", json!({"protocolVersion": "2024-11-05", "capabilities": {}}));
        assert_eq!(again["error"]["code"], -32600);
        assert_eq!(client.session.revision(), Revision::V2025_11_25);
    }
}
