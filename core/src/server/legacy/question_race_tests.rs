//! Answers that come while something else happens: while the question is being sent, is withdrawn, or runs out of time.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::conversation::Client;
use super::session::Session;
use crate::call::invocation::Call;
use crate::protocol::frame::{DEFAULT_MAX_DEPTH, Frame};
use crate::protocol::message::{Answer, Message};
use crate::protocol::notification::Change;
use crate::protocol::revision::Revision;
use crate::runtime::lock::Mutex;
use crate::server::conversation::{ROOTS, Recorder, add, add_to_pool, eventually, incoming, server, text};
use crate::server::engine::{Incoming, Server};
use crate::server::outbox::Outbox;

const NEWEST: Revision = Revision::V2025_11_25;

/// A client that answers a question before the server has finished asking it.
struct Eager {
    session: Mutex<Option<Arc<Session>>>,
    inner: Arc<Recorder>,
}

impl Outbox for Eager {
    fn notify(&self, message: Message, change: Option<Change>) {
        Outbox::notify(&*self.inner, message, change);
    }

    fn send(&self, message: Message) -> bool {
        let asked: Value = serde_json::from_slice(&message.parts().concat()).unwrap();
        let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}}).to_string();
        let Ok(Frame::Response(answer)) = Frame::scan(answer.into(), DEFAULT_MAX_DEPTH) else { panic!() };
        let session = self.session.lock().clone().unwrap();
        session.response(answer);
        true
    }

    fn close_stream(&self, _retry: Option<Duration>) {}

    fn answer(&self, answer: Answer) {
        Outbox::answer(&*self.inner, answer);
    }
}

/// How many answers a request has.
fn answers(recorder: &Recorder) -> usize {
    recorder.so_far().iter().filter(|message| message.get("method").is_none()).count()
}

#[test]
fn an_answer_may_come_while_the_question_is_being_sent() {
    let server = server();
    add(&server, "ask", json!({"type": "object"}), |call: &Arc<Call>| {
        let answers = ["one", "two", "three"].map(|key| call.request_input(key, ROOTS));
        if answers.iter().all(Result::is_ok) {
            call.finish_text("all").unwrap();
        }
    });
    let client = Client::begin(&server, NEWEST);
    let inner = Arc::new(Recorder::default());
    let eager = Arc::new(Eager { session: Mutex::new(Some(client.session.clone())), inner: inner.clone() });
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask"}});
    let request = incoming(&request.to_string(), inner.clone(), None);
    client.session.handle(Incoming { outbox: eager, ..request });
    assert_eq!(text(&Recorder::answer(&inner)), "all");
    assert_eq!((client.push.so_far().len(), server.calls_in_flight()), (0, 0));
}

/// A server of the pool whose tool `ask` asks once and says how often it was answered.
fn asking_on_the_pool() -> Arc<Server> {
    let server = server();
    add_to_pool(&server, "ask", |call: &Arc<Call>| {
        let Ok(_) = call.request_input("where", ROOTS) else { return };
        call.finish_text("done").unwrap();
    });
    server
}

#[test]
fn an_answer_and_a_cancellation_may_come_at_once() {
    let server = asking_on_the_pool();
    let client = Client::begin(&server, NEWEST);
    let mut answered = 0;
    for _ in 0..200 {
        let (recorder, in_flight) = client.begin_call("ask");
        let asked = recorder.requests(1)[0].clone();
        let in_flight = in_flight.unwrap();
        thread::scope(|scope| {
            scope.spawn(|| client.answer(&asked, json!({"roots": []})));
            scope.spawn(|| in_flight.cancel());
        });
        drop(in_flight);
        eventually("every place is given back", || server.calls_in_flight() == 0);
        answered += answers(&recorder);
    }
    assert!(answered <= 200);
    assert_eq!(text(&answer_all(&client, &client.begin_call("ask").0)), "done");
}

#[test]
fn an_answer_and_the_end_of_its_time_may_come_at_once() {
    let server = asking_on_the_pool();
    server.configure(|settings| settings.set("answer_timeout_ms", "1")).unwrap();
    let client = Client::begin(&server, NEWEST);
    for pause in 0..200 {
        let (recorder, _in_flight) = client.begin_call("ask");
        let asked = recorder.requests(1)[0].clone();
        thread::sleep(Duration::from_micros(pause * 15));
        client.answer(&asked, json!({"roots": []}));
        let answer = recorder.answer();
        assert!(["done", "The client did not answer within 1 ms."].contains(&text(&answer)), "{answer}");
        assert_eq!(answers(&recorder), 1);
    }
    eventually("every place is given back", || server.calls_in_flight() == 0);
}

#[test]
fn an_answer_and_the_end_of_the_session_may_come_at_once() {
    let server = asking_on_the_pool();
    for _ in 0..100 {
        let client = Client::begin(&server, NEWEST);
        let (recorder, _in_flight) = client.begin_call("ask");
        let asked = recorder.requests(1)[0].clone();
        thread::scope(|scope| {
            scope.spawn(|| client.answer(&asked, json!({"roots": []})));
            scope.spawn(|| client.session.end());
        });
        let session = Arc::downgrade(&client.session);
        drop((client, recorder, _in_flight));
        eventually("the session is freed", || session.strong_count() == 0);
    }
    eventually("every place is given back", || server.calls_in_flight() == 0);
    assert_eq!(server.sessions().count(), 0);
}

#[test]
fn many_clients_are_asked_at_once() {
    let server = asking_on_the_pool();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let client = Client::begin(&server, NEWEST);
                let calls: Vec<_> = (0..50).map(|_| client.begin_call("ask").0).collect();
                for call in &calls {
                    assert_eq!(text(&answer_all(&client, call)), "done");
                }
            });
        }
    });
    assert_eq!(server.calls_in_flight(), 0);
}

#[test]
fn whether_a_call_is_unanswered_may_be_asked_when_its_last_reference_goes() {
    let server = server();
    let (give, given): (_, Receiver<Arc<Call>>) = channel();
    add(&server, "keep", json!({"type": "object"}), move |call: &Arc<Call>| give.send(call.clone()).unwrap());
    let client = Client::begin(&server, NEWEST);
    for _ in 0..500 {
        let (recorder, in_flight) = client.begin_call("keep");
        let call = given.recv().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| drop(call));
            scope.spawn(|| in_flight.unwrap().unanswered());
        });
        assert_eq!(recorder.answer()["error"]["code"], -32603);
    }
}

fn answer_all(client: &Client, recorder: &Recorder) -> Value {
    for asked in recorder.requests(1) {
        client.answer(&asked, json!({"roots": []}));
    }
    recorder.answer()
}
