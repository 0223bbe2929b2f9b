//! A page of a list, written once and sent to everybody who sees the list alike.
//!
//! Specification: server/utilities/pagination; "Listing Tools", "Listing Prompts" and "Listing Resources" of server/.

use bytes::Bytes;

use super::in_flight::Handled;
use super::outbox::Outbox;
use super::settings::Settings;
use crate::protocol::app_host::is_app_host;
use crate::protocol::client_capability::ClientCapabilities;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::{Params, Request};
use crate::protocol::message::Message;
use crate::protocol::revision::Revision;
use crate::registry::catalog::Catalog;
use crate::registry::cursor;
use crate::registry::item::Item;
use crate::registry::list_kind::ListKind;
use crate::registry::page::PageStyle;
use crate::registry::variant::Variant;

/// Answers a request for a page of what is in `catalog`, of a client that speaks `revision` and declared
/// `capabilities`.
pub fn answer<T: Item>(
    catalog: &Catalog<T>,
    request: &Request,
    revision: Revision,
    capabilities: &ClientCapabilities,
    outbox: &dyn Outbox,
) -> Result<Handled, ProtocolError> {
    let after = read_cursor(T::KIND, &request.params)?;
    let list = catalog.list();
    let apps = list.depends_on_apps() && is_app_host(capabilities);
    let page = list.page(Variant { revision, apps }, after.as_deref());
    let mut head = Vec::with_capacity(64);
    head.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    request.id.write(&mut head);
    head.extend_from_slice(b",\"result\":");
    Ok(Handled::at_once(outbox, Message::around(head, page, Bytes::from_static(b"}"))))
}

/// How the pages of a list look under `settings`.
pub fn style(settings: &Settings, list: ListKind) -> PageStyle {
    let mut tail = Vec::with_capacity(256);
    tail.extend_from_slice(b",\"resultType\":\"complete\"");
    if let Some(identity) = settings.identity_in_results() {
        tail.push(b',');
        identity.write_meta(&mut tail);
    }
    PageStyle { bounds: settings.page, cache: settings.caching.of_list(list), tail: tail.into() }
}

fn read_cursor(list: ListKind, params: &Params) -> Result<Option<String>, ProtocolError> {
    let Some(span) = params.cursor else { return Ok(None) };
    let cursor =
        params.string(span).ok_or_else(|| ProtocolError::invalid_params("params.cursor must be a string"))?;
    let key = cursor::decode(list, &cursor).ok_or_else(|| {
        let method = list.method();
        ProtocolError::invalid_params(format!(
            "params.cursor is no cursor of {method}; start again without one"
        ))
    })?;
    Ok(Some(key))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use serde_json::{Value, json};

    use crate::call::handler::Dispatch;
    use crate::call::invocation::Call;
    use crate::protocol::prompt_definition::PromptDefinition;
    use crate::protocol::resource_definition::ResourceDefinition;
    use crate::protocol::resource_template_definition::ResourceTemplateDefinition;
    use crate::protocol::revision::Revision;
    use crate::registry::variant::Variant;
    use crate::server::conversation::{add, add_defined, ask, meta, server};
    use crate::server::engine::Server;

    const MODERN: Variant = Variant { revision: Revision::V2026_07_28, apps: false };

    fn with_tools(count: usize) -> Arc<Server> {
        let server = server();
        for index in 0..count {
            add(&server, &format!("tool_{index:03}"), json!({"type": "object"}), |_: &_| {});
        }
        server
    }

    fn names(page: &Value) -> Vec<String> {
        let tools = page["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().into()).collect()
    }

    #[test]
    fn pages_hold_every_tool_once_in_the_order_of_names() {
        for (tools, size, pages) in [(7, 0, 1), (7, 3, 3), (6, 3, 2), (1, 3, 1), (0, 3, 1)] {
            let server = with_tools(tools.max(1));
            server.configure(|settings| settings.set("page_size", &size.to_string())).unwrap();
            if tools == 0 {
                server.remove_tool("tool_000").unwrap();
            }
            let (mut seen, mut cursor, mut count) = (Vec::new(), Value::Null, 0);
            loop {
                let page = ask(&server, "tools/list", json!({"cursor": cursor}))["result"].clone();
                assert!(page["ttlMs"].is_u64() && page["cacheScope"] == "public", "{page}");
                seen.extend(names(&page));
                count += 1;
                match page.get("nextCursor") {
                    Some(next) => cursor = next.clone(),
                    None => break,
                }
            }
            let all: Vec<_> = (0..tools).map(|index| format!("tool_{index:03}")).collect();
            assert_eq!((seen, count), (all, pages));
        }
    }

    #[test]
    fn a_cursor_stays_right_when_tools_come_and_go() {
        let server = with_tools(6);
        server.configure(|settings| settings.set("page_size", "2")).unwrap();
        let cursor = ask(&server, "tools/list", json!({}))["result"]["nextCursor"].clone();
        server.remove_tool("tool_001").unwrap();
        add(&server, "aaa", json!({"type": "object"}), |_: &_| {});
        let second = ask(&server, "tools/list", json!({"cursor": cursor}))["result"].clone();
        assert_eq!(names(&second), ["tool_002", "tool_003"]);
    }

    #[test]
    fn a_page_has_the_settings_of_its_list() {
        let server = with_tools(3);
        server.configure(|settings| settings.set("page_size", "2")).unwrap();
        let before = server.tools().list();
        server.configure(|settings| settings.set("cache_scope", "private")).unwrap();
        let scope =
            |page: bytes::Bytes| serde_json::from_slice::<Value>(&page).unwrap()["cacheScope"].clone();
        assert_eq!(scope(before.page(MODERN, None)), scope(before.page(MODERN, Some("tool_001"))));
        let page = ask(&server, "tools/list", json!({}))["result"].clone();
        assert_eq!(page["cacheScope"], "private");
    }

    #[test]
    fn refuses_a_cursor_that_is_not_its_own() {
        let server = with_tools(1);
        for cursor in [json!("bogus"), json!(""), json!(5), json!({})] {
            let answer = ask(&server, "tools/list", json!({"cursor": cursor}));
            assert_eq!(answer["error"]["code"], -32602, "{cursor}");
        }
    }

    #[test]
    fn a_tool_for_apps_only_is_listed_for_their_hosts_only() {
        let server = with_tools(1);
        let definition = json!({"name": "refresh", "inputSchema": {"type": "object"},
            "_meta": {"ui": {"resourceUri": "ui://board", "visibility": ["app"]}}});
        add_defined(&server, definition, Dispatch::Inline, |_: &_| {});
        let ui = json!({"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}});
        for (extensions, wanted) in [(ui, vec!["refresh", "tool_000"]), (json!({}), vec!["tool_000"])] {
            let mut meta = meta();
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({"extensions": extensions});
            let page = ask(&server, "tools/list", json!({"_meta": meta}))["result"].clone();
            assert_eq!(
                (names(&page), &page["cacheScope"]),
                (wanted.iter().map(ToString::to_string).collect(), &json!("private"))
            );
        }
        server.remove_tool("refresh").unwrap();
        assert_eq!(ask(&server, "tools/list", json!({}))["result"]["cacheScope"], "public");
    }

    #[test]
    fn every_list_has_pages_of_its_own_and_takes_no_cursor_of_another() {
        let server = with_tools(2);
        server.configure(|settings| settings.set("page_size", "1")).unwrap();
        for name in ["a", "b"] {
            let (handler, inline) = (Arc::new(|_: &Arc<Call>| {}), Dispatch::Inline);
            let prompt = PromptDefinition::new(name).unwrap();
            server.add_prompt(&prompt, handler.clone(), inline, Vec::new());
            let resource = ResourceDefinition::new(&format!("x:{name}"), name).unwrap();
            server.add_resource(&resource, handler.clone(), inline, Vec::new());
            let template = ResourceTemplateDefinition::new(&format!("x:{{v}}/{name}"), name).unwrap();
            server.add_resource_template(&template, &[], handler, inline, Vec::new()).unwrap();
        }
        let lists = [
            ("tools/list", "tools", "tool_001"),
            ("prompts/list", "prompts", "b"),
            ("resources/list", "resources", "b"),
            ("resources/templates/list", "resourceTemplates", "b"),
        ];
        for (method, member, second) in lists {
            let cursor = ask(&server, method, json!({}))["result"]["nextCursor"].clone();
            for (other, ..) in lists {
                let answer = ask(&server, other, json!({"cursor": cursor}));
                if other == method {
                    let items = &answer["result"][member];
                    assert_eq!((&items[0]["name"], &items[1]), (&json!(second), &Value::Null), "{method}");
                } else {
                    assert_eq!(answer["error"]["code"], -32602, "{method} {other}");
                }
            }
        }
    }
}
