//! What is freed when a channel is abandoned and let go: the channel and everything behind it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::{Arc, Weak};

use serde_json::json;

use super::session_tests::{in_session, plain};
use super::tests::{Heap, call_of, keeping, listen, receive, take};
use super::*;
use crate::call::invocation::Call;
use crate::server::conversation::{FORM, add, eventually};

/// A server that keeps calls and asks, and a handler by whose count it is known whether the server is freed.
fn furnished() -> (Arc<Server>, super::tests::Calls, Weak<()>) {
    let (server, calls) = keeping();
    let token = Arc::new(());
    let watched = Arc::downgrade(&token);
    add(&server, "ask", json!({"type": "object"}), move |call: &Arc<Call>| {
        let _token = &token;
        let Ok(_) = call.request_input("who", FORM) else { return };
        call.finish_text("done").unwrap();
    });
    (server, calls, watched)
}

fn assert_freed(
    channel: Arc<Channel<Heap>>,
    server: Arc<Server>,
    calls: super::tests::Calls,
    watched: &Weak<()>,
) {
    let (weak_channel, weak_server) = (Arc::downgrade(&channel), Arc::downgrade(&server));
    let session = channel.session().map(|session| Arc::downgrade(&session));
    channel.abandon();
    calls.lock().clear();
    // A timer that was cancelled lets go of what it has when its thread comes to it.
    eventually("the session is freed", || session.as_ref().is_none_or(|session| session.strong_count() == 0));
    drop(channel);
    eventually("the channel is freed", || weak_channel.strong_count() == 0);
    assert_eq!(server.calls_in_flight(), 0);
    drop((server, calls));
    eventually("the server is freed", || weak_server.strong_count() == 0);
    assert!(watched.upgrade().is_none(), "the handler is not freed");
}

#[test]
fn a_client_of_the_modern_era_leaves_nothing_behind() {
    let (server, calls, watched) = furnished();
    let channel = Channel::new(&server, Heap);
    receive(&channel, &call_of("keep", 1));
    receive(&channel, &listen(2));
    receive(&channel, &call_of("ask", 3));
    assert_eq!((calls.lock().len(), channel.open_requests()), (1, 2));
    assert_freed(channel, server, calls, &watched);
}

#[test]
fn a_client_in_session_leaves_nothing_behind() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let (server, calls, watched) = furnished();
        let channel = in_session(&server, revision);
        receive(&channel, &plain(1, "tools/call", json!({"name": "keep"})));
        receive(&channel, &plain(2, "tools/call", json!({"name": "ask"})));
        receive(&channel, &listen(3));
        if revision == "2025-03-26" {
            receive(
                &channel,
                &json!([plain(4, "tools/call", json!({"name": "keep"})), plain(5, "ping", json!({}))]),
            );
        }
        assert_freed(channel, server, calls, &watched);
    }
}

#[test]
fn a_client_that_was_answered_leaves_nothing_behind() {
    let (server, calls, watched) = furnished();
    let channel = in_session(&server, "2025-11-25");
    receive(&channel, &plain(1, "tools/call", json!({"name": "ask"})));
    let asked = take(&channel).remove(0);
    let answer = json!({"action": "accept", "content": {"name": "Ann"}});
    receive(&channel, &json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer}));
    receive(&channel, &plain(2, "tools/call", json!({"name": "keep"})));
    let call = calls.lock().remove(0);
    call.finish_text("kept").unwrap();
    let weak = Arc::downgrade(&call);
    drop(call);
    assert!(weak.upgrade().is_none());
    assert_eq!((take(&channel).len(), channel.open_requests()), (2, 0));
    assert_freed(channel, server, calls, &watched);
}
