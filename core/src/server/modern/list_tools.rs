//! `tools/list`: a page of the list, written once and sent to everybody who asks.
//!
//! Specification: server/tools, "Listing Tools".

use bytes::Bytes;

use super::door::Visit;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::registry::cursor::{self, ListKind};
use crate::server::in_flight::Handled;
use crate::server::outbox::Outbox;
use crate::server::settings::Settings;

/// Answers the request.
pub fn handle(visit: &Visit<'_>) -> Result<Handled, ProtocolError> {
    let after = read_cursor(&visit.request.params)?;
    let list = visit.server.tools().list();
    let page = list.page(after.as_deref());
    let mut head = Vec::with_capacity(64);
    head.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    visit.request.id.write(&mut head);
    head.extend_from_slice(b",\"result\":");
    Ok(complete(&*visit.outbox, Message::around(head, page, Bytes::from_static(b"}"))))
}

/// What stands behind the tools of every page.
pub fn page_tail(settings: &Settings) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    settings.tools_cache.write(&mut out);
    out.extend_from_slice(b",\"resultType\":\"complete\"");
    if let Some(identity) = settings.identity_in_results() {
        out.push(b',');
        identity.write_meta(&mut out);
    }
    out
}

/// Sends a result at once.
pub fn complete(outbox: &dyn Outbox, message: Message) -> Handled {
    outbox.answer(Answer { message, status: AnswerStatus::Ok });
    Handled::Answered
}

fn read_cursor(params: &Params) -> Result<Option<String>, ProtocolError> {
    let Some(span) = params.cursor else { return Ok(None) };
    let cursor =
        params.string(span).ok_or_else(|| ProtocolError::invalid_params("params.cursor must be a string"))?;
    let name = cursor::decode(ListKind::Tools, &cursor).ok_or_else(|| {
        ProtocolError::invalid_params("params.cursor is no cursor of tools/list; start again without one")
    })?;
    Ok(Some(name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use serde_json::{Value, json};

    use crate::server::conversation::{add, ask, server};
    use crate::server::engine::Server;

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
        assert_eq!(scope(before.page(None)), scope(before.page(Some("tool_001"))));
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
}
