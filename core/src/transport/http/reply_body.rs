//! The body of a response: nothing, one message, or a stream of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::event_stream::EventText;
use crate::protocol::message::Message;

/// What `HttpService` answers with. Dropping it before its end tells the call behind it that the client is gone.
pub struct ReplyBody(Kind);

enum Kind {
    /// The parts still to be sent, each sent from where it lies.
    Parts([Bytes; 3]),
    Events(Box<dyn EventText>),
}

impl ReplyBody {
    /// No body.
    pub(super) fn empty() -> Self {
        ReplyBody(Kind::Parts(Default::default()))
    }

    /// One message of a known length.
    pub(super) fn message(message: Message) -> Self {
        ReplyBody(Kind::Parts(message.into_parts()))
    }

    /// A stream of events.
    pub(super) fn events(events: Box<dyn EventText>) -> Self {
        ReplyBody(Kind::Events(events))
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Kind::Parts(parts) => {
                let part = parts.iter_mut().find(|part| !part.is_empty()).map(std::mem::take);
                Poll::Ready(part.map(|part| Ok(Frame::data(part))))
            }
            Kind::Events(events) => events.poll_text(cx).map(|text| text.map(|text| Ok(Frame::data(text)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Parts(parts) => parts.iter().all(Bytes::is_empty),
            Kind::Events(events) => events.is_over(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Parts(parts) => SizeHint::with_exact(parts.iter().map(|part| part.len() as u64).sum()),
            Kind::Events(_) => SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::task::Waker;

    use super::*;

    #[test]
    fn sends_the_parts_of_a_message_uncopied_and_says_its_length() {
        let page = Bytes::from_static(b"page");
        for (head, body, tail, frames) in
            [("a", page.clone(), "b", 3), ("a", Bytes::new(), "", 1), ("", page.clone(), "", 1)]
        {
            let message = Message::around(head.as_bytes().to_vec(), body, tail.as_bytes());
            let mut body = ReplyBody::message(message);
            let length = body.size_hint().exact().unwrap();
            let mut sent = Vec::new();
            let mut cx = Context::from_waker(Waker::noop());
            while let Poll::Ready(Some(frame)) = Pin::new(&mut body).poll_frame(&mut cx) {
                sent.push(frame.unwrap().into_data().unwrap());
            }
            assert!(body.is_end_stream());
            assert_eq!(sent.len(), frames);
            assert_eq!(sent.iter().map(Bytes::len).sum::<usize>() as u64, length);
            assert!(head.is_empty() || sent.len() == 1 || sent[1].as_ptr() == page.as_ptr());
        }
        assert!(ReplyBody::empty().is_end_stream());
        assert_eq!(ReplyBody::empty().size_hint().exact(), Some(0));
    }
}
