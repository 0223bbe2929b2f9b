//! Rounds that a client sends again, as it may when an answer was lost.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use serde_json::{Value, json};

use crate::call::invocation::Call;
use crate::runtime::lock::Mutex;
use crate::server::committed_rounds::MAX_WAITING;
use crate::server::conversation::{
    Asking, FORM, PATIENCE, add, add_to_pool, eventually, named, server, text,
};
use crate::server::engine::Server;
use crate::server::in_flight::InFlight;

/// A server whose tool `pay` asks once, and leaves the calls that are answered to the test.
struct Shop {
    server: Arc<Server>,
    paying: Receiver<Arc<Call>>,
}

impl Shop {
    fn open() -> Self {
        let server = server();
        let (pay, paying) = channel();
        add(&server, "pay", json!({"type": "object"}), move |call: &Arc<Call>| {
            if call.request_input("who", FORM).is_ok() {
                pay.send(call.clone()).unwrap();
            }
        });
        Shop { server, paying }
    }

    fn asking(&self) -> Asking<'_> {
        Asking::tool(&self.server, "pay")
    }

    /// The call of the round that runs.
    fn call(&self) -> Arc<Call> {
        self.paying.recv_timeout(PATIENCE).unwrap()
    }

    fn nobody_pays(&self) {
        assert!(self.paying.try_recv().is_err(), "the handler ran again");
    }
}

fn answers() -> Value {
    json!({"who": named("Ann")})
}

#[test]
fn a_repeated_round_gets_the_answer_of_the_first() {
    let server = server();
    let paid = Arc::new(AtomicUsize::new(0));
    let count = paid.clone();
    add(&server, "pay", json!({"type": "object"}), move |call: &Arc<Call>| {
        let Ok(_) = call.request_input("who", FORM) else { return };
        let paid = count.fetch_add(1, Ordering::SeqCst);
        let Ok(_) = call.request_input("again", FORM) else { return };
        call.finish_text(&format!("paid {paid}")).unwrap();
    });
    let asking = Asking::tool(&server, "pay");
    let state = asking.begin()["requestState"].clone();
    let asked = asking.round(&state, &answers())["result"].clone();
    assert_eq!(asking.round(&state, &answers())["result"], asked, "the questions and the state too");
    let last = json!({"again": named("Bob")});
    let done = asking.again(&asked, last.clone());
    assert_eq!(asking.again(&asked, last), done);
    assert_eq!(paid.load(Ordering::SeqCst), 2, "once for each round");
    assert_eq!(server.calls_in_flight(), 0);
    // Other answers make another round.
    asking.round(&state, &json!({"who": named("Cy")}));
    assert_eq!(paid.load(Ordering::SeqCst), 3);
}

#[test]
fn an_error_is_repeated_too() {
    let shop = Shop::open();
    let state = shop.asking().begin()["requestState"].clone();
    let (first, _) = shop.asking().send(&state, &answers());
    drop(shop.call());
    assert_eq!(first.answer()["error"]["code"], -32603);
    assert_eq!(shop.asking().round(&state, &answers())["error"], first.answer()["error"]);
    shop.nobody_pays();
}

#[test]
fn repetitions_of_a_round_in_flight_wait_for_its_answer() {
    let shop = Shop::open();
    let state = shop.asking().begin()["requestState"].clone();
    let (first, _first) = shop.asking().send(&state, &answers());
    let call = shop.call();
    let repeated: Vec<_> = (0..3).map(|_| shop.asking().send(&state, &answers())).collect();
    shop.nobody_pays();
    assert!(repeated.iter().all(|(recorder, in_flight)| recorder.so_far().is_empty() && in_flight.is_some()));
    let waiting = repeated[0].1.as_ref().unwrap();
    assert_eq!(waiting.unanswered().as_deref(), Some("tool \"pay\""));
    assert_eq!(shop.server.calls_in_flight(), 4);
    call.finish_text("paid").unwrap();
    for (recorder, _) in &repeated {
        assert_eq!(recorder.answer(), first.answer());
    }
    assert_eq!(waiting.unanswered(), None);
    assert_eq!(shop.server.calls_in_flight(), 0);
    shop.nobody_pays();
}

#[test]
fn a_repetition_runs_when_the_first_was_cancelled_and_its_handler_has_returned() {
    let shop = Shop::open();
    let state = shop.asking().begin()["requestState"].clone();
    let (first, in_flight) = shop.asking().send(&state, &answers());
    let call = shop.call();
    let (second, second_in_flight) = shop.asking().send(&state, &answers());
    let (third, _third) = shop.asking().send(&state, &answers());
    in_flight.unwrap().cancel();
    shop.nobody_pays();
    drop(call);
    let call = shop.call();
    shop.nobody_pays();
    assert_eq!(second_in_flight.unwrap().unanswered().as_deref(), Some("tool \"pay\""));
    call.finish_text("paid").unwrap();
    assert_eq!((text(&second.answer()), text(&third.answer())), ("paid", "paid"));
    assert!(first.so_far().is_empty());
    drop(call);
    assert_eq!(shop.server.calls_in_flight(), 0);
}

#[test]
fn a_repetition_that_is_cancelled_neither_runs_nor_answers() {
    let shop = Shop::open();
    let state = shop.asking().begin()["requestState"].clone();
    let (_first, first) = shop.asking().send(&state, &answers());
    let call = shop.call();
    let (waiting, waiting_in_flight) = shop.asking().send(&state, &answers());
    waiting_in_flight.as_ref().unwrap().cancel();
    assert_eq!(shop.server.calls_in_flight(), 1, "it gives its place back");
    assert_eq!(waiting_in_flight.unwrap().unanswered(), None);
    let (running, running_in_flight) = shop.asking().send(&state, &answers());
    first.unwrap().cancel();
    drop(call);
    let call = shop.call();
    running_in_flight.unwrap().cancel();
    assert!(call.is_cancelled(), "the one that runs in place of the first is cancelled as any call");
    assert!(call.finish_text("late").is_err());
    drop(call);
    assert!(waiting.so_far().is_empty() && running.so_far().is_empty());
    assert_eq!(shop.server.calls_in_flight(), 0);
    shop.asking().send(&state, &answers());
    shop.call().finish_text("paid").unwrap();
}

#[test]
fn more_repetitions_than_may_wait_are_told_to_come_later() {
    let shop = Shop::open();
    let state = shop.asking().begin()["requestState"].clone();
    let (_first, _in_flight) = shop.asking().send(&state, &answers());
    let call = shop.call();
    let waiting: Vec<_> = (0..MAX_WAITING).map(|_| shop.asking().send(&state, &answers())).collect();
    let refused = shop.asking().round(&state, &answers());
    assert!(text(&refused).contains("busy") && refused["result"]["isError"] == true, "{refused}");
    call.finish_text("paid").unwrap();
    assert!(waiting.iter().all(|(recorder, _)| text(&recorder.answer()) == "paid"));
}

#[test]
fn that_the_server_was_busy_is_no_answer_to_keep() {
    let server = server();
    for (option, value) in [("handler_threads", "1"), ("handler_queue", "1")] {
        server.configure(|settings| settings.set(option, value)).unwrap();
    }
    let (release, released): (Sender<()>, _) = channel();
    let released = Mutex::new(released);
    let blocking = Arc::new(AtomicUsize::new(0));
    let blocked = blocking.clone();
    add_to_pool(&server, "block", move |call: &Arc<Call>| {
        blocked.fetch_add(1, Ordering::SeqCst);
        released.lock().recv_timeout(PATIENCE).unwrap();
        call.finish().unwrap();
    });
    add_to_pool(&server, "pay", |call: &Arc<Call>| {
        let Ok(_) = call.request_input("who", FORM) else { return };
        call.finish_text("paid").unwrap();
    });
    let paying = Asking::tool(&server, "pay");
    let state = paying.begin()["requestState"].clone();
    let blocks: Vec<_> = (0..2)
        .map(|count| {
            let sent = Asking::tool(&server, "block").send(&Value::Null, &Value::Null);
            if count == 0 {
                eventually("the thread is taken", || blocking.load(Ordering::SeqCst) == 1);
            }
            sent
        })
        .collect();
    let busy = paying.round(&state, &answers());
    assert!(text(&busy).contains("busy"), "{busy}");
    for _ in &blocks {
        release.send(()).unwrap();
    }
    blocks.iter().for_each(|(recorder, _)| drop(recorder.answer()));
    assert_eq!(text(&paying.round(&state, &answers())), "paid");
    eventually("every place is given back", || server.calls_in_flight() == 0);
}

#[test]
fn of_many_repetitions_at_once_one_runs() {
    let server = server();
    let paid = Arc::new(AtomicUsize::new(0));
    let count = paid.clone();
    add_to_pool(&server, "pay", move |call: &Arc<Call>| {
        let Ok(_) = call.request_input("who", FORM) else { return };
        count.fetch_add(1, Ordering::SeqCst);
        call.finish_text("paid").unwrap();
    });
    for turn in 1..=20 {
        let state = Asking::tool(&server, "pay").begin()["requestState"].clone();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let answer = Asking::tool(&server, "pay").round(&state, &answers());
                    assert_eq!(text(&answer), "paid");
                });
            }
        });
        assert_eq!(paid.load(Ordering::SeqCst), turn);
    }
}

#[test]
fn repetitions_answers_and_cancellations_may_come_at_once() {
    let server = server();
    let paid = Arc::new(AtomicUsize::new(0));
    let count = paid.clone();
    add_to_pool(&server, "pay", move |call: &Arc<Call>| {
        let Ok(_) = call.request_input("who", FORM) else { return };
        count.fetch_add(usize::from(call.once("pay").unwrap()), Ordering::SeqCst);
        let _ = call.finish_text("paid");
    });
    for turn in 1..=50 {
        let state = Asking::tool(&server, "pay").begin()["requestState"].clone();
        thread::scope(|scope| {
            for cancels in [true, false, true, false] {
                let (server, state) = (&server, &state);
                scope.spawn(move || {
                    let (recorder, in_flight) = Asking::tool(server, "pay").send(state, &answers());
                    if cancels {
                        in_flight.iter().for_each(InFlight::cancel);
                        assert!(recorder.so_far().len() <= 1);
                    } else {
                        assert_eq!(text(&recorder.answer()), "paid");
                    }
                });
            }
        });
        eventually("every place is given back", || server.calls_in_flight() == 0);
        assert_eq!(paid.load(Ordering::SeqCst), turn, "one effect for each chain");
    }
}
