//! A client of the legacy era at the other end of a channel, alone and beside one of the modern era.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use super::tests::{Heap, cancelled, keeping, listen, receive, take};
use super::*;
use crate::call::host::Host;
use crate::call::invocation::Call;
use crate::server::conversation::{FORM, ROOTS, add, add_resource, everything, named, request, server, text};
use crate::server::legacy::conversation::initialize;

pub(super) fn plain(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

/// A channel whose client has a session of `revision`.
pub(super) fn in_session(server: &Arc<Server>, revision: &str) -> Arc<Channel<Heap>> {
    let channel = Channel::new(server, Heap);
    receive(&channel, &initialize(revision, everything()));
    receive(&channel, &initialized());
    let said = take(&channel);
    assert_eq!((said.len(), &said[0]["result"]["protocolVersion"]), (1, &json!(revision)));
    channel
}

/// What the channel answers to one message.
fn answer_to(channel: &Arc<Channel<Heap>>, message: &Value) -> Value {
    receive(channel, message);
    let mut said = take(channel);
    assert_eq!(said.len(), 1, "{message}: {said:?}");
    said.remove(0)
}

/// A server whose tool `ask` asks for a name, and whose tool `era` says which revision its client speaks.
fn asking() -> Arc<Server> {
    let server = server();
    add(&server, "era", json!({"type": "object"}), |call: &Arc<Call>| {
        call.finish_text(call.context().revision.name()).unwrap();
    });
    add(&server, "ask", json!({"type": "object"}), |call: &Arc<Call>| {
        let Ok(answer) = call.request_input("who", FORM) else { return };
        call.finish_text(std::str::from_utf8(&answer).unwrap()).unwrap();
    });
    server
}

#[test]
fn one_client_may_speak_both_ways() {
    let channel = in_session(&asking(), "2025-06-18");
    let call = |message: Value| text(&answer_to(&channel, &message)).to_owned();
    let params = json!({"name": "era"});
    assert_eq!(call(plain(1, "tools/call", params.clone())), "2025-06-18");
    assert_eq!(call(request(2, "tools/call", params.clone())), "2026-07-28");
    assert_eq!(call(plain(3, "tools/call", params)), "2025-06-18");
    let discovered = answer_to(&channel, &request(4, "server/discover", json!({})));
    assert_eq!(discovered["result"]["supportedVersions"], json!(["2026-07-28"]));
    let listed = answer_to(&channel, &plain(5, "tools/list", json!({})));
    assert!(listed["result"].get("ttlMs").is_none());
    let listed = answer_to(&channel, &request(6, "tools/list", json!({})));
    assert!(listed["result"].get("ttlMs").is_some());
    for method in ["server/discover", "subscriptions/listen"] {
        let refused = answer_to(&channel, &plain(7, method, json!({})));
        assert_eq!(refused["error"]["code"], -32602, "{method} is of the modern era, which has _meta");
    }
    assert_eq!(answer_to(&channel, &plain(8, "ping", json!({})))["result"], json!({}));
    let again = answer_to(&channel, &initialize("2025-06-18", json!({})));
    assert_eq!(again["error"]["code"], -32600);
}

#[test]
fn a_client_that_has_not_begun_is_told_both_ways_to_begin() {
    let channel = Channel::new(&asking(), Heap);
    receive(&channel, &initialized());
    receive(&channel, &json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
    for method in ["tools/list", "ping", "server/discover"] {
        let error = answer_to(&channel, &plain(1, method, json!({})))["error"].clone();
        assert_eq!(error["code"], -32602);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("begins with initialize"), "{message}");
        assert!(message.contains("io.modelcontextprotocol/protocolVersion"), "{message}");
    }
    let refused = answer_to(&channel, &plain(1, "initialize", json!({})));
    assert_eq!(refused["error"]["code"], -32602);
    assert!(
        answer_to(&channel, &initialize("2024-11-05", json!({})))["result"].is_object(),
        "it may try again"
    );
    let modern = request(2, "initialize", json!({"protocolVersion": "2025-11-25"}));
    assert_eq!(answer_to(&channel, &modern)["error"]["code"], -32601);
}

#[test]
fn a_server_without_the_legacy_era_knows_no_sessions() {
    let server = asking();
    server.configure(|settings| settings.set("legacy", "false")).unwrap();
    let channel = Channel::new(&server, Heap);
    for method in ["initialize", "ping", "tools/list"] {
        let refused = answer_to(&channel, &plain(1, method, json!({"protocolVersion": "2025-11-25"})));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(!text(&refused).contains("begins with initialize"), "{refused}");
    }
    assert_eq!(server.sessions().count(), 0);
    assert!(answer_to(&channel, &request(2, "server/discover", json!({})))["result"].is_object());
}

#[test]
fn an_error_without_an_id_is_told_where_the_revision_has_such_errors() {
    for (revision, is_told) in
        [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", false), ("2025-11-25", true)]
    {
        let (server, calls) = keeping();
        let channel = in_session(&server, revision);
        let told = |channel: &Arc<Channel<Heap>>, what: &str| {
            let said = take(channel);
            assert_eq!(said.len(), usize::from(is_told), "{revision} {what}: {said:?}");
            assert!(said.iter().all(|error| error.get("id").is_none_or(Value::is_null)));
        };
        for text in ["{", "5", "\"text\"", "[]", r#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#] {
            channel.receive(Bytes::copy_from_slice(text.as_bytes()), None);
            told(&channel, text);
        }
        channel.refuse_too_long(5);
        told(&channel, "too long");
        for _ in 0..2 {
            receive(&channel, &plain(1, "tools/call", json!({"name": "keep"})));
        }
        told(&channel, "an id in use");
        calls.lock()[0].finish_text("kept").unwrap();
        assert_eq!(text(&take(&channel)[0]), "kept");
        // What has an id is always answered.
        channel.receive(Bytes::from_static(b"{\"jsonrpc\": \"1.0\", \"id\": 7, \"method\": \"ping\"}"), None);
        let said = take(&channel);
        assert_eq!((said.len(), &said[0]["id"], &said[0]["error"]["code"]), (1, &json!(7), &json!(-32600)));
    }
}

#[test]
fn asks_its_client_over_the_same_channel() {
    let server = asking();
    let channel = in_session(&server, "2025-11-25");
    receive(&channel, &plain("a", "tools/call", json!({"name": "ask"})));
    let asked = take(&channel).remove(0);
    assert_eq!(asked["method"], "elicitation/create");
    assert_eq!(
        answer_to(&channel, &plain(1, "ping", json!({})))["result"],
        json!({}),
        "it goes on meanwhile"
    );
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": named("Ann")});
    let done = answer_to(&channel, &answer);
    assert_eq!((&done["id"], text(&done)), (&json!("a"), &*named("Ann").to_string()));
    receive(&channel, &answer);
    assert_eq!((take(&channel).len(), channel.open_requests(), server.calls_in_flight()), (0, 0, 0));
}

#[test]
fn a_client_that_cancels_its_request_need_not_answer_what_it_was_asked() {
    let server = asking();
    let channel = in_session(&server, "2025-11-25");
    receive(&channel, &plain(1, "tools/call", json!({"name": "ask"})));
    let asked = take(&channel).remove(0);
    receive(&channel, &cancelled(1));
    let said = take(&channel);
    assert_eq!((said.len(), &said[0]["method"]), (1, &json!("notifications/cancelled")));
    assert_eq!(said[0]["params"]["requestId"], asked["id"]);
    receive(&channel, &json!({"jsonrpc": "2.0", "id": asked["id"], "result": named("Ann")}));
    assert_eq!((take(&channel).len(), channel.open_requests(), server.calls_in_flight()), (0, 0, 0));
    // The id is free again.
    receive(&channel, &plain(1, "ping", json!({})));
    assert_eq!(take(&channel).len(), 1);
}

#[test]
fn a_call_in_session_is_cancelled_and_says_nothing_more() {
    let (server, calls) = keeping();
    let channel = in_session(&server, "2024-11-05");
    receive(&channel, &plain(1, "tools/call", json!({"name": "keep"})));
    receive(&channel, &cancelled(1));
    let call = calls.lock().remove(0);
    assert!(call.is_cancelled() && call.finish_text("late").is_err());
    drop(call);
    assert_eq!((take(&channel).len(), channel.open_requests(), server.calls_in_flight()), (0, 0, 0));
}

#[test]
fn keeps_one_waiting_notification_of_each_change() {
    let server = server();
    add_resource(&server, json!({"uri": "x:1", "name": "one"}), |_: &_| {});
    let channel = in_session(&server, "2025-11-25");
    for uri in ["x:1", "x:2"] {
        receive(&channel, &plain(1, "resources/subscribe", json!({"uri": uri})));
    }
    receive(&channel, &listen(2));
    take(&channel);
    let changes =
        [Change::Tools, Change::Resources, Change::Resource("x:1".into()), Change::Resource("x:2".into())];
    for turn in 0..3 {
        for _ in 0..2 {
            for change in &changes {
                server.audience().note(change.clone(), None);
            }
            server.audience().tell();
        }
        let mut told: Vec<_> =
            take(&channel).iter().map(|m| format!("{} {}", m["method"], m["params"]["uri"])).collect();
        told.sort();
        let method = |name: &str, uri: &str| format!("\"notifications/{name}\" {uri}");
        assert_eq!(
            told,
            [
                method("resources/list_changed", "null"),
                method("resources/updated", "\"x:1\""),
                method("resources/updated", "\"x:2\""),
                method("tools/list_changed", "null"),
            ],
            "{turn}"
        );
    }
}

#[test]
fn a_session_ends_with_its_channel() {
    let server = asking();
    let channel = in_session(&server, "2025-11-25");
    receive(&channel, &plain(1, "tools/call", json!({"name": "ask"})));
    let asked = take(&channel).remove(0);
    assert_eq!(server.sessions().count(), 1);
    channel.abandon();
    assert_eq!((server.sessions().count(), server.calls_in_flight()), (0, 0));
    receive(&channel, &json!({"jsonrpc": "2.0", "id": asked["id"], "result": named("Ann")}));
    receive(&channel, &initialize("2025-11-25", json!({})));
    receive(&channel, &plain(2, "tools/call", json!({"name": "era"})));
    server.resource_updated("x:1", None);
    assert_eq!((take(&channel).len(), channel.open_requests()), (0, 0));
    assert_eq!(server.sessions().count(), 0);
}

#[test]
fn a_client_from_which_nothing_more_is_taken_is_asked_nothing_and_answered_all_the_same() {
    let server = asking();
    let (give, given) = std::sync::mpsc::channel();
    add(&server, "later", json!({"type": "object"}), move |call: &Arc<Call>| {
        give.send(call.clone()).unwrap()
    });
    let channel = in_session(&server, "2025-11-25");
    receive(&channel, &plain(1, "tools/call", json!({"name": "ask"})));
    receive(&channel, &plain(2, "tools/call", json!({"name": "later"})));
    take(&channel);
    channel.conclude();
    let said = take(&channel);
    assert_eq!((said.len(), &said[0]["id"], &said[0]["result"]["isError"]), (1, &json!(1), &json!(true)));
    assert!(text(&said[0]).contains("no question any more"), "{said:?}");
    let call: Arc<Call> = given.recv().unwrap();
    assert!(call.request_input("who", FORM).is_err());
    drop(call);
    let said = take(&channel);
    assert_eq!((said.len(), &said[0]["id"], &said[0]["result"]["isError"]), (1, &json!(2), &json!(true)));
    assert_eq!((channel.open_requests(), server.calls_in_flight()), (0, 0));
    channel.abandon();
}

#[test]
fn roots_may_be_asked_for_as_often_as_they_change() {
    let server = server();
    add(&server, "roots", json!({"type": "object"}), |call: &Arc<Call>| {
        let Ok(roots) = call.request_input("roots", ROOTS) else { return };
        call.finish_text(std::str::from_utf8(&roots).unwrap()).unwrap();
    });
    let channel = in_session(&server, "2024-11-05");
    for root in ["file:///a", "file:///b"] {
        receive(&channel, &json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
        receive(&channel, &plain(1, "tools/call", json!({"name": "roots"})));
        let asked = take(&channel).remove(0);
        let roots = json!({"roots": [{"uri": root}]});
        let done = answer_to(&channel, &json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}));
        assert_eq!(text(&done), roots.to_string());
    }
}
