//! One request that came by the host's own web server, and its response, handed to the host piece by piece.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH};
use http::{HeaderValue, Request};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use tokio::sync::Notify;

use super::service::HttpService;
use crate::call::job;

/// Takes a response. Called on the library's threads, one call at a time, with no lock held; it must not block for
/// long.
pub trait ResponseWriter: Send + 'static {
    /// The response begins: its status and headers, names in lower case, without those that are a connection's own. A
    /// `content-length` is among them where the length is known; otherwise the body is a stream.
    fn head(&mut self, status: u16, headers: &[(&str, &[u8])]);

    /// A piece of the body, to be sent on at once.
    fn body(&mut self, piece: &[u8]);

    /// Nothing comes any more. Called once in any case, without a head too where the exchange was broken off before.
    fn end(&mut self);
}

/// How the host breaks an exchange off, because its client has gone: what runs for it is cancelled (but not in a session
/// of the older revisions, whose client may come back), and its writer is told nothing but the end.
#[derive(Clone, Debug, Default)]
pub struct Abort(Arc<Breaking>);

#[derive(Debug, Default)]
struct Breaking {
    broken: AtomicBool,
    bell: Notify,
}

impl Abort {
    /// Breaks the exchange off, from any thread. At most a call of the writer that has begun still ends.
    pub fn abort(&self) {
        self.0.broken.store(true, Ordering::Release);
        self.0.bell.notify_one();
    }

    fn is_broken(&self) -> bool {
        self.0.broken.load(Ordering::Acquire)
    }
}

/// The writer of a running exchange. Its end comes when this is dropped; `kept` goes after that.
pub(super) struct Writing<K> {
    pub writer: Box<dyn ResponseWriter>,
    pub abort: Abort,
    pub _kept: K,
}

impl<K> Writing<K> {
    fn tell(&mut self, tell: impl FnOnce(&mut dyn ResponseWriter)) {
        if !self.abort.is_broken() {
            job::as_handler(|| tell(&mut *self.writer));
        }
    }
}

impl<K> Drop for Writing<K> {
    fn drop(&mut self) {
        job::as_handler(|| self.writer.end());
    }
}

/// Answers `request` until the response is written or the exchange broken off.
pub(super) async fn run<K>(service: Arc<HttpService>, request: Request<Bytes>, mut writing: Writing<K>) {
    let abort = writing.abort.clone();
    let mut broken = pin!(abort.0.bell.notified());
    let mut written = pin!(answer(&service, request, &mut writing));
    poll_fn(|cx| match broken.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(()),
        Poll::Pending => written.as_mut().poll(cx),
    })
    .await;
}

async fn answer<K>(service: &HttpService, request: Request<Bytes>, writing: &mut Writing<K>) {
    let response = service.call(request.map(Full::new)).await;
    let (mut head, body) = response.into_parts();
    // The host knows what it has read of the request, and what becomes of the connection.
    head.headers.remove(CONNECTION);
    if let Some(length) = body.size_hint().exact() {
        head.headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    let headers: Vec<_> =
        head.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    writing.tell(|writer| writer.head(head.status.as_u16(), &headers));
    drop(headers);
    let mut body = pin!(body);
    while let Some(Ok(frame)) = body.frame().await {
        if let Some(piece) = frame.data_ref() {
            writing.tell(|writer| writer.body(piece));
        }
    }
}
