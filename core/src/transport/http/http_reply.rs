//! What the server says to one request, kept until the connection takes it.
//!
//! The queue is bounded: a client that reads slower than a handler speaks loses progress and log messages, and
//! never its answer.

use std::collections::VecDeque;
use std::task::Waker;
use std::time::Duration;

use crate::runtime::lock::Mutex;

use super::accept::Accepted;
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::notification::Change;
use crate::server::outbox::Outbox;

/// How many notifications of one request may wait unsent. Past it, progress and log messages are dropped; of the
/// changes that a subscription is told, one of each kind may wait in any case.
const MAX_WAITING: usize = 256;

/// How many bytes of notifications may wait unsent, but for one message that is larger by itself.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// The door by which the messages of one request leave.
pub(super) struct Reply {
    accepted: Accepted,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Notification>,
    waiting_bytes: usize,
    answer: Option<Answer>,
    /// Answered, or given up: nothing more is taken.
    closed: bool,
    connection: Option<Waker>,
}

struct Notification {
    message: Message,
    change: Option<Change>,
}

/// What comes next.
#[derive(Debug)]
pub(super) enum Next {
    /// A notification.
    Notification(Message),
    /// The answer; nothing follows.
    Answer(Answer),
}

/// How a response begins, decided when there is something to send and not before.
#[derive(Debug)]
pub(super) enum Beginning {
    /// The answer came first: it is the whole response.
    Json(Answer),
    /// Something else came first: the response is a stream.
    Events,
}

impl Reply {
    /// A reply to a client that accepts `accepted`. If that is no stream of events, notifications are dropped.
    pub fn new(accepted: Accepted) -> Self {
        Reply { accepted, state: Mutex::default() }
    }

    /// Tells how the response begins. If nothing is there yet, `waker` will be woken when that changes.
    ///
    /// An error that has an HTTP status of its own is sent as JSON even to a client that asked for events alone:
    /// a stream can only say 200.
    pub fn begin(&self, waker: &Waker) -> Option<Beginning> {
        let mut state = self.state.lock();
        if !state.waiting.is_empty() {
            return Some(Beginning::Events);
        }
        match state.answer.take() {
            Some(answer) if self.accepted.json || answer.status != AnswerStatus::Ok => {
                Some(Beginning::Json(answer))
            }
            Some(answer) => {
                state.answer = Some(answer);
                Some(Beginning::Events)
            }
            None => {
                state.wake_later(waker);
                None
            }
        }
    }

    /// Takes what comes next. If it is nothing yet, `waker` will be woken when that changes.
    pub fn next(&self, waker: &Waker) -> Option<Next> {
        let mut state = self.state.lock();
        if let Some(Notification { message, .. }) = state.waiting.pop_front() {
            state.waiting_bytes -= message.len();
            return Some(Next::Notification(message));
        }
        let answer = state.answer.take();
        if answer.is_none() {
            state.wake_later(waker);
        }
        answer.map(Next::Answer)
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
        if state.closed || !state.has_room(&message, change.as_ref()) {
            return;
        }
        state.waiting_bytes += message.len();
        state.waiting.push_back(Notification { message, change });
        let waker = state.connection.take();
        drop(state);
        wake(waker);
    }

    /// The modern era has no requests of a server's.
    fn request(&self, _message: Message) -> bool {
        false
    }

    fn close_stream(&self, _retry: Option<Duration>) {}

    fn answer(&self, answer: Answer) {
        let mut state = self.state.lock();
        if state.closed {
            return;
        }
        state.closed = true;
        state.answer = Some(answer);
        let waker = state.connection.take();
        drop(state);
        wake(waker);
    }
}

impl State {
    fn has_room(&self, message: &Message, change: Option<&Change>) -> bool {
        if change.is_some() {
            // The one that waits says all.
            return !self.waiting.iter().any(|waiting| waiting.change.as_ref() == change);
        }
        self.waiting.is_empty()
            || self.waiting.len() < MAX_WAITING && self.waiting_bytes + message.len() <= MAX_WAITING_BYTES
    }

    fn wake_later(&mut self, waker: &Waker) {
        if !self.connection.as_ref().is_some_and(|known| known.will_wake(waker)) {
            self.connection = Some(waker.clone());
        }
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
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
            .map(|next| match next {
                Next::Notification(message) => text(message),
                Next::Answer(answer) => text(answer.message),
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
    fn bounds_what_waits_by_number_and_by_bytes_and_keeps_the_answer() {
        let reply = Reply::new(BOTH);
        for number in 0..1000 {
            reply.notify(message(&number.to_string()), None);
        }
        reply.answer(answer(AnswerStatus::Ok));
        let said = rest(&reply);
        assert_eq!(said.len(), MAX_WAITING + 1);
        assert_eq!(said[MAX_WAITING - 1], (MAX_WAITING - 1).to_string());
        assert_eq!(said[MAX_WAITING], "answer");

        let reply = Reply::new(BOTH);
        for _ in 0..5 {
            reply.notify(message(&"x".repeat(MAX_WAITING_BYTES / 2)), None);
        }
        assert_eq!(rest(&reply).len(), 2);
        reply.notify(message(&"x".repeat(2 * MAX_WAITING_BYTES)), None);
        reply.notify(message("small"), None);
        assert_eq!(rest(&reply).len(), 1);
        reply.notify(message("small"), None);
        assert_eq!(rest(&reply).len(), 1);
    }

    #[test]
    fn keeps_one_waiting_change_of_a_kind_whatever_else_waits() {
        let reply = Reply::new(BOTH);
        for _ in 0..MAX_WAITING {
            reply.notify(message("note"), None);
        }
        for text in ["first", "second"] {
            reply.notify(message(text), Some(Change::Tools));
        }
        let said = rest(&reply);
        assert_eq!(said.len(), MAX_WAITING + 1);
        assert_eq!(said[MAX_WAITING], "first");
        reply.notify(message("third"), Some(Change::Tools));
        assert_eq!(rest(&reply), ["third"]);
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
