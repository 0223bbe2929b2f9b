//! Batches, which clients of revision 2025-03-26 may send.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;

use serde_json::{Value, json};

use super::session_tests::{in_session, plain};
use super::tests::{Heap, cancelled, keeping, receive, take};
use super::*;
use crate::call::invocation::Call;
use crate::protocol::batch::MAX_MESSAGES;
use crate::server::conversation::{ROOTS, add, request, server};

const WITH_BATCHES: &str = "2025-03-26";

fn ping(id: i64) -> Value {
    plain(id, "ping", json!({}))
}

fn keep(id: i64) -> Value {
    plain(id, "tools/call", json!({"name": "keep"}))
}

/// The ids of what was said as one batch.
fn ids_of_one_batch(channel: &Channel<Heap>) -> Vec<Value> {
    let said = take(channel);
    assert_eq!(said.len(), 1, "{said:?}");
    let mut ids: Vec<_> = said[0].as_array().unwrap().iter().map(|answer| answer["id"].clone()).collect();
    ids.sort_by_key(|id| id.as_i64());
    ids
}

#[test]
fn a_batch_is_answered_with_one() {
    let (server, calls) = keeping();
    let channel = in_session(&server, WITH_BATCHES);
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/x"});
    receive(&channel, &json!([ping(1), keep(2), notification, request(3, "tools/list", json!({}))]));
    assert!(take(&channel).is_empty(), "the second has no answer yet");
    receive(&channel, &ping(4));
    assert_eq!(take(&channel)[0]["id"], 4, "others need not wait for it");
    calls.lock()[0].finish_text("kept").unwrap();
    assert_eq!(ids_of_one_batch(&channel), [1, 2, 3]);
    receive(&channel, &json!([ping(5)]));
    assert_eq!(ids_of_one_batch(&channel), [5]);
    assert_eq!(channel.open_requests(), 0);
}

#[test]
fn what_is_said_before_an_answer_does_not_wait_for_the_batch() {
    let (server, calls) = keeping();
    let channel = in_session(&server, WITH_BATCHES);
    let mut call = keep(1);
    call["params"]["_meta"] = json!({"progressToken": "t"});
    receive(&channel, &json!([call]));
    calls.lock()[0].progress(1.0, None, None).unwrap();
    assert_eq!(take(&channel)[0]["method"], "notifications/progress");
}

#[test]
fn a_cancelled_member_holds_nobody_up() {
    let (server, calls) = keeping();
    let channel = in_session(&server, WITH_BATCHES);
    receive(&channel, &json!([ping(1), keep(2)]));
    assert!(take(&channel).is_empty());
    receive(&channel, &cancelled(2));
    assert_eq!(ids_of_one_batch(&channel), [1], "though the handler of the other is still at work");
    assert!(calls.lock()[0].is_cancelled());
    // In one batch with its cancellation.
    receive(&channel, &json!([keep(3), ping(4), cancelled(3)]));
    assert_eq!(ids_of_one_batch(&channel), [4]);
    // Nothing is left to say where all are cancelled.
    receive(&channel, &json!([keep(5), keep(6)]));
    receive(&channel, &json!([cancelled(5), cancelled(6)]));
    assert!(take(&channel).is_empty());
    // The id of a cancelled member may be used again, and its late end is nobody's answer.
    receive(&channel, &json!([keep(2), ping(7)]));
    calls.lock().remove(0);
    assert!(take(&channel).is_empty());
    calls.lock().last().unwrap().finish_text("kept").unwrap();
    assert_eq!(ids_of_one_batch(&channel), [2, 7]);
}

#[test]
fn a_batch_without_requests_is_answered_by_nothing() {
    let channel = in_session(&server(), WITH_BATCHES);
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/x"});
    let response = json!({"jsonrpc": "2.0", "id": 9, "result": {}});
    receive(&channel, &json!([notification, notification, response]));
    assert!(take(&channel).is_empty());
}

#[test]
fn a_bad_member_is_answered_if_it_has_an_id() {
    let channel = in_session(&server(), WITH_BATCHES);
    let bad = json!({"jsonrpc": "1.0", "id": 2, "method": "ping"});
    let bad_notification = json!({"jsonrpc": "1.0", "method": "ping"});
    receive(&channel, &json!([ping(1), 5, "text", bad, bad_notification, [ping(3)], {}]));
    assert_eq!(ids_of_one_batch(&channel), [1, 2]);
    receive(&channel, &json!([5]));
    assert!(take(&channel).is_empty());
}

#[test]
fn an_id_that_is_in_use_leaves_its_member_without_an_answer() {
    let (server, calls) = keeping();
    let channel = in_session(&server, WITH_BATCHES);
    receive(&channel, &json!([keep(1), keep(1), ping(2)]));
    assert_eq!(calls.lock().len(), 1);
    calls.lock()[0].finish_text("kept").unwrap();
    assert_eq!(ids_of_one_batch(&channel), [1, 2]);
}

#[test]
fn answers_of_the_clients_may_come_in_a_batch() {
    let server = server();
    add(&server, "ask", json!({"type": "object"}), |call: &Arc<Call>| {
        let (one, two) = (call.request_input("one", ROOTS), call.request_input("two", ROOTS));
        if one.is_ok() && two.is_ok() {
            call.finish_text("both").unwrap();
        }
    });
    let channel = in_session(&server, WITH_BATCHES);
    receive(&channel, &json!([plain(1, "tools/call", json!({"name": "ask"})), ping(2)]));
    let asked = take(&channel);
    assert_eq!(asked.len(), 2, "{asked:?}");
    let answers: Vec<_> = asked
        .iter()
        .map(|asked| json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}}))
        .collect();
    receive(&channel, &json!(answers));
    assert_eq!(ids_of_one_batch(&channel), [1, 2]);
}

#[test]
fn other_revisions_have_no_batches() {
    for (revision, told) in [("2024-11-05", 0), ("2025-06-18", 0), ("2025-11-25", 1)] {
        let channel = in_session(&server(), revision);
        receive(&channel, &json!([ping(1)]));
        let said = take(&channel);
        assert_eq!(said.len(), told, "{revision}");
        assert!(said.iter().all(|error| error["error"]["code"] == -32600));
    }
    let channel = Channel::new(&server(), Heap);
    receive(&channel, &json!([ping(1)]));
    assert_eq!(take(&channel)[0]["error"]["code"], -32600);
}

#[test]
fn a_batch_holds_so_many_messages() {
    let channel = in_session(&server(), WITH_BATCHES);
    let batch = |count: usize| Value::Array((0..count).map(|id| ping(id as i64)).collect());
    receive(&channel, &batch(MAX_MESSAGES));
    assert_eq!(ids_of_one_batch(&channel).len(), MAX_MESSAGES);
    for refused in [batch(MAX_MESSAGES + 1), batch(0)] {
        receive(&channel, &refused);
        assert!(take(&channel).is_empty());
    }
    assert_eq!(channel.open_requests(), 0);
}
