//! The body of a request, collected into one piece and bounded in size.

use std::pin::{Pin, pin};

use bytes::{Buf, Bytes};
use http::StatusCode;
use http_body::Body;
use http_body_util::BodyExt;

use super::refusal::Refusal;

/// The name of the setting that bounds a body.
const SETTING: &str = "max_message_bytes";

/// Collects `body`, which may have up to `limit` bytes.
///
/// A body that arrives in one piece is not copied, any other once: room is made by the declared length, but
/// only when the first bytes are there. A length over the limit is refused before anything is read.
pub(super) async fn collect<B: Body>(body: B, limit: usize) -> Result<Bytes, Refusal> {
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if declared > limit {
        return Err(too_large(limit));
    }
    let mut body = pin!(body);
    let Some(first) = next(body.as_mut()).await? else { return Ok(Bytes::new()) };
    if first.len() > limit {
        return Err(too_large(limit));
    }
    if body.is_end_stream() {
        return Ok(first);
    }
    let mut whole = Vec::with_capacity(declared.max(first.len()));
    whole.extend_from_slice(&first);
    drop(first);
    while let Some(piece) = next(body.as_mut()).await? {
        if piece.len() > limit - whole.len() {
            return Err(too_large(limit));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.into())
}

/// The next piece that has bytes; trailers are passed over.
async fn next<B: Body>(mut body: Pin<&mut B>) -> Result<Option<Bytes>, Refusal> {
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(
                Refusal::new(StatusCode::BAD_REQUEST, "the body broke off before its end").and_close()
            );
        };
        if let Ok(mut data) = frame.into_data()
            && data.has_remaining()
        {
            return Ok(Some(data.copy_to_bytes(data.remaining())));
        }
    }
    Ok(None)
}

fn too_large(limit: usize) -> Refusal {
    let message = format!("the body is larger than the {limit} bytes that {SETTING} allows");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message).and_close()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::task::{Context, Poll, Waker};

    use http_body::{Frame, SizeHint};

    use super::*;

    /// A body that arrives in the given pieces.
    struct Pieces {
        pieces: VecDeque<Result<Bytes, &'static str>>,
        declared: Option<u64>,
        read: usize,
    }

    impl Body for Pieces {
        type Data = Bytes;
        type Error = &'static str;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
            self.read += 1;
            Poll::Ready(self.pieces.pop_front().map(|piece| piece.map(Frame::data)))
        }

        fn is_end_stream(&self) -> bool {
            self.declared.is_some() && self.pieces.is_empty()
        }

        fn size_hint(&self) -> SizeHint {
            self.declared.map(SizeHint::with_exact).unwrap_or_default()
        }
    }

    fn run<B: Body>(body: B, limit: usize) -> Result<Bytes, Refusal> {
        let mut future = pin!(collect(body, limit));
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => unreachable!("these bodies never wait"),
        }
    }

    fn collected(pieces: &[&'static str], declared: Option<u64>, limit: usize) -> Result<Bytes, Refusal> {
        let pieces = pieces.iter().map(|piece| Ok(Bytes::from_static(piece.as_bytes()))).collect();
        run(Pieces { pieces, declared, read: 0 }, limit)
    }

    #[test]
    fn joins_the_pieces_of_a_body() {
        for declared in [Some(6), None] {
            assert_eq!(collected(&["abc", "", "def"], declared, 6).unwrap(), "abcdef");
            assert_eq!(collected(&["abcdef"], declared, 6).unwrap(), "abcdef");
        }
        assert_eq!(collected(&[], Some(0), 6).unwrap(), "");
        assert_eq!(collected(&[], None, 6).unwrap(), "");
    }

    #[test]
    fn does_not_copy_a_body_of_one_piece() {
        let text = Bytes::from_static(b"abcdef");
        let whole = run(http_body_util::Full::new(text.clone()), 6).unwrap();
        assert_eq!(whole.as_ptr(), text.as_ptr());
    }

    #[test]
    fn refuses_a_body_over_the_limit_however_it_comes() {
        for (pieces, declared) in [
            (&["abcdefg"][..], Some(7)),
            (&["abcdefg"], None),
            (&["abc", "defg"], None),
            (&["abc", "defg"], Some(7)),
            (&[], Some(99_999_999_999)),
            (&[], Some(u64::MAX)),
        ] {
            let refusal = collected(pieces, declared, 6).unwrap_err();
            assert_eq!(refusal.status, StatusCode::PAYLOAD_TOO_LARGE);
            assert_eq!(refusal.message, "the body is larger than the 6 bytes that max_message_bytes allows");
        }
    }

    #[test]
    fn reads_nothing_of_a_body_declared_too_large() {
        struct Unread;
        impl Body for Unread {
            type Data = Bytes;
            type Error = Infallible;

            fn poll_frame(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
                unreachable!("a refused body is not read")
            }

            fn size_hint(&self) -> SizeHint {
                SizeHint::with_exact(7)
            }
        }
        assert!(run(Unread, 6).is_err());
    }

    #[test]
    fn reports_a_body_that_breaks_off() {
        let pieces = VecDeque::from([Ok(Bytes::from_static(b"ab")), Err("reset")]);
        let refusal = run(Pieces { pieces, declared: Some(6), read: 0 }, 6).unwrap_err();
        assert_eq!(refusal.status, StatusCode::BAD_REQUEST);
    }
}
