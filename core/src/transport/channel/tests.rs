//! A channel whose messages are looked at where they wait.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::*;
use crate::call::handler::Dispatch;
use crate::call::invocation::Call;
use crate::server::conversation::{add, add_defined, request, server};
use crate::server::outbox::Outbox;

/// Sends nothing by itself.
pub(super) struct Heap;

#[derive(Default)]
pub(super) struct Waiting {
    messages: Vec<Value>,
    bytes: usize,
}

impl Queue for Waiting {
    fn push(&mut self, message: Message) {
        self.bytes += message.len();
        self.messages.push(serde_json::from_slice(&message.parts().concat()).unwrap());
    }

    fn waiting(&self) -> usize {
        self.bytes
    }
}

impl Sink for Heap {
    type Queue = Waiting;
    fn send_now(&self, _channel: &Arc<Channel<Self>>) {}
    fn send_soon(&self, _channel: &Arc<Channel<Self>>) {}
}

pub(super) fn receive(channel: &Arc<Channel<Heap>>, message: &Value) {
    channel.receive(Bytes::from(message.to_string()), None);
}

pub(super) fn take(channel: &Channel<Heap>) -> Vec<Value> {
    channel.take_outgoing(std::mem::take).messages
}

pub(super) fn cancelled(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

pub(super) fn listen(id: i64) -> Value {
    request(id, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))
}

pub(super) fn call_of(name: &str, id: i64) -> Value {
    request(id, "tools/call", json!({"name": name, "arguments": {}}))
}

pub(super) type Calls = Arc<Mutex<Vec<Arc<Call>>>>;

/// A server whose tool `keep` leaves its calls open, and the calls.
pub(super) fn keeping() -> (Arc<Server>, Calls) {
    let server = server();
    let calls: Calls = Arc::default();
    let kept = calls.clone();
    add(&server, "keep", json!({"type": "object"}), move |call: &Arc<Call>| kept.lock().push(call.clone()));
    (server, calls)
}

#[test]
fn answers_what_it_is_asked_and_passes_over_what_needs_no_answer() {
    let channel = Channel::new(&server(), Heap);
    receive(&channel, &request(1, "server/discover", json!({})));
    receive(&channel, &json!({"jsonrpc": "2.0", "method": "notifications/x"}));
    receive(&channel, &json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    receive(&channel, &json!({"jsonrpc": "2.0", "method": 5}));
    channel.receive(Bytes::from_static(b"{"), None);
    channel.refuse_too_long(7);
    let said = take(&channel);
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!(said[0]["id"], 1);
    assert_eq!(said[1]["error"]["code"], -32700);
    assert!(said[2]["error"]["message"].as_str().unwrap().contains("more than 7 bytes"), "{said:?}");
    assert_eq!(channel.open_requests(), 0);
}

#[test]
fn refuses_an_id_that_is_in_use_and_takes_it_again_after_its_answer() {
    let (server, calls) = keeping();
    let channel = Channel::new(&server, Heap);
    for _ in 0..2 {
        receive(&channel, &call_of("keep", 1));
    }
    assert_eq!(calls.lock().len(), 1, "the second was not run");
    let said = take(&channel);
    assert_eq!((said.len(), &said[0]["error"]["code"]), (1, &json!(-32600)));
    assert!(said[0].get("id").is_none_or(Value::is_null));
    calls.lock()[0].finish_text("one").unwrap();
    receive(&channel, &call_of("keep", 1));
    calls.lock()[1].finish_text("two").unwrap();
    let said = take(&channel);
    assert_eq!(said.iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn says_nothing_more_of_a_request_that_was_cancelled() {
    let (server, calls) = keeping();
    let channel = Channel::new(&server, Heap);
    receive(&channel, &call_of("keep", 1));
    receive(&channel, &cancelled(2));
    receive(&channel, &cancelled(1));
    assert!(calls.lock()[0].is_cancelled());
    assert!(calls.lock()[0].finish_text("late").is_err());
    assert_eq!((channel.open_requests(), take(&channel).len()), (0, 0));
}

#[test]
fn cancels_a_request_that_is_cancelled_while_the_server_takes_it() {
    let server = server();
    let channel = Channel::new(&server, Heap);
    let calls: Calls = Arc::default();
    let (inside, kept) = (channel.clone(), calls.clone());
    add(&server, "keep", json!({"type": "object"}), move |call: &Arc<Call>| {
        kept.lock().push(call.clone());
        receive(&inside, &cancelled(1));
    });
    receive(&channel, &call_of("keep", 1));
    assert!(calls.lock()[0].is_cancelled());
    assert_eq!(channel.open_requests(), 0);
}

#[test]
fn a_late_word_of_an_earlier_request_is_not_taken_for_one_of_the_same_id() {
    let (server, calls) = keeping();
    let channel = Channel::new(&server, Heap);
    let earlier = channel.state.lock().open.begin(&RequestId::Integer(1)).unwrap();
    let reply = reply::Reply { channel: channel.clone(), id: RequestId::Integer(1), ticket: earlier };
    channel.cancel(&RequestId::Integer(1));
    receive(&channel, &call_of("keep", 1));
    let error = crate::protocol::error::ProtocolError::internal("late");
    reply.notify(Message::whole(b"{}".to_vec()), None);
    reply.answer(error.answer(Some(&RequestId::Integer(1))));
    assert_eq!((channel.open_requests(), take(&channel).len()), (1, 0));
    calls.lock()[0].finish_text("mine").unwrap();
    assert_eq!(take(&channel).len(), 1);
}

#[test]
fn a_subscription_ends_with_its_result_and_then_its_cancellation() {
    let channel = Channel::new(&server(), Heap);
    receive(&channel, &listen(1));
    assert_eq!(take(&channel)[0]["method"], "notifications/subscriptions/acknowledged");
    channel.conclude();
    channel.conclude();
    // One that comes when the others have ended ends too.
    receive(&channel, &listen(2));
    let said = take(&channel);
    let methods: Vec<_> = said.iter().map(|message| message["method"].as_str().unwrap_or("answer")).collect();
    let cancelled = "notifications/cancelled";
    let acknowledged = "notifications/subscriptions/acknowledged";
    assert_eq!(methods, ["answer", cancelled, acknowledged, "answer", cancelled]);
    assert_eq!((&said[0]["id"], &said[1]["params"]["requestId"]), (&json!(1), &json!(1)));
    assert_eq!(channel.open_requests(), 0);
}

#[test]
fn drops_notifications_but_no_answers_when_too_much_waits() {
    let server = server();
    let definition = json!({"name": "talk", "inputSchema": {"type": "object"}});
    add_defined(&server, definition, Dispatch::Inline, |call: &Arc<Call>| {
        let large = json!("x".repeat(MAX_UNSENT_BYTES)).to_string();
        for _ in 0..3 {
            call.log(crate::protocol::log_level::LogLevel::Info, None, large.as_bytes()).unwrap();
        }
        call.finish_text("done").unwrap();
    });
    let channel = Channel::new(&server, Heap);
    let mut message = call_of("talk", 1);
    message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("info");
    receive(&channel, &message);
    let said = take(&channel);
    assert_eq!(said.len(), 2);
    assert_eq!(said[1]["result"]["content"][0]["text"], "done");
}

#[test]
fn keeps_one_waiting_change_of_a_subscription() {
    let channel = Channel::new(&server(), Heap);
    let id = RequestId::Integer(1);
    let ticket = channel.state.lock().open.begin(&id).unwrap();
    let reply = reply::Reply { channel: channel.clone(), id: id.clone(), ticket };
    let tell = || reply.notify(notification::changed(&Change::Tools, Some(&id)), Some(Change::Tools));
    tell();
    tell();
    assert_eq!(take(&channel).len(), 1);
    tell();
    assert_eq!(take(&channel).len(), 1);
}

#[test]
fn an_abandoned_channel_cancels_what_runs_and_says_nothing_any_more() {
    let (server, calls) = keeping();
    let channel = Channel::new(&server, Heap);
    receive(&channel, &call_of("keep", 1));
    receive(&channel, &listen(2));
    take(&channel);
    channel.abandon();
    assert!(calls.lock()[0].is_cancelled());
    assert_eq!(server.subscriptions().count(), 0);
    receive(&channel, &request(3, "server/discover", json!({})));
    channel.refuse_too_long(1);
    assert_eq!((channel.open_requests(), take(&channel).len()), (0, 0));
}

#[test]
fn tells_handlers_on_whose_behalf_a_request_comes() {
    let server = server();
    let (tell, told) = std::sync::mpsc::channel();
    add(&server, "who", json!({"type": "object"}), move |call: &Arc<Call>| {
        tell.send(call.context().principal.clone()).unwrap();
        call.finish().unwrap();
    });
    let channel = Channel::new(&server, Heap);
    for principal in [Some("ann"), None] {
        channel.receive(Bytes::from(call_of("who", 1).to_string()), principal.map(Arc::from));
        assert_eq!(told.recv_timeout(Duration::from_secs(20)).unwrap().as_deref(), principal);
    }
}
