//! Messages that wait for a connection to take them.
//!
//! Bounded: a client that reads slower than a handler speaks loses progress and log messages, and never a request
//! or an answer.

use std::collections::VecDeque;
use std::task::Waker;

use crate::protocol::message::Message;
use crate::protocol::notification::Change;

/// How many messages may wait where notifications are still taken. Past it, progress and log messages are dropped;
/// of the changes that a client is told, one of each kind may wait in any case.
const MAX_WAITING: usize = 256;

/// How many bytes of messages may wait where notifications are still taken, but for one message that is larger by
/// itself.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// The messages that wait, in order.
#[derive(Default)]
pub(super) struct Backlog {
    waiting: VecDeque<Waiting>,
    bytes: usize,
}

struct Waiting {
    message: Message,
    kind: Kind,
}

enum Kind {
    Notification(Option<Change>),
    Request,
}

impl Backlog {
    /// Lets a notification wait. It is dropped if one of the same `change` waits already, which says all; without a
    /// change, if too much waits. True if it waits now.
    pub fn notify(&mut self, message: Message, change: Option<Change>) -> bool {
        let has_room = self.has_room(&message, change.as_ref());
        if has_room {
            self.push(Waiting { message, kind: Kind::Notification(change) });
        }
        has_room
    }

    /// Lets a request of the server's wait, whatever else does.
    pub fn request(&mut self, message: Message) {
        self.push(Waiting { message, kind: Kind::Request });
    }

    /// Takes the message that has waited longest.
    pub fn next(&mut self) -> Option<Message> {
        let Waiting { message, .. } = self.waiting.pop_front()?;
        self.bytes -= message.len();
        Some(message)
    }

    /// Lets what waits in `other` wait here, behind what does already and by the same rules.
    pub fn take_over(&mut self, other: Backlog) {
        for Waiting { message, kind } in other.waiting {
            match kind {
                Kind::Notification(change) => {
                    self.notify(message, change);
                }
                Kind::Request => self.request(message),
            }
        }
    }

    /// Forgets the notifications. True if there were any.
    pub fn forget_notifications(&mut self) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| matches!(waiting.kind, Kind::Request));
        self.bytes = self.waiting.iter().map(|waiting| waiting.message.len()).sum();
        self.waiting.len() < before
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many messages wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// How many bytes they have.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn push(&mut self, waiting: Waiting) {
        self.bytes += waiting.message.len();
        self.waiting.push_back(waiting);
    }

    fn has_room(&self, message: &Message, change: Option<&Change>) -> bool {
        if change.is_some() {
            let same =
                |kind: &Kind| matches!(kind, Kind::Notification(waiting) if waiting.as_ref() == change);
            return !self.waiting.iter().any(|waiting| same(&waiting.kind));
        }
        self.waiting.is_empty()
            || self.waiting.len() < MAX_WAITING && self.bytes + message.len() <= MAX_WAITING_BYTES
    }
}

/// The task that waits until there is something to take.
#[derive(Default)]
#[must_use = "a task that is not woken waits for ever"]
pub(super) struct Taker(Option<Waker>);

impl Taker {
    /// It is the task of `waker`.
    pub fn waits(&mut self, waker: &Waker) {
        if !self.0.as_ref().is_some_and(|known| known.will_wake(waker)) {
            self.0 = Some(waker.clone());
        }
    }

    /// Takes it out, to be woken when no lock is held.
    pub fn take(&mut self) -> Taker {
        Taker(self.0.take())
    }

    /// Wakes it, if there is one.
    pub fn wake(self) {
        if let Some(waker) = self.0 {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        Message::whole(text.as_bytes().to_vec())
    }

    fn rest(backlog: &mut Backlog) -> Vec<String> {
        let text = |message: Message| String::from_utf8_lossy(&message.parts().concat()).into_owned();
        std::iter::from_fn(|| backlog.next()).map(text).collect()
    }

    #[test]
    fn bounds_notifications_by_number_and_by_bytes() {
        let mut backlog = Backlog::default();
        for number in 0..1000 {
            assert_eq!(backlog.notify(message(&number.to_string()), None), number < MAX_WAITING);
        }
        let said = rest(&mut backlog);
        assert_eq!((said.len(), backlog.len(), backlog.bytes()), (MAX_WAITING, 0, 0));

        let half = "x".repeat(MAX_WAITING_BYTES / 2);
        for fits in [true, true, false] {
            assert_eq!(backlog.notify(message(&half), None), fits);
        }
        assert_eq!(rest(&mut backlog).len(), 2);
        assert!(backlog.notify(message(&"x".repeat(2 * MAX_WAITING_BYTES)), None), "a large one alone");
        assert!(!backlog.notify(message("small"), None));
    }

    #[test]
    fn keeps_requests_and_one_change_of_a_kind_whatever_else_waits() {
        let mut backlog = Backlog::default();
        for _ in 0..MAX_WAITING {
            backlog.notify(message("note"), None);
        }
        backlog.request(message("request"));
        assert!(backlog.notify(message("first"), Some(Change::Tools)));
        assert!(!backlog.notify(message("second"), Some(Change::Tools)));
        assert!(backlog.notify(message("other"), Some(Change::Resource("a:b".into()))));
        let said = rest(&mut backlog);
        assert_eq!(said[MAX_WAITING..], ["request", "first", "other"]);
        assert!(backlog.notify(message("third"), Some(Change::Tools)), "the first is no longer there");
    }

    #[test]
    fn takes_over_what_waited_elsewhere_and_says_a_change_once() {
        let (mut one, mut other) = (Backlog::default(), Backlog::default());
        one.notify(message("tools"), Some(Change::Tools));
        other.request(message("request"));
        other.notify(message("tools"), Some(Change::Tools));
        other.notify(message("note"), None);
        one.take_over(other);
        assert_eq!(rest(&mut one), ["tools", "request", "note"]);
    }

    #[test]
    fn forgets_notifications_and_no_requests() {
        let mut backlog = Backlog::default();
        assert!(!backlog.forget_notifications());
        backlog.notify(message("note"), None);
        backlog.request(message("request"));
        assert!(backlog.forget_notifications());
        assert_eq!(backlog.bytes(), "request".len());
        assert_eq!(rest(&mut backlog), ["request"]);
    }
}
