//! The streams of a session, as handlers fill them and connections read them, from any thread.

use std::sync::{Arc, OnceLock};
use std::task::Waker;
use std::time::Duration;

use super::event_id::{EventId, StreamId};
use super::store::{Hold, Store};
use super::store_bounds::Load;
use super::stream::Step;
use crate::protocol::message::{Answer, Message};
use crate::protocol::notification::Change;
use crate::runtime::library_log;
use crate::runtime::lock::{Mutex, MutexGuard};
use crate::server::legacy::push::Push;
use crate::transport::http::accept::Accepted;
use crate::transport::http::event_stream::{Event, Next};
use crate::transport::http::http_reply::Beginning;

/// How long a client is told to wait before it comes back, unless set otherwise or said by a handler.
pub const DEFAULT_RETRY: Duration = Duration::from_secs(1);

/// The streams.
pub struct Streams {
    store: Mutex<Store>,
    polling: OnceLock<Duration>,
}

/// How a response begins.
#[derive(Debug)]
pub enum Start {
    /// With this.
    With(Beginning),
    /// Nothing will come: the request was cancelled, or the session has ended.
    Nothing,
}

impl Streams {
    /// No streams yet.
    pub fn new(bounds: Load) -> Arc<Self> {
        Arc::new(Streams { store: Mutex::new(Store::new(bounds)), polling: OnceLock::new() })
    }

    /// From now on each stream begins with an event that has an id and nothing else, and may be left to be taken up
    /// again, after `retry`.
    ///
    /// Specification: 2025-11-25, Streamable HTTP, "Sending Messages to the Server". Clients of older revisions take
    /// an event without data for a broken message.
    pub fn allow_polling(&self, retry: Duration) {
        let _ = self.polling.set(retry);
    }

    /// Whether [`Self::allow_polling`] was called.
    pub fn allows_polling(&self) -> bool {
        self.polling.get().is_some()
    }

    /// A new stream for the response to a POST.
    pub fn respond(&self) -> Hold {
        self.store.lock().respond()
    }

    /// A new stream for a client that listens; `None` if the session has ended.
    pub fn listen(&self) -> Option<Hold> {
        self.store.lock().listen()
    }

    /// The rest of the stream of which the client has `id`; `None` if nothing follows it.
    pub fn resume(&self, id: EventId) -> Option<Hold> {
        let (hold, before) = self.store.lock().resume(id)?;
        before.wake();
        Some(hold)
    }

    /// Tells how a response begins, for a client that accepts `accepted`. If nothing is there yet, `waker` will be
    /// woken when that changes.
    pub fn begin(&self, hold: Hold, accepted: Accepted, waker: &Waker) -> Option<Start> {
        let mut store = self.store.lock();
        let Some(stream) = store.held(hold) else { return Some(Start::Nothing) };
        if !stream.backlog.is_empty() || stream.is_closing() {
            return Some(Start::With(Beginning::Events));
        }
        let beginning = store.begin_with_answer(hold, accepted);
        match beginning {
            Some(beginning) => Some(Start::With(beginning)),
            None => {
                store.held(hold)?.waits(waker);
                None
            }
        }
    }

    /// Takes what comes next on a stream. If it is nothing yet, `waker` will be woken when that changes. `is_first`
    /// says that nothing of the stream was taken, and is then false.
    pub fn next(&self, hold: Hold, is_first: &mut bool, waker: &Waker) -> Option<Next> {
        let mut store = self.store.lock();
        let Some(stream) = store.held(hold) else { return Some(Next::End) };
        if std::mem::take(is_first)
            && let Some(retry) = self.polling.get()
        {
            stream.begin();
            return Some(Next::Event(opening(hold.stream, *retry)));
        }
        let Some(step) = store.next(hold) else {
            store.held(hold)?.waits(waker);
            return None;
        };
        tell_dropped(store);
        let event = |number, message| {
            let id = EventId { stream: hold.stream, number };
            Event { fields: Some(format!("id: {id}\n")), message }
        };
        Some(match step {
            Step::Message(number, message) => Next::Event(event(number, message)),
            Step::Answer(number, message) => Next::Last(event(number, message)),
            Step::Close(retry) => Next::Last(closing(retry)),
            Step::End => Next::End,
        })
    }

    /// Whether a connection reads a stream.
    pub fn is_read(&self, stream: StreamId) -> bool {
        self.store.lock().is_read(stream)
    }

    /// The connection of `hold` is gone. True if more was to come on the response that it read.
    pub fn leave(&self, hold: Hold) -> bool {
        let mut store = self.store.lock();
        let left = store.leave(hold);
        tell_dropped(store);
        left.next.wake();
        left.unanswered
    }

    /// Sends a notification on a stream. See [`Outbox::notify`](crate::server::outbox::Outbox::notify).
    ///
    /// It may be made under the lock of its call. Hence what it makes the store drop is told by whoever comes next.
    pub fn notify(&self, stream: StreamId, message: Message, change: Option<Change>) {
        let taker = self.store.lock().notify(stream, message, change);
        taker.wake();
    }

    /// Sends a request of the server's on a stream; false if nobody will read it there.
    pub fn request(&self, stream: StreamId, message: Message) -> bool {
        let taker = self.store.lock().request(stream, message);
        taker.map(|taker| taker.wake()).is_some()
    }

    /// Sends the answer on a stream.
    pub fn answer(&self, stream: StreamId, answer: Answer) {
        let mut store = self.store.lock();
        let taker = store.answer(stream, answer);
        tell_dropped(store);
        taker.wake();
    }

    /// Closes the connection of a stream, after what waits for it; its client comes back, after `retry` if that is
    /// said. Nothing where clients would not come back.
    pub fn close(&self, stream: StreamId, retry: Option<Duration>) {
        let Some(usual) = self.polling.get() else { return };
        let taker = self.store.lock().close(stream, retry.unwrap_or(*usual));
        taker.wake();
    }

    /// Nothing more comes on a stream.
    pub fn remove(&self, stream: StreamId) {
        let taker = self.store.lock().remove(stream);
        taker.wake();
    }

    /// Nothing more comes on a stream, unless there is an answer on it.
    pub fn remove_unanswered(&self, stream: StreamId) {
        let taker = self.store.lock().remove_unanswered(stream);
        taker.wake();
    }

    /// What is held, and for how many streams.
    #[cfg(test)]
    pub fn held_now(&self) -> (usize, Load) {
        self.store.lock().held_now()
    }

    /// Ends the streams on which the client listens.
    pub fn end_listening(&self) {
        let takers = self.store.lock().end_listening();
        takers.into_iter().for_each(|taker| taker.wake());
    }

    /// Ends every stream.
    pub fn end(&self) {
        let takers = self.store.lock().end();
        takers.into_iter().for_each(|taker| taker.wake());
    }
}

impl Push for Streams {
    fn notify(&self, message: Message, change: Option<Change>) {
        let taker = self.store.lock().push_notification(message, change);
        taker.wake();
    }

    fn send(&self, message: Message) {
        let taker = self.store.lock().push_request(message);
        taker.wake();
    }
}

/// Unlocks the store, and then logs what it dropped: the host's log handler runs under no lock of the library.
fn tell_dropped(mut store: MutexGuard<'_, Store>) {
    let dropped = store.take_dropped();
    drop(store);
    if dropped > 0 {
        library_log::warning(format_args!(
            "answers that their clients did not come back for were dropped: {dropped}; event_store_events and \
             event_store_bytes bound what waits for them"
        ));
    }
}

/// The event that a stream begins with: an id to come back with, and no message.
fn opening(stream: StreamId, retry: Duration) -> Event {
    let id = EventId { stream, number: 0 };
    let fields = format!("id: {id}\nretry: {}\ndata: \n", retry.as_millis());
    Event { fields: Some(fields), message: Message::default() }
}

/// What is said where the connection is closed before the stream is at its end.
fn closing(retry: Duration) -> Event {
    Event { fields: Some(format!("retry: {}\n", retry.as_millis())), message: Message::default() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::mpsc;
    use std::thread;

    use super::*;
    use crate::protocol::message::AnswerStatus;
    use crate::runtime::library_log::set_log_handler;
    use crate::runtime::library_log::tests::ALONE;

    const BOUND: Duration = Duration::from_secs(20);

    /// A response that was left, and has its answer.
    fn left(streams: &Streams) {
        let hold = streams.respond();
        streams.store.lock().held(hold).unwrap().begin();
        streams.leave(hold);
        let message = Message::whole(b"done".to_vec());
        streams.answer(hold.stream, Answer { message, status: AnswerStatus::Ok });
    }

    #[test]
    fn tells_of_dropped_answers_under_no_lock() {
        let _alone = ALONE.lock();
        let streams = Streams::new(Load { events: 3, bytes: 1000 });
        let (heard, hearing) = mpsc::channel();
        let store = streams.clone();
        set_log_handler(Some(Box::new(move |_, text| {
            if text.starts_with("answers that") {
                // It would wait for ever if the store were locked.
                let _ = heard.send((store.held_now().1.events, text.contains("dropped: 1;")));
            }
        })));
        let working = streams.clone();
        let (go, went) = mpsc::channel();
        let worker = thread::spawn(move || {
            (0..4).for_each(|_| left(&working));
            let listening = working.listen().unwrap();
            Push::notify(&*working, Message::whole(b"note".to_vec()), None);
            went.recv().unwrap();
            working.leave(listening);
        });
        let told = hearing.recv_timeout(BOUND);
        assert_eq!(told, Ok((3, true)), "by the fourth answer");
        let silent = hearing.recv_timeout(Duration::from_millis(50));
        assert!(silent.is_err(), "a notification tells nobody");
        go.send(()).unwrap();
        assert_eq!(hearing.recv_timeout(BOUND).map(|(_, one)| one), Ok(true));
        worker.join().unwrap();
        set_log_handler(None);
    }
}
