//! One stream of a session: what waits to be sent on it, what was sent and may be asked for again, and who reads it.

use std::collections::VecDeque;
use std::task::Waker;
use std::time::Duration;

use super::store_bounds::Load;
use crate::protocol::message::{Answer, Message};
use crate::transport::http::backlog::{Backlog, Taker};

/// A stream.
#[derive(Default)]
pub struct Stream {
    /// What waits to be sent, but for the answer.
    pub backlog: Backlog,
    /// The answer, until it is sent. Nothing follows it.
    pub answer: Option<Answer>,
    sent: VecDeque<(u64, Message)>,
    sent_bytes: usize,
    /// The last number that was given to an event, the beginning's 0 included; `None` before it.
    numbered: Option<u64>,
    /// The number of the answer, once it was sent.
    last: Option<u64>,
    connection: Option<Connection>,
    closing: Option<Duration>,
}

/// Who reads a stream.
struct Connection {
    key: u64,
    /// What it got.
    has: u64,
    taker: Taker,
}

/// What comes next for the connection of a stream.
pub enum Step {
    /// A message under this number.
    Message(u64, Message),
    /// The answer under this number.
    Answer(u64, Message),
    /// The connection is closed, and the client comes back after that time.
    Close(Duration),
    /// Nothing more comes.
    End,
}

/// A step that was taken.
pub struct Taken {
    /// The step.
    pub step: Step,
    /// The event of the step, if it was sent for the first time and is kept from now on.
    pub kept: Option<u64>,
}

impl Stream {
    /// Gives the stream to the connection `key`, whose client has what was sent up to the event `has`: that is
    /// forgotten. The connection that had it before is to be woken.
    pub fn attach(&mut self, key: u64, has: u64) -> Taker {
        while let Some((_, message)) = self.sent.pop_front_if(|(number, _)| *number <= has) {
            self.sent_bytes -= message.len();
        }
        self.closing = None;
        let before = self.connection.replace(Connection { key, has, taker: Taker::default() });
        before.map(|connection| connection.taker).unwrap_or_default()
    }

    /// The connection leaves it.
    pub fn detach(&mut self) {
        self.connection = None;
    }

    /// Whether the connection `key` reads it.
    pub fn is_read_by(&self, key: u64) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.key == key)
    }

    /// Whether anybody reads it.
    pub fn is_read(&self) -> bool {
        self.connection.is_some()
    }

    /// Whether a client knows an id by which it can come back to it.
    pub fn can_be_resumed(&self) -> bool {
        self.numbered.is_some()
    }

    /// Whether it has an answer, sent or not.
    pub fn is_answered(&self) -> bool {
        self.answer.is_some() || self.last.is_some()
    }

    /// Whether more is to be sent for the first time, now or later. (A stream on which a client listens has no end.)
    pub fn has_more(&self) -> bool {
        self.last.is_none()
    }

    /// Whether a client that has what was sent up to the event `has` would get nothing any more.
    pub fn is_over_after(&self, has: u64) -> bool {
        self.last.is_some() && self.sent.back().is_none_or(|(number, _)| *number <= has)
    }

    /// Whether something waits to be sent for the first time.
    pub fn has_unsent(&self) -> bool {
        !self.backlog.is_empty() || self.answer.is_some()
    }

    /// Asks the connection to close, once what waits is sent; the client comes back after `retry`. The connection,
    /// if there is one, is to be woken.
    pub fn close(&mut self, retry: Duration) -> Taker {
        if self.connection.is_some() {
            self.closing = Some(retry);
        }
        self.taker()
    }

    /// Whether the connection is asked to close.
    pub fn is_closing(&self) -> bool {
        self.closing.is_some()
    }

    /// The task that is to be woken because there is something to send.
    pub fn taker(&mut self) -> Taker {
        self.connection.as_mut().map(|connection| connection.taker.take()).unwrap_or_default()
    }

    /// The task of `waker` waits for the next step.
    pub fn waits(&mut self, waker: &Waker) {
        if let Some(connection) = &mut self.connection {
            connection.taker.waits(waker);
        }
    }

    /// Notes that the client is told an id of the stream's beginning.
    pub fn begin(&mut self) {
        self.numbered.get_or_insert(0);
    }

    /// The next step for the connection; `None` if it has to wait. A message of more than `most` bytes is not kept.
    pub fn next(&mut self, most: usize) -> Option<Taken> {
        let old = |step| Some(Taken { step, kept: None });
        let connection = self.connection.as_mut()?;
        let again = self.sent.partition_point(|(number, _)| *number <= connection.has);
        if let Some((number, message)) = self.sent.get(again) {
            connection.has = *number;
            return old(step(*number, message.clone(), self.last));
        }
        if let Some(message) = self.backlog.next() {
            let (number, kept) = self.send(&message, most);
            return Some(Taken { step: Step::Message(number, message), kept });
        }
        if let Some(answer) = self.answer.take() {
            let (number, kept) = self.send(&answer.message, most);
            self.last = Some(number);
            return Some(Taken { step: Step::Answer(number, answer.message), kept });
        }
        if self.last.is_some() {
            return old(Step::End);
        }
        self.closing.take().and_then(|retry| old(Step::Close(retry)))
    }

    /// Forgets the event `number`, if it is the oldest that is kept. True if it was.
    pub fn forget(&mut self, number: u64) -> bool {
        let Some((_, message)) = self.sent.pop_front_if(|(oldest, _)| *oldest == number) else {
            return false;
        };
        self.sent_bytes -= message.len();
        true
    }

    /// Whether the event `number` is kept.
    pub fn keeps(&self, number: u64) -> bool {
        self.sent.binary_search_by_key(&number, |(number, _)| *number).is_ok()
    }

    /// Whether nothing that was sent is kept.
    pub fn keeps_nothing(&self) -> bool {
        self.sent.is_empty()
    }

    /// What is held for it.
    pub fn load(&self) -> Load {
        let answer = self.answer.as_ref().map_or(0, |answer| answer.message.len());
        Load {
            events: self.backlog.len() + usize::from(self.answer.is_some()) + self.sent.len(),
            bytes: self.backlog.bytes() + answer + self.sent_bytes,
        }
    }

    /// Numbers a message that is sent for the first time. The number is returned, and again if the message is kept.
    fn send(&mut self, message: &Message, most: usize) -> (u64, Option<u64>) {
        let number = self.numbered.unwrap_or(0) + 1;
        self.numbered = Some(number);
        let is_kept = message.len() <= most;
        if is_kept {
            self.sent_bytes += message.len();
            self.sent.push_back((number, message.clone()));
        }
        if let Some(connection) = &mut self.connection {
            connection.has = number;
        }
        (number, is_kept.then_some(number))
    }
}

fn step(number: u64, message: Message, last: Option<u64>) -> Step {
    if last == Some(number) { Step::Answer(number, message) } else { Step::Message(number, message) }
}
