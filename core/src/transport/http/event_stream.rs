//! A response as a stream of server-sent events: notifications, the answer, the end.
//!
//! Each message is one event of one `data:` line. While nothing is to be said, a comment now and then keeps
//! proxies from cutting the connection.
//!
//! Specification: Streamable HTTP, "Receiving Messages".

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep};

use super::http_reply::Next;
use super::open_call::OpenCall;
use crate::protocol::message::Message;

/// The silence on a response after which a comment is sent, and after which a client that waits for one JSON
/// object gets a stream instead, unless set otherwise.
pub const DEFAULT_KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The comment: a line that events' readers pass over.
const COMMENT: &[u8] = b":\n\n";

/// A part of a message of this size or more is sent from where it lies; smaller ones are joined.
const LARGE_PART: usize = 16 << 10;

/// The stream of one request's messages.
pub(super) struct EventStream {
    call: OpenCall,
    /// What is written but not yet taken.
    written: VecDeque<Bytes>,
    answered: bool,
    keep_alive: Duration,
    silence: Option<Pin<Box<Sleep>>>,
}

impl EventStream {
    /// A stream of what `call` says, with a comment at its beginning if it begins for want of anything else.
    pub fn new(call: OpenCall, keep_alive: Duration, begins_silent: bool) -> Self {
        let written = if begins_silent { [Bytes::from_static(COMMENT)].into() } else { VecDeque::new() };
        EventStream { call, written, answered: false, keep_alive, silence: None }
    }

    /// The next piece of the stream's text, `None` at its end.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.written.is_empty() && !self.answered {
            self.write_what_is_there(cx);
        }
        if let Some(text) = self.written.pop_front() {
            return Poll::Ready(Some(text));
        }
        if self.answered {
            return Poll::Ready(None);
        }
        ready!(self.poll_silence(cx));
        Poll::Ready(Some(Bytes::from_static(COMMENT)))
    }

    /// Whether everything has been taken.
    pub fn is_over(&self) -> bool {
        self.answered && self.written.is_empty()
    }

    fn write_what_is_there(&mut self, cx: &mut Context<'_>) {
        let mut text = Vec::new();
        while let Poll::Ready(next) = self.call.poll_next(cx) {
            match next {
                Next::Notification(message) => self.write(&mut text, message),
                Next::Answer(answer) => {
                    self.write(&mut text, answer.message);
                    self.answered = true;
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

    fn write(&mut self, text: &mut Vec<u8>, message: Message) {
        text.extend_from_slice(b"data: ");
        for part in message.into_parts() {
            if part.len() >= LARGE_PART {
                self.flush(text);
                self.written.push_back(part);
            } else {
                text.extend_from_slice(&part);
            }
        }
        text.extend_from_slice(b"\n\n");
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::Waker;

    use super::super::accept::Accepted;
    use super::super::http_reply::Reply;
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
        while let Poll::Ready(Some(piece)) = stream.poll_next(&mut Context::from_waker(Waker::noop())) {
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
    fn begins_with_a_comment_when_it_begins_for_want_of_anything_else() {
        assert_eq!(stream_of(&[], message("answer"), true), [":\n\n", "data: answer\n\n"]);
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
