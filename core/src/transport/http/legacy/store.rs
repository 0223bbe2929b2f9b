//! The streams of a session and what is kept for them, within bounds.
//!
//! Each message is on one stream. Past the bounds, what was sent is forgotten first, oldest first; then notifications
//! that wait for a client that is away; and only then an answer that waits for one, for the sake of a later one.
//! Requests of the server's are never forgotten unsent: calls wait for what is said to them, and bound their number.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::event_id::{EventId, StreamId};
use super::store_bounds::Load;
use super::stream::{Step, Stream, Taken};
use crate::protocol::message::{Answer, Message};
use crate::protocol::notification::Change;
use crate::transport::http::accept::Accepted;
use crate::transport::http::backlog::{Backlog, Taker};
use crate::transport::http::http_reply::Beginning;

/// The streams.
pub struct Store {
    bounds: Load,
    streams: BTreeMap<StreamId, Stream>,
    /// The streams on which the client listens now. The last one opened is the one that it surely has.
    listening: Vec<StreamId>,
    /// What belongs to no request, while the client does not listen.
    waiting: Backlog,
    /// What was sent, in that order. Some of it may be forgotten already.
    sent: VecDeque<EventId>,
    /// What is held for the streams.
    load: Load,
    /// Answers that were forgotten unsent, and of which nobody was told yet.
    dropped: usize,
    next: u64,
    ended: bool,
}

/// The hold of one connection on a stream, until another connection takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The stream.
    pub stream: StreamId,
    key: u64,
}

/// What a connection left behind.
#[derive(Default)]
pub struct Left {
    /// A response that nobody reads now, of which more was to come.
    pub unanswered: bool,
    /// The connection that gets what waited for this one.
    pub next: Taker,
}

impl Store {
    /// No streams yet.
    pub fn new(bounds: Load) -> Self {
        Store {
            bounds,
            streams: BTreeMap::new(),
            listening: Vec::new(),
            waiting: Backlog::default(),
            sent: VecDeque::new(),
            load: Load::default(),
            dropped: 0,
            next: 0,
            ended: false,
        }
    }

    /// A new stream for the response to a POST. (One that is ended at once, where the session has ended.)
    pub fn respond(&mut self) -> Hold {
        let stream = StreamId::Response(self.number());
        self.open(stream)
    }

    /// A new stream for a client that listens; it gets what waits. `None` if the session has ended.
    pub fn listen(&mut self) -> Option<Hold> {
        if self.ended {
            return None;
        }
        let stream = StreamId::Listening(self.number());
        let hold = self.open(stream);
        self.is_listened_on(stream);
        Some(hold)
    }

    /// The rest of a stream of which the client has `id`, and the connection that had it before, to be woken. `None`
    /// if nothing follows: the stream is forgotten, or over.
    pub fn resume(&mut self, id: EventId) -> Option<(Hold, Taker)> {
        match (id.stream, self.streams.get(&id.stream)) {
            // A client that listens wants what comes, even if what was before is forgotten.
            (StreamId::Listening(_), None) => self.listen().map(|hold| (hold, Taker::default())),
            (_, Some(stream)) if !stream.is_over_after(id.number) => {
                let key = self.number();
                let before = self.change(id.stream, |stream| stream.attach(key, id.number));
                if matches!(id.stream, StreamId::Listening(_)) {
                    self.is_listened_on(id.stream);
                }
                Some((Hold { stream: id.stream, key }, before.unwrap_or_default()))
            }
            _ => None,
        }
    }

    /// The stream of `hold`, for the connection that has it now.
    pub fn held(&mut self, hold: Hold) -> Option<&mut Stream> {
        self.streams.get_mut(&hold.stream).filter(|stream| stream.is_read_by(hold.key))
    }

    /// Whether a connection reads a stream.
    pub fn is_read(&self, stream: StreamId) -> bool {
        self.streams.get(&stream).is_some_and(Stream::is_read)
    }

    /// How a response begins to which the answer comes first; `None` if it is not there. An answer that is the whole
    /// response is taken, and the stream with it.
    pub fn begin_with_answer(&mut self, hold: Hold, accepted: Accepted) -> Option<Beginning> {
        let beginning = self.change(hold.stream, |stream| Beginning::with(&mut stream.answer, accepted))?;
        if matches!(beginning, Some(Beginning::Json(_))) {
            self.discard(hold.stream);
        }
        beginning
    }

    /// The next step of a stream; `None` if there is none yet.
    pub fn next(&mut self, hold: Hold) -> Option<Step> {
        if self.held(hold).is_none() {
            return Some(Step::End);
        }
        let most = self.bounds.bytes;
        let Taken { step, kept } = self.change(hold.stream, |stream| stream.next(most))??;
        if let Some(number) = kept {
            self.sent.push_back(EventId { stream: hold.stream, number });
            self.trim();
        }
        Some(step)
    }

    /// How many answers were forgotten unsent since this was last asked.
    pub fn take_dropped(&mut self) -> usize {
        std::mem::take(&mut self.dropped)
    }

    /// The connection of `hold` is gone. What waited for it and belongs to no request waits elsewhere now; that
    /// stream's connection is to be woken.
    pub fn leave(&mut self, hold: Hold) -> Left {
        let mut left = Left::default();
        if self.held(hold).is_none() {
            return left;
        }
        self.change(hold.stream, Stream::detach);
        if matches!(hold.stream, StreamId::Listening(_)) {
            self.listening.retain(|stream| *stream != hold.stream);
            let unsent = self.change(hold.stream, |stream| std::mem::take(&mut stream.backlog));
            left.next = self.hand_on(unsent.unwrap_or_default());
        } else {
            left.unanswered = self.streams.get(&hold.stream).is_some_and(Stream::has_more);
        }
        let is_of_use =
            |stream: &Stream| stream.can_be_resumed() && (left.unanswered || !stream.keeps_nothing());
        if !self.streams.get(&hold.stream).is_some_and(is_of_use) {
            self.discard(hold.stream);
        }
        left
    }

    /// Lets a notification wait on a stream.
    pub fn notify(&mut self, stream: StreamId, message: Message, change: Option<Change>) -> Taker {
        self.add(stream, |stream| {
            stream.backlog.notify(message, change);
        })
    }

    /// Lets a request of the server's wait on a stream; `None` if there is no such stream.
    pub fn request(&mut self, stream: StreamId, message: Message) -> Option<Taker> {
        let known = self.streams.contains_key(&stream);
        known.then(|| self.add(stream, |stream| stream.backlog.request(message)))
    }

    /// Lets the answer wait on a stream.
    pub fn answer(&mut self, stream: StreamId, answer: Answer) -> Taker {
        self.add(stream, |stream| stream.answer = Some(answer))
    }

    /// Asks the connection of a stream to close.
    pub fn close(&mut self, stream: StreamId, retry: Duration) -> Taker {
        self.change(stream, |stream| stream.close(retry)).unwrap_or_default()
    }

    /// Lets a notification that belongs to no request wait where the client listens, or until it does.
    pub fn push_notification(&mut self, message: Message, change: Option<Change>) -> Taker {
        match self.listening.last() {
            Some(stream) => self.notify(*stream, message, change),
            None => {
                self.waiting.notify(message, change);
                self.trim();
                Taker::default()
            }
        }
    }

    /// Lets a request of the server's wait where the client listens, or until it does.
    pub fn push_request(&mut self, message: Message) -> Taker {
        match self.listening.last() {
            Some(stream) => self.add(*stream, |stream| stream.backlog.request(message)),
            None => {
                self.waiting.request(message);
                self.trim();
                Taker::default()
            }
        }
    }

    /// Forgets a stream: nothing more comes on it. Its connection is to be woken.
    pub fn remove(&mut self, stream: StreamId) -> Taker {
        let Some(mut removed) = self.streams.remove(&stream) else { return Taker::default() };
        self.load -= removed.load();
        removed.taker()
    }

    /// Forgets a stream, unless there is an answer on it.
    pub fn remove_unanswered(&mut self, stream: StreamId) -> Taker {
        let unanswered = self.streams.get(&stream).is_some_and(|stream| !stream.is_answered());
        if unanswered { self.remove(stream) } else { Taker::default() }
    }

    /// Ends the streams on which the client listens, and each that it asks for later.
    pub fn end_listening(&mut self) -> Vec<Taker> {
        self.ended = true;
        self.waiting = Backlog::default();
        let listening = std::mem::take(&mut self.listening);
        listening.into_iter().map(|stream| self.remove(stream)).collect()
    }

    /// Ends every stream.
    pub fn end(&mut self) -> Vec<Taker> {
        let mut takers = self.end_listening();
        self.sent.clear();
        self.load = Load::default();
        takers.extend(std::mem::take(&mut self.streams).into_values().map(|mut stream| stream.taker()));
        takers
    }

    /// What is held, and for how many streams.
    #[cfg(test)]
    pub fn held_now(&self) -> (usize, Load) {
        (self.streams.len(), self.load + self.load_of_waiting())
    }

    /// How many events are remembered as sent.
    #[cfg(test)]
    pub fn remembered(&self) -> usize {
        self.sent.len()
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn open(&mut self, id: StreamId) -> Hold {
        let key = self.number();
        if !self.ended {
            let mut stream = Stream::default();
            let _nobody = stream.attach(key, 0);
            self.streams.insert(id, stream);
        }
        Hold { stream: id, key }
    }

    fn is_listened_on(&mut self, stream: StreamId) {
        self.listening.retain(|other| *other != stream);
        self.listening.push(stream);
        let waiting = std::mem::take(&mut self.waiting);
        self.change(stream, |stream| stream.backlog.take_over(waiting));
    }

    /// What waited on a stream that lost its connection waits elsewhere now.
    fn hand_on(&mut self, unsent: Backlog) -> Taker {
        match self.listening.last() {
            Some(stream) => self.add(*stream, |stream| stream.backlog.take_over(unsent)),
            None => {
                self.waiting.take_over(unsent);
                Taker::default()
            }
        }
    }

    fn add(&mut self, stream: StreamId, add: impl FnOnce(&mut Stream)) -> Taker {
        let taker = self.change(stream, |stream| {
            add(stream);
            stream.taker()
        });
        self.trim();
        taker.unwrap_or_default()
    }

    /// Forgets a stream of which nobody waits for more.
    fn discard(&mut self, stream: StreamId) {
        let _nobody = self.remove(stream);
    }

    /// Changes a stream, and keeps the books.
    fn change<T>(&mut self, stream: StreamId, change: impl FnOnce(&mut Stream) -> T) -> Option<T> {
        let stream = self.streams.get_mut(&stream)?;
        let before = stream.load();
        let changed = change(stream);
        self.load -= before;
        self.load += stream.load();
        Some(changed)
    }

    fn load_of_waiting(&self) -> Load {
        Load { events: self.waiting.len(), bytes: self.waiting.bytes() }
    }

    /// Forgets until it is within the bounds, or nothing is left that may be forgotten.
    fn trim(&mut self) {
        while (self.load + self.load_of_waiting()).exceeds(self.bounds) {
            if !(self.forget_sent() || self.forget_notifications() || self.forget_answer()) {
                break;
            }
        }
        // What was forgotten in another way would stand here for ever.
        if self.sent.len() > 2 * self.load.events + 64 {
            let streams = &self.streams;
            self.sent.retain(|id| streams.get(&id.stream).is_some_and(|stream| stream.keeps(id.number)));
        }
    }

    fn forget_sent(&mut self) -> bool {
        while let Some(EventId { stream, number }) = self.sent.pop_front() {
            if self.change(stream, |stream| stream.forget(number)) != Some(true) {
                continue;
            }
            let listened = matches!(stream, StreamId::Listening(_));
            let is_done = |stream: &Stream| {
                !stream.is_read() && stream.keeps_nothing() && (listened || !stream.has_more())
            };
            if self.streams.get(&stream).is_some_and(is_done) {
                self.discard(stream);
            }
            return true;
        }
        false
    }

    fn forget_notifications(&mut self) -> bool {
        if self.waiting.forget_notifications() {
            return true;
        }
        let away: Vec<_> = self.away().collect();
        away.into_iter()
            .any(|id| self.change(id, |stream| stream.backlog.forget_notifications()) == Some(true))
    }

    /// Forgets the oldest answer that waits for a client that is away, if there is a later one; the last is kept,
    /// however large.
    fn forget_answer(&mut self) -> bool {
        let mut answered = self.away().filter(|id| self.streams.get(id).is_some_and(Stream::is_answered));
        let (Some(oldest), Some(_later)) = (answered.next(), answered.next()) else { return false };
        drop(answered);
        self.discard(oldest);
        self.dropped += 1;
        true
    }

    /// The responses that their clients have left and may come back for, oldest first.
    fn away(&self) -> impl Iterator<Item = StreamId> {
        let away = self.streams.iter().filter(|(_, stream)| !stream.is_read() && stream.has_unsent());
        away.map(|(id, _)| *id)
    }
}
