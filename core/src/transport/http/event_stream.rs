//! A response as a stream of server-sent events: notifications, the answer, the end.
//!
//! Each message is one event of one `data:` line. While nothing is to be said, a comment now and then keeps
//! proxies from cutting the connection. Where the messages come from is a [`Source`].
//!
//! Specification: Streamable HTTP, "Receiving Messages".

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep};

use crate::protocol::message::Message;

/// The silence on a response after which a comment is sent, and after which a client that waits for one JSON
/// object gets a stream instead, unless set otherwise.
pub const DEFAULT_KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The comment: a line that events' readers pass over.
const COMMENT: &[u8] = b":\n\n";

/// A part of a message of this size or more is sent from where it lies; smaller ones are joined.
const LARGE_PART: usize = 16 << 10;

/// Where the events of a stream come from.
pub(super) trait Source: Send + 'static {
    /// Waits for what comes next.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Next>;
}

/// What comes next on a stream.
#[derive(Debug)]
pub(super) enum Next {
    /// An event.
    Event(Event),
    /// An event, and the end.
    Last(Event),
    /// The end.
    End,
}

/// One event.
#[derive(Debug)]
pub(super) struct Event {
    /// Lines in front of the message, each with its end.
    pub fields: Option<String>,
    /// The message; an empty one is not sent, and the fields alone reach the client.
    pub message: Message,
}

impl Event {
    /// An event that is a message and nothing else.
    pub fn of(message: Message) -> Self {
        Event { fields: None, message }
    }
}

/// The text of a stream, whatever its source.
pub(super) trait EventText: Send {
    /// The next piece of the text, `None` at its end.
    fn poll_text(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>>;

    /// Whether everything has been taken.
    fn is_over(&self) -> bool;
}

/// The stream of the events of `S`.
pub(super) struct EventStream<S> {
    source: S,
    /// What is written but not yet taken.
    written: VecDeque<Bytes>,
    ended: bool,
    /// The next silence is broken at once.
    begins_silent: bool,
    keep_alive: Duration,
    silence: Option<Pin<Box<Sleep>>>,
}

impl<S: Source> EventStream<S> {
    /// A stream of what `source` says. If it `begins_silent`, and there is nothing to say, it begins with a comment.
    pub fn new(source: S, keep_alive: Duration, begins_silent: bool) -> Self {
        let written = VecDeque::new();
        EventStream { source, written, ended: false, begins_silent, keep_alive, silence: None }
    }

    fn write_what_is_there(&mut self, cx: &mut Context<'_>) {
        let mut text = Vec::new();
        while let Poll::Ready(next) = self.source.poll_next(cx) {
            match next {
                Next::Event(event) => self.write(&mut text, event),
                Next::Last(event) => {
                    self.write(&mut text, event);
                    self.ended = true;
                    break;
                }
                Next::End => {
                    self.ended = true;
                    break;
                }
            }
            // What is written waits outside the bounds of the queue: leave the rest there.
            if text.len() >= LARGE_PART || !self.written.is_empty() {
                break;
            }
        }
        self.flush(&mut text);
        if !self.written.is_empty() {
            // The silence begins anew, but a timer is only made when there is one.
            self.silence = None;
        }
    }

    fn write(&mut self, text: &mut Vec<u8>, event: Event) {
        if let Some(fields) = event.fields {
            text.extend_from_slice(fields.as_bytes());
        }
        if !event.message.is_empty() {
            text.extend_from_slice(b"data: ");
            for part in event.message.into_parts() {
                if part.len() >= LARGE_PART {
                    self.flush(text);
                    self.written.push_back(part);
                } else {
                    text.extend_from_slice(&part);
                }
            }
            text.push(b'\n');
        }
        text.push(b'\n');
    }

    fn flush(&mut self, text: &mut Vec<u8>) {
        if !text.is_empty() {
            self.written.push_back(std::mem::take(text).into());
        }
    }

    /// Waits until nothing was said for `keep_alive`.
    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let keep_alive = self.keep_alive;
        let silence = self.silence.get_or_insert_with(|| Box::pin(tokio::time::sleep(keep_alive)));
        ready!(silence.as_mut().poll(cx));
        silence.as_mut().reset(Instant::now() + keep_alive);
        Poll::Ready(())
    }
}

impl<S: Source> EventText for EventStream<S> {
    fn poll_text(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.written.is_empty() && !self.ended {
            self.write_what_is_there(cx);
        }
        let begins_silent = std::mem::take(&mut self.begins_silent);
        if let Some(text) = self.written.pop_front() {
            return Poll::Ready(Some(text));
        }
        if self.ended {
            return Poll::Ready(None);
        }
        if begins_silent {
            return Poll::Ready(Some(Bytes::from_static(COMMENT)));
        }
        ready!(self.poll_silence(cx));
        Poll::Ready(Some(Bytes::from_static(COMMENT)))
    }

    fn is_over(&self) -> bool {
        self.ended && self.written.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::Waker;

    use super::super::accept::Accepted;
    use super::super::http_reply::Reply;
    use super::super::open_call::OpenCall;
    use super::*;
    use crate::protocol::message::{Answer, AnswerStatus};
    use crate::server::outbox::Outbox;

    fn stream_of(notifications: &[Message], answer: Message, begins_silent: bool) -> Vec<Bytes> {
        let reply = Arc::new(Reply::new(Accepted { json: true, events: true }));
        for message in notifications {
            reply.notify(message.clone(), None);
        }
        reply.answer(Answer { message: answer, status: AnswerStatus::Ok });
        let mut stream = EventStream::new(OpenCall::answered(reply), DEFAULT_KEEP_ALIVE, begins_silent);
        let mut pieces = Vec::new();
        while let Poll::Ready(Some(piece)) = stream.poll_text(&mut Context::from_waker(Waker::noop())) {
            pieces.push(piece);
        }
        assert!(stream.is_over());
        pieces
    }

    fn message(text: impl Into<String>) -> Message {
        Message::whole(text.into().into_bytes())
    }

    #[test]
    fn writes_one_event_of_one_line_for_each_message() {
        let answer = Message::around(b"{".to_vec(), Bytes::from_static(b"\"a\":1"), "}");
        let pieces = stream_of(&[message("one"), message("two")], answer, false);
        assert_eq!(pieces, ["data: one\n\ndata: two\n\ndata: {\"a\":1}\n\n"]);
    }

    #[test]
    fn writes_the_fields_of_an_event_and_ends_without_an_answer_where_there_is_none() {
        struct Script(Vec<Next>);
        impl Source for Script {
            fn poll_next(&mut self, _: &mut Context<'_>) -> Poll<Next> {
                Poll::Ready(self.0.pop().unwrap_or(Next::End))
            }
        }
        let event = |fields: &str, text: &str| {
            Next::Event(Event { fields: Some(fields.into()), message: message(text) })
        };
        let script = Script(vec![event("retry: 5\n", ""), event("id: 1\n", "one")]);
        let mut stream = EventStream::new(script, DEFAULT_KEEP_ALIVE, false);
        let mut cx = Context::from_waker(Waker::noop());
        let Poll::Ready(Some(text)) = stream.poll_text(&mut cx) else { unreachable!("it is all there") };
        assert_eq!(text, "id: 1\ndata: one\n\nretry: 5\n\n");
        assert!(stream.is_over());
    }

    #[test]
    fn begins_with_a_comment_for_want_of_anything_else() {
        assert_eq!(stream_of(&[], message("answer"), true), ["data: answer\n\n"]);
        let reply = Arc::new(Reply::new(Accepted { json: true, events: true }));
        let mut stream = EventStream::new(OpenCall::answered(reply), DEFAULT_KEEP_ALIVE, true);
        let text = stream.poll_text(&mut Context::from_waker(Waker::noop()));
        assert_eq!(text, Poll::Ready(Some(Bytes::from_static(COMMENT))));
    }

    #[test]
    fn sends_a_large_part_from_where_it_lies() {
        let page = Bytes::from(vec![b'x'; LARGE_PART]);
        let answer = Message::around(b"{".to_vec(), page.clone(), "}");
        let pieces = stream_of(&[message("one")], answer, false);
        assert_eq!(pieces.len(), 3);
        assert_eq!(pieces[0], "data: one\n\ndata: {");
        assert_eq!(pieces[1].as_ptr(), page.as_ptr());
        assert_eq!(pieces[2], "}\n\n");
    }

    #[test]
    fn takes_no_more_from_the_queue_than_it_can_send() {
        let large = message("x".repeat(LARGE_PART / 2));
        let pieces = stream_of(&[large.clone(), large.clone(), large.clone()], message("answer"), false);
        assert_eq!(pieces.len(), 2, "two messages fill a piece");
    }
}
