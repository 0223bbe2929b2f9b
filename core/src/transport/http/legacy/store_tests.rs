//! The streams of a session, without a connection.
#![allow(clippy::unwrap_used)]
// Nobody waits here who could be woken.
#![allow(unused_must_use)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Wake, Waker};
use std::time::Duration;

use super::event_id::{EventId, StreamId};
use super::store::{Hold, Store};
use super::store_bounds::{DEFAULT_BYTES, DEFAULT_EVENTS, Load};
use super::stream::Step;
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::notification::Change;
use crate::transport::http::accept::Accepted;
use crate::transport::http::backlog::Taker;
use crate::transport::http::http_reply::Beginning;

const BOUNDS: Load = Load { events: DEFAULT_EVENTS, bytes: DEFAULT_BYTES };

fn message(text: &str) -> Message {
    Message::whole(text.as_bytes().to_vec())
}

fn answer(text: &str) -> Answer {
    Answer { message: message(text), status: AnswerStatus::Ok }
}

/// What can be taken now: `number:text`, a `!` behind the answer.
fn take(store: &mut Store, hold: Hold) -> Vec<String> {
    let text = |message: Message| String::from_utf8(message.parts().concat()).unwrap();
    let mut taken = Vec::new();
    while let Some(step) = store.next(hold) {
        match step {
            Step::Message(number, message) => taken.push(format!("{number}:{}", text(message))),
            Step::Answer(number, message) => {
                taken.push(format!("{number}:{}!", text(message)));
                break;
            }
            Step::Close(retry) => {
                taken.push(format!("close {}", retry.as_millis()));
                break;
            }
            Step::End => {
                taken.push("end".into());
                break;
            }
        }
    }
    taken
}

/// Leaves the response of `hold` and takes it up again behind the event `number`.
fn resume(store: &mut Store, stream: StreamId, number: u64) -> Option<Hold> {
    store.resume(EventId { stream, number }).map(|(hold, _)| hold)
}

#[test]
fn replays_what_follows_an_event_and_goes_on_to_the_answer() {
    let mut store = Store::new(BOUNDS);
    let first = store.respond();
    let other = store.respond();
    for text in ["one", "two"] {
        store.notify(first.stream, message(text), None);
    }
    store.notify(other.stream, message("other"), None);
    assert_eq!(take(&mut store, first), ["1:one", "2:two"]);
    assert_eq!(take(&mut store, other), ["1:other"]);
    assert!(store.leave(first).unanswered);
    store.notify(first.stream, message("three"), None);
    let second = resume(&mut store, first.stream, 1).unwrap();
    assert_eq!(take(&mut store, second), ["2:two", "3:three"]);
    store.answer(first.stream, answer("done"));
    assert_eq!(take(&mut store, second), ["4:done!"]);
    assert!(!store.leave(second).unanswered);
    // The connection broke before the client had it all.
    let third = resume(&mut store, first.stream, 2).unwrap();
    assert_eq!(take(&mut store, third), ["3:three", "4:done!"]);
    store.leave(third);
    assert_eq!(resume(&mut store, first.stream, 4), None, "nothing follows the answer");
}

#[test]
fn the_end_wakes_everybody_who_waits_on_a_stream() {
    struct Count(AtomicUsize);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let count = Arc::new(Count(AtomicUsize::new(0)));
    let waker = Waker::from(count.clone());
    let mut store = Store::new(BOUNDS);
    for hold in [store.respond(), store.listen().unwrap()] {
        store.held(hold).unwrap().waits(&waker);
    }
    store.end().into_iter().for_each(Taker::wake);
    assert_eq!(count.0.load(Ordering::SeqCst), 2);
}

#[test]
fn gives_a_stream_to_one_connection_at_a_time() {
    let mut store = Store::new(BOUNDS);
    let first = store.respond();
    store.notify(first.stream, message("one"), None);
    take(&mut store, first);
    let second = resume(&mut store, first.stream, 1).unwrap();
    store.answer(first.stream, answer("done"));
    assert_eq!(take(&mut store, first), ["end"]);
    assert!(!store.leave(first).unanswered, "it has no part in the stream any more");
    assert_eq!(take(&mut store, second), ["2:done!"]);
}

#[test]
fn keeps_nothing_of_a_response_that_its_client_cannot_come_back_for() {
    let mut store = Store::new(BOUNDS);
    let hold = store.respond();
    assert!(store.leave(hold).unanswered);
    store.notify(hold.stream, message("one"), None);
    assert!(store.request(hold.stream, message("request")).is_none());
    store.answer(hold.stream, answer("done"));
    assert_eq!(store.held_now(), (0, Load::default()));
}

#[test]
fn takes_an_answer_that_is_the_whole_response_out_of_the_store() {
    let mut store = Store::new(BOUNDS);
    let hold = store.respond();
    let both = Accepted { json: true, events: true };
    assert!(store.begin_with_answer(hold, both).is_none());
    store.answer(hold.stream, answer("done"));
    assert!(matches!(store.begin_with_answer(hold, both), Some(Beginning::Json(_))));
    assert_eq!(store.held_now(), (0, Load::default()));
}

#[test]
fn sends_each_message_on_one_of_the_streams_on_which_the_client_listens() {
    let mut store = Store::new(BOUNDS);
    store.push_request(message("before"));
    let first = store.listen().unwrap();
    assert_eq!(take(&mut store, first), ["1:before"]);
    let second = store.listen().unwrap();
    store.push_notification(message("one"), None);
    assert_eq!(take(&mut store, first), [""; 0]);
    // What the newest did not send goes to the other one, as a new event there.
    store.leave(second);
    assert_eq!(take(&mut store, first), ["2:one"]);
    store.leave(first);
    store.push_notification(message("away"), None);
    // What was sent on a stream is replayed on it alone; what was not is sent wherever the client listens.
    let third = store.listen().unwrap();
    assert_eq!(take(&mut store, third), ["1:away"]);
    let again = resume(&mut store, first.stream, 1).unwrap();
    assert_eq!(take(&mut store, again), ["2:one"]);
    store.push_notification(message("last"), None);
    assert_eq!(take(&mut store, again), ["3:last"]);
    assert_eq!(take(&mut store, third), [""; 0]);
}

#[test]
fn opens_another_stream_for_a_client_that_listens_where_the_old_one_is_forgotten() {
    let mut store = Store::new(BOUNDS);
    let known = store.listen().unwrap();
    store.leave(known);
    let hold = resume(&mut store, known.stream, 0).unwrap();
    assert_ne!(hold.stream, known.stream);
    store.push_notification(message("one"), None);
    assert_eq!(take(&mut store, hold), ["1:one"]);
    assert_eq!(resume(&mut store, StreamId::Response(99), 0), None);
}

#[test]
fn closes_a_connection_after_what_waits_and_goes_on_without_it() {
    let mut store = Store::new(BOUNDS);
    let hold = store.respond();
    store.held(hold).unwrap().begin();
    store.notify(hold.stream, message("one"), None);
    store.close(hold.stream, Duration::from_millis(5));
    assert_eq!(take(&mut store, hold), ["1:one", "close 5"]);
    store.leave(hold);
    store.answer(hold.stream, answer("done"));
    let hold = resume(&mut store, hold.stream, 1).unwrap();
    assert_eq!(take(&mut store, hold), ["2:done!"]);
    // An answer that is there is sent, and needs no second connection.
    let hold = store.respond();
    store.answer(hold.stream, answer("done"));
    store.close(hold.stream, Duration::ZERO);
    assert_eq!(take(&mut store, hold), ["1:done!"]);
}

#[test]
fn forgets_what_was_sent_oldest_first() {
    let mut store = Store::new(Load { events: 3, bytes: 1000 });
    let one = store.respond();
    let two = store.respond();
    for hold in [one, two, one, two] {
        store.notify(hold.stream, message("x"), None);
        take(&mut store, hold);
    }
    assert_eq!(store.held_now().1, Load { events: 3, bytes: 3 });
    for (hold, kept) in [(one, 1), (two, 2)] {
        store.leave(hold);
        let hold = resume(&mut store, hold.stream, 0).unwrap();
        assert_eq!(take(&mut store, hold).len(), kept);
    }
    // A message larger than all that may be kept is sent, and not kept.
    let large = "x".repeat(1001);
    store.notify(one.stream, message(&large), None);
    let hold = resume(&mut store, one.stream, 2).unwrap();
    assert_eq!(take(&mut store, hold).len(), 1);
    assert_eq!(store.held_now().1, Load::default());
}

#[test]
fn forgets_streams_of_which_nothing_is_left() {
    let mut store = Store::new(Load { events: 2, bytes: 1000 });
    for _ in 0..10 {
        let hold = store.respond();
        store.notify(hold.stream, message("one"), None);
        store.answer(hold.stream, answer("done"));
        take(&mut store, hold);
        store.leave(hold);
        let hold = store.listen().unwrap();
        store.push_notification(message("two"), None);
        take(&mut store, hold);
        store.leave(hold);
    }
    let (streams, load) = store.held_now();
    assert!(streams <= 2 && load.events <= 2, "{streams} {load:?}");
}

#[test]
fn keeps_an_answer_for_a_client_that_is_away_before_all_else_and_not_without_bound() {
    let mut store = Store::new(Load { events: 4, bytes: 1000 });
    let away: Vec<_> = (0..3)
        .map(|_| {
            let hold = store.respond();
            store.held(hold).unwrap().begin();
            store.leave(hold);
            hold.stream
        })
        .collect();
    store.answer(away[0], answer("first"));
    for _ in 0..10 {
        store.notify(away[1], message("note"), None);
        store.push_notification(message("note"), None);
    }
    store.answer(away[1], answer("second"));
    store.answer(away[2], answer(&"x".repeat(990)));
    assert!(store.held_now().1.events <= 4);
    assert_eq!(resume(&mut store, away[0], 0), None, "the oldest answer went for the newest");
    for stream in &away[1..] {
        let hold = resume(&mut store, *stream, 0).unwrap();
        assert!(take(&mut store, hold).last().unwrap().ends_with('!'));
    }
    // One that is too large by itself stays until its client comes.
    let hold = store.respond();
    store.held(hold).unwrap().begin();
    store.leave(hold);
    store.answer(hold.stream, answer(&"x".repeat(5000)));
    let hold = resume(&mut store, hold.stream, 0).unwrap();
    assert_eq!(take(&mut store, hold).len(), 1);
    assert_eq!(store.held_now().1.bytes, 0);
}

#[test]
fn keeps_requests_and_no_notifications_past_the_bounds_for_a_client_that_never_listens() {
    let mut store = Store::new(Load { events: 5, bytes: 1000 });
    for number in 0..20 {
        store.push_request(message(&number.to_string()));
        store.push_notification(message("note"), None);
        store.push_notification(message("tools"), Some(Change::Tools));
    }
    assert_eq!(store.held_now().1.events, 20);
    let hold = store.listen().unwrap();
    let asked: Vec<_> = (0..20).map(|number| format!("{}:{number}", number + 1)).collect();
    assert_eq!(take(&mut store, hold), asked);
    assert_eq!(store.held_now().1.events, 5, "what was sent is bounded");
}

#[test]
fn does_not_remember_for_ever_what_its_clients_have() {
    let mut store = Store::new(BOUNDS);
    let mut hold = store.respond();
    store.held(hold).unwrap().begin();
    for number in 1..=5000 {
        store.notify(hold.stream, message("x"), None);
        assert_eq!(take(&mut store, hold), [format!("{number}:x")]);
        hold = resume(&mut store, hold.stream, number).unwrap();
    }
    assert_eq!(store.held_now(), (1, Load::default()));
    assert!(store.remembered() < 200);
}

#[test]
fn remembers_what_it_sent_once_however_often_a_client_replays_it() {
    let mut store = Store::new(BOUNDS);
    let first = store.respond();
    for text in ["one", "two", "three"] {
        store.notify(first.stream, message(text), None);
    }
    take(&mut store, first);
    for _ in 0..500 {
        let hold = resume(&mut store, first.stream, 0).unwrap();
        assert_eq!(take(&mut store, hold).len(), 3);
    }
    assert_eq!(store.remembered(), 3);
}

#[test]
fn ends_every_stream_with_the_session() {
    let mut store = Store::new(BOUNDS);
    let response = store.respond();
    let listening = store.listen().unwrap();
    store.end_listening();
    assert_eq!(take(&mut store, listening), ["end"]);
    store.notify(response.stream, message("one"), None);
    assert_eq!(take(&mut store, response), ["1:one"]);
    store.end();
    assert_eq!(take(&mut store, response), ["end"]);
    assert!(store.listen().is_none());
    let late = store.respond();
    store.answer(late.stream, answer("done"));
    assert_eq!(take(&mut store, late), ["end"]);
    assert_eq!(store.held_now(), (0, Load::default()));
}
