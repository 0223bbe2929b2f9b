//! What the server says to one request of the modern era, kept until the connection takes it.

use std::task::Waker;
use std::time::Duration;

use super::accept::Accepted;
use super::backlog::{Backlog, Taker};
use super::event_stream::{Event, Next};
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::notification::Change;
use crate::runtime::lock::Mutex;
use crate::server::outbox::Outbox;

/// The door by which the messages of one request leave.
pub(super) struct Reply {
    accepted: Accepted,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    backlog: Backlog,
    answer: Option<Answer>,
    /// Answered, or given up: nothing more is taken.
    closed: bool,
    connection: Taker,
}

/// How a response begins, decided when there is something to send and not before.
#[derive(Debug)]
pub(super) enum Beginning {
    /// The answer came first: it is the whole response.
    Json(Answer),
    /// Something else came first: the response is a stream.
    Events,
}

impl Beginning {
    /// How a response begins to which `answer` comes first, for a client that accepts `accepted`. An answer that is
    /// the whole response is taken.
    ///
    /// An error that has an HTTP status of its own is sent as JSON even to a client that asked for events alone:
    /// a stream can only say 200.
    pub fn with(answer: &mut Option<Answer>, accepted: Accepted) -> Option<Self> {
        let whole = |answer: &mut Answer| accepted.json || answer.status != AnswerStatus::Ok;
        match answer.take_if(whole) {
            Some(answer) => Some(Beginning::Json(answer)),
            None => answer.is_some().then_some(Beginning::Events),
        }
    }
}

impl Reply {
    /// A reply to a client that accepts `accepted`. If that is no stream of events, notifications are dropped.
    pub fn new(accepted: Accepted) -> Self {
        Reply { accepted, state: Mutex::default() }
    }

    /// Tells how the response begins. If nothing is there yet, `waker` will be woken when that changes.
    pub fn begin(&self, waker: &Waker) -> Option<Beginning> {
        let mut state = self.state.lock();
        if !state.backlog.is_empty() {
            return Some(Beginning::Events);
        }
        let beginning = Beginning::with(&mut state.answer, self.accepted);
        if beginning.is_none() {
            state.connection.waits(waker);
        }
        beginning
    }

    /// Takes what comes next. If it is nothing yet, `waker` will be woken when that changes.
    pub fn next(&self, waker: &Waker) -> Option<Next> {
        let mut state = self.state.lock();
        if let Some(message) = state.backlog.next() {
            return Some(Next::Event(Event::of(message)));
        }
        let answer = state.answer.take();
        if answer.is_none() {
            state.connection.waits(waker);
        }
        answer.map(|answer| Next::Last(Event::of(answer.message)))
    }

    /// Drops whatever is or will be said. False if the answer had come, so that nothing is left to cancel.
    pub fn give_up(&self) -> bool {
        let mut state = self.state.lock();
        let unanswered = !state.closed;
        *state = State { closed: true, ..State::default() };
        unanswered
    }
}

impl Outbox for Reply {
    fn notify(&self, message: Message, change: Option<Change>) {
        if !self.accepted.events {
            return;
        }
        let mut state = self.state.lock();
        if state.closed || !state.backlog.notify(message, change) {
            return;
        }
        let connection = state.connection.take();
        drop(state);
        connection.wake();
    }

    fn send(&self, message: Message) -> bool {
        if !self.accepted.events {
            return false;
        }
        let mut state = self.state.lock();
        if state.closed {
            return false;
        }
        state.backlog.request(message);
        let connection = state.connection.take();
        drop(state);
        connection.wake();
        true
    }

    fn close_stream(&self, _retry: Option<Duration>) {}

    fn answer(&self, answer: Answer) {
        let mut state = self.state.lock();
        if state.closed {
            return;
        }
        state.closed = true;
        state.answer = Some(answer);
        let connection = state.connection.take();
        drop(state);
        connection.wake();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    const BOTH: Accepted = Accepted { json: true, events: true };
    const JSON: Accepted = Accepted { json: true, events: false };
    const EVENTS: Accepted = Accepted { json: false, events: true };

    fn message(text: &str) -> Message {
        Message::whole(text.as_bytes().to_vec())
    }

    fn answer(status: AnswerStatus) -> Answer {
        Answer { message: message("answer"), status }
    }

    fn rest(reply: &Reply) -> Vec<String> {
        let text = |message: Message| String::from_utf8(message.parts().concat()).unwrap();
        std::iter::from_fn(|| reply.next(Waker::noop()))
            .filter_map(|next| match next {
                Next::Event(event) | Next::Last(event) => Some(text(event.message)),
                Next::End => None,
            })
            .collect()
    }

    #[test]
    fn begins_as_json_when_the_answer_comes_first_and_as_a_stream_otherwise() {
        for (accepted, notified, status, json) in [
            (BOTH, false, AnswerStatus::Ok, true),
            (BOTH, true, AnswerStatus::Ok, false),
            (BOTH, true, AnswerStatus::BadRequest, false),
            (JSON, true, AnswerStatus::Ok, true),
            (EVENTS, false, AnswerStatus::Ok, false),
            (EVENTS, false, AnswerStatus::NotFound, true),
        ] {
            let reply = Reply::new(accepted);
            assert!(reply.begin(Waker::noop()).is_none());
            if notified {
                reply.notify(message("note"), None);
            }
            reply.answer(answer(status));
            let begun = matches!(reply.begin(Waker::noop()).unwrap(), Beginning::Json(_));
            assert_eq!(begun, json, "{accepted:?} {notified} {status:?}");
            let expected: &[&str] = if json {
                &[]
            } else if notified {
                &["note", "answer"]
            } else {
                &["answer"]
            };
            assert_eq!(rest(&reply), expected);
        }
    }

    #[test]
    fn says_nothing_after_the_answer_or_when_given_up() {
        let reply = Reply::new(BOTH);
        reply.notify(message("before"), None);
        reply.answer(answer(AnswerStatus::Ok));
        reply.notify(message("after"), None);
        reply.answer(answer(AnswerStatus::Ok));
        assert_eq!(rest(&reply), ["before", "answer"]);
        assert!(!reply.give_up());

        let reply = Reply::new(BOTH);
        reply.notify(message("before"), None);
        assert!(reply.give_up());
        assert!(!reply.give_up());
        reply.notify(message("after"), None);
        reply.answer(answer(AnswerStatus::Ok));
        assert_eq!(rest(&reply), [""; 0]);
    }

    #[test]
    fn keeps_the_answer_whatever_waits() {
        let reply = Reply::new(BOTH);
        for number in 0..1000 {
            reply.notify(message(&number.to_string()), None);
        }
        reply.answer(answer(AnswerStatus::Ok));
        let said = rest(&reply);
        assert!(said.len() < 1000);
        assert_eq!(said[said.len() - 1], "answer");
    }

    #[test]
    fn wakes_its_connection_once_for_each_wait() {
        struct Count(AtomicUsize);
        impl Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let waker = Waker::from(count.clone());
        let reply = Reply::new(BOTH);
        assert!(reply.begin(&waker).is_none());
        reply.notify(message("one"), None);
        reply.notify(message("two"), None);
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
        assert!(matches!(reply.begin(&waker), Some(Beginning::Events)));
        while reply.next(&waker).is_some() {}
        reply.answer(answer(AnswerStatus::Ok));
        assert_eq!(count.0.load(Ordering::SeqCst), 2);
    }
}
