//! Both sides of the host's own transport, in one process.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::call::handler::Dispatch;
use crate::call::invocation::Call;
use crate::protocol::log_level::LogLevel;
use crate::server::conversation::{add, add_defined, request, server};

const PATIENCE: Duration = Duration::from_secs(20);

fn read(message: &Message) -> Value {
    serde_json::from_slice(&message.parts().concat()).unwrap()
}

/// A channel, and what is sent by it.
fn open(server: &Arc<Server>) -> (Arc<HostChannel>, Receiver<Value>) {
    let (tell, told) = mpsc::channel();
    let send = Box::new(move |message: &Message| drop(tell.send(read(message))));
    (Arc::new(HostChannel::open(server, send).unwrap()), told)
}

/// A channel whose host does `what` with each message that it sends. The channel is known to it a moment later.
fn open_to(
    server: &Arc<Server>,
    mut what: impl FnMut(&HostChannel, Value) + Send + 'static,
) -> Arc<HostChannel> {
    let known: Arc<OnceLock<Weak<HostChannel>>> = Arc::default();
    let own = known.clone();
    let send = Box::new(move |message: &Message| {
        let channel = own.get().and_then(Weak::upgrade).unwrap();
        what(&channel, read(message));
    });
    let channel = Arc::new(HostChannel::open(server, send).unwrap());
    known.set(Arc::downgrade(&channel)).unwrap();
    channel
}

fn receive(channel: &HostChannel, message: &Value) {
    channel.receive(message.to_string().as_bytes()).unwrap();
}

fn call_of(name: &str, id: usize) -> Value {
    let mut message = request(id, "tools/call", json!({"name": name, "arguments": {}}));
    message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
    message
}

fn listen(id: usize) -> Value {
    request(id, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))
}

fn cancelled(id: usize) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

fn plain() -> Value {
    json!({"type": "object"})
}

/// A server with a tool `keep` whose calls come to the receiver.
fn keeping() -> (Arc<Server>, Receiver<Arc<Call>>) {
    let server = server();
    let (tell, told) = mpsc::channel();
    add(&server, "keep", plain(), move |call: &Arc<Call>| tell.send(call.clone()).unwrap());
    (server, told)
}

#[test]
fn what_an_inline_handler_says_is_sent_before_the_message_is_taken() {
    let server = server();
    add(&server, "talk", plain(), |call: &Arc<Call>| {
        call.log(LogLevel::Info, None, b"1").unwrap();
        call.log(LogLevel::Info, None, b"2").unwrap();
        call.finish_text("done").unwrap();
    });
    let (channel, sent) = open(&server);
    receive(&channel, &call_of("talk", 1));
    assert_eq!(sent.try_recv().unwrap()["params"]["data"], 1);
    assert_eq!(sent.try_recv().unwrap()["params"]["data"], 2);
    assert_eq!(sent.try_recv().unwrap()["result"]["content"][0]["text"], "done");
    receive(&channel, &listen(2));
    assert_eq!(sent.try_recv().unwrap()["method"], "notifications/subscriptions/acknowledged");
    channel.receive(b" \n").unwrap();
    channel.receive(b"{").unwrap();
    assert_eq!(sent.try_recv().unwrap()["error"]["code"], -32700);
    assert!(sent.try_recv().is_err());
}

#[test]
fn refuses_a_message_that_is_too_long_to_its_sender() {
    let server = server();
    server.configure(|settings| settings.set("max_message_bytes", "1024")).unwrap();
    let (channel, sent) = open(&server);
    channel.receive(&[b' '; 1025]).unwrap();
    let text = sent.try_recv().unwrap().to_string();
    assert!(text.contains("max_message_bytes"), "{text}");
}

#[test]
fn sends_one_message_at_a_time_and_each_call_in_order_whoever_answers() {
    const THREADS: usize = 4;
    const CALLS: usize = 200;
    let server = server();
    let definition = json!({"name": "talk", "inputSchema": {"type": "object"}});
    add_defined(&server, definition, Dispatch::Pool, |call: &Arc<Call>| {
        call.log(LogLevel::Info, None, b"0").unwrap();
        call.finish_text("done").unwrap();
    });
    let (tell, told) = mpsc::channel();
    let busy = AtomicBool::new(false);
    let send = Box::new(move |message: &Message| {
        assert!(!busy.swap(true, Ordering::SeqCst), "two at a time");
        thread::yield_now();
        tell.send(read(message)).unwrap();
        busy.store(false, Ordering::SeqCst);
    });
    let channel = HostChannel::open(&server, send).unwrap();
    thread::scope(|scope| {
        for number in 0..THREADS {
            let channel = &channel;
            scope.spawn(move || {
                (0..CALLS).for_each(|call| receive(channel, &call_of("talk", number * CALLS + call)));
            });
        }
    });
    let (mut logs, mut answers) = (0, vec![false; THREADS * CALLS]);
    for _ in 0..2 * THREADS * CALLS {
        let message = told.recv_timeout(PATIENCE).unwrap();
        match message["id"].as_u64() {
            Some(id) => {
                assert!(!std::mem::replace(&mut answers[id as usize], true));
                assert!(logs > answers.iter().filter(|there| **there).count() - 1, "an answer came first");
            }
            None => logs += 1,
        }
    }
    channel.close().unwrap();
}

#[test]
fn the_next_message_may_be_handed_in_while_one_is_sent_without_end() {
    const CHAIN: usize = 20_000;
    let last = Arc::new(AtomicUsize::new(0));
    let seen = last.clone();
    let channel = open_to(&server(), move |channel, message| {
        let id = message["id"].as_u64().unwrap() as usize;
        seen.store(id, Ordering::SeqCst);
        if id < CHAIN {
            receive(channel, &request(id + 1, "server/discover", json!({})));
        }
    });
    receive(&channel, &request(1, "server/discover", json!({})));
    assert_eq!(last.load(Ordering::SeqCst), CHAIN);
}

#[test]
fn two_channels_may_be_joined_by_their_functions() {
    let (first, second) = (server(), server());
    let other: Arc<OnceLock<Weak<HostChannel>>> = Arc::default();
    let (to_second, seen) = (other.clone(), Arc::new(AtomicUsize::new(0)));
    let count = seen.clone();
    let first = open_to(&first, move |_, message| {
        count.fetch_add(1, Ordering::SeqCst);
        let second = to_second.get().and_then(Weak::upgrade).unwrap();
        receive(&second, &message);
        receive(&second, &request(2, "server/discover", json!({})));
    });
    let to_first = Arc::downgrade(&first);
    let second = open_to(&second, move |_, message| receive(&to_first.upgrade().unwrap(), &message));
    other.set(Arc::downgrade(&second)).unwrap();
    // The first answers, the second passes that over and answers what it is asked, which the first passes over.
    receive(&first, &request(1, "server/discover", json!({})));
    assert_eq!(seen.load(Ordering::SeqCst), 1);
}

#[test]
fn a_call_may_be_cancelled_while_its_own_progress_is_sent() {
    for dispatch in [Dispatch::Inline, Dispatch::Pool] {
        let server = server();
        let (tell, told) = mpsc::channel();
        let (cancel, was_cancelled) = mpsc::channel();
        let was_cancelled = Mutex::new(was_cancelled);
        let definition = json!({"name": "talk", "inputSchema": {"type": "object"}});
        add_defined(&server, definition, dispatch, move |call: &Arc<Call>| {
            let cancel = cancel.clone();
            call.on_cancel(Box::new(move || cancel.send(()).unwrap()));
            call.log(LogLevel::Info, None, b"0").unwrap();
            if dispatch == Dispatch::Pool {
                was_cancelled.lock().recv_timeout(PATIENCE).unwrap();
                assert!(call.finish_text("late").is_err());
            }
            tell.send(call.clone()).unwrap();
        });
        let channel = open_to(&server, |channel, _| receive(channel, &cancelled(1)));
        receive(&channel, &call_of("talk", 1));
        let call = told.recv_timeout(PATIENCE).unwrap();
        assert!(call.is_cancelled());
        channel.close().unwrap();
    }
}

#[test]
fn closing_ends_subscriptions_and_cancels_calls_and_drops_the_function() {
    let (server, calls) = keeping();
    let (channel, sent) = open(&server);
    receive(&channel, &listen(1));
    receive(&channel, &call_of("keep", 2));
    let call = calls.try_recv().unwrap();
    sent.try_recv().unwrap();
    channel.close().unwrap();
    assert!(call.is_cancelled());
    assert_eq!(sent.try_recv().unwrap()["id"], 1);
    assert_eq!(sent.try_recv().unwrap()["method"], "notifications/cancelled");
    assert_eq!(sent.try_recv(), Err(mpsc::TryRecvError::Disconnected), "its function is dropped");
    assert!(matches!(channel.receive(b"{}"), Err(HostError::ShutDown)));
    assert!(server.services().wait(Some(Duration::ZERO)));
    channel.close().unwrap();
}

#[test]
fn closing_waits_for_a_message_that_is_being_sent_and_is_refused_while_sending() {
    let server = server();
    let (tell, told) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let out = Arc::new(AtomicBool::new(false));
    let done = out.clone();
    let channel = open_to(&server, move |channel, _| {
        tell.send(matches!(channel.close(), Err(HostError::Deadlock(_)))).unwrap();
        released.recv_timeout(PATIENCE).unwrap();
        done.store(true, Ordering::SeqCst);
    });
    let sending = channel.clone();
    let sender = thread::spawn(move || receive(&sending, &request(1, "server/discover", json!({}))));
    assert!(told.recv_timeout(PATIENCE).unwrap(), "closing is refused while sending");
    let closing = channel.clone();
    let closer = thread::spawn(move || {
        closing.close().unwrap();
        out.load(Ordering::SeqCst)
    });
    // It has begun to close when it takes nothing any more.
    while channel.receive(b"").is_ok() {
        thread::yield_now();
    }
    assert!(!closer.is_finished());
    release.send(()).unwrap();
    assert!(closer.join().unwrap(), "the message was out");
    sender.join().unwrap();
}

#[test]
fn a_shutdown_gives_calls_their_time_and_then_cancels_them() {
    for (drain, answered) in [(Duration::from_secs(60), true), (Duration::from_millis(20), false)] {
        let (server, calls) = keeping();
        let (channel, sent) = open(&server);
        receive(&channel, &call_of("keep", 1));
        let call = calls.try_recv().unwrap();
        server.services().shut_down(drain);
        assert!(matches!(channel.receive(b"{}"), Err(HostError::ShutDown)));
        if answered {
            assert!(!server.services().wait(Some(Duration::ZERO)));
            call.finish_text("in time").unwrap();
            assert_eq!(sent.try_recv().unwrap()["id"], 1);
        }
        assert!(server.services().wait(Some(PATIENCE)), "the channel has ended");
        assert_eq!(call.is_cancelled(), !answered);
        assert!(sent.try_recv().is_err());
        server.close().unwrap();
        channel.close().unwrap();
    }
}

#[test]
fn a_server_that_was_shut_down_opens_none() {
    let server = server();
    server.services().shut_down(Duration::ZERO);
    let opened = HostChannel::open(&server, Box::new(|_: &Message| ()));
    assert!(matches!(opened.map(drop), Err(HostError::ShutDown)));
}

#[test]
fn a_channel_that_is_dropped_ends() {
    let (server, calls) = keeping();
    let (channel, sent) = open(&server);
    receive(&channel, &call_of("keep", 1));
    let call = calls.try_recv().unwrap();
    drop(channel);
    assert!(call.is_cancelled());
    assert_eq!(sent.try_recv(), Err(mpsc::TryRecvError::Disconnected));
    assert!(server.services().wait(Some(Duration::ZERO)));
}

#[test]
fn says_on_whose_behalf_each_message_comes() {
    let (server, calls) = keeping();
    let (channel, _sent) = open(&server);
    for (id, principal) in [Some("ann"), Some("bob"), None].into_iter().enumerate() {
        channel.set_principal(principal);
        receive(&channel, &call_of("keep", id));
        assert_eq!(calls.try_recv().unwrap().context().principal.as_deref(), principal);
    }
}

fn initialize(version: &str) -> Value {
    let params = json!({"protocolVersion": version, "capabilities": {"elicitation": {}}, "clientInfo": {"name": "c", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

#[test]
fn a_client_of_the_legacy_era_may_go_on_while_its_initialize_is_answered() {
    let server = server();
    let (tell, told) = mpsc::channel();
    let channel = open_to(&server, move |channel, message| {
        if message["id"] == 1 {
            receive(channel, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
            receive(channel, &json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
        }
        tell.send(message).unwrap();
    });
    receive(&channel, &initialize("2025-11-25"));
    assert_eq!(told.try_recv().unwrap()["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(told.try_recv().unwrap(), json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
    add(&server, "new", plain(), |_: &_| {});
    assert_eq!(told.recv_timeout(PATIENCE).unwrap()["method"], "notifications/tools/list_changed");
    channel.close().unwrap();
    assert_eq!(server.sessions().count(), 0);
}

#[test]
fn answers_a_batch_as_one_whoever_answers_last() {
    for dispatch in [Dispatch::Inline, Dispatch::Pool] {
        let server = server();
        let definition = json!({"name": "talk", "inputSchema": {"type": "object"}});
        add_defined(&server, definition, dispatch, |call: &Arc<Call>| call.finish_text("done").unwrap());
        let (channel, sent) = open(&server);
        receive(&channel, &initialize("2025-03-26"));
        sent.try_recv().unwrap();
        let call =
            |id| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "talk"}});
        receive(&channel, &json!([call(2), {"jsonrpc": "2.0", "method": "notifications/x"}, call(3)]));
        let answers = sent.recv_timeout(PATIENCE).unwrap();
        let mut ids: Vec<_> =
            answers.as_array().unwrap().iter().map(|answer| answer["id"].as_u64()).collect();
        ids.sort_unstable();
        assert_eq!(ids, [Some(2), Some(3)]);
        channel.close().unwrap();
    }
}

#[test]
fn a_client_of_the_legacy_era_may_answer_a_question_while_it_is_sent() {
    let question = json!({"method": "elicitation/create", "params": {"message": "Who?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}});
    for dispatch in [Dispatch::Inline, Dispatch::Pool] {
        let server = server();
        let asked = question.to_string();
        let definition = json!({"name": "greet", "inputSchema": {"type": "object"}});
        add_defined(&server, definition, dispatch, move |call: &Arc<Call>| {
            if let Ok(answer) = call.request_input("who", asked.as_bytes()) {
                call.finish_text(std::str::from_utf8(&answer).unwrap()).unwrap();
            }
        });
        let (tell, told) = mpsc::channel();
        let channel = open_to(&server, move |channel, message| {
            if message["method"] == "elicitation/create" {
                let result = json!({"action": "accept", "content": {"name": "Ann"}});
                receive(channel, &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
            }
            tell.send(message).unwrap();
        });
        receive(&channel, &initialize("2025-11-25"));
        told.try_recv().unwrap();
        let params = json!({"name": "greet", "arguments": {}});
        receive(&channel, &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
        let asked = told.recv_timeout(PATIENCE).unwrap();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let answer = told.recv_timeout(PATIENCE).unwrap();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("Ann"), "{answer}");
        channel.close().unwrap();
    }
}
