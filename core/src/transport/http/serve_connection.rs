//! One connection of a listener: its socket, and the requests that come by it.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::linger::Linger;
use super::open_connections::{BodyInWork, Connection, Phase, RequestInWork};
use super::reply_body::ReplyBody;
use super::service::HttpService;

/// Serves `stream` until it is closed, by its client, by its own silence, or with its listener.
pub(super) async fn serve(
    stream: TcpStream,
    connection: Arc<Connection>,
    service: Arc<HttpService>,
    protocols: &auto::Builder<TokioExecutor>,
) {
    // Requests hold a handle of this connection's own: one on the listener's would be counted by every worker.
    let own = Arc::new(Own { connection: connection.clone(), service });
    let answer = service_fn(move |request| respond(request, own.clone()));
    let socket = Socket { stream, connection: connection.clone(), linger: Linger::default(), at_end: false };
    let mut http = pin!(protocols.serve_connection(TokioIo::new(socket), answer));
    let mut winding_up = false;
    poll_fn(|cx| {
        connection.is_polled_by(cx.waker());
        match connection.phase() {
            Phase::Closed => return Poll::Ready(()),
            Phase::Draining if !winding_up => {
                winding_up = true;
                http.as_mut().graceful_shutdown();
            }
            Phase::Draining | Phase::Open => {}
        }
        // An error is the client's doing, and nobody is left to tell.
        http.as_mut().poll(cx).map(drop)
    })
    .await;
}

/// What the requests of one connection share.
struct Own {
    connection: Arc<Connection>,
    service: Arc<HttpService>,
}

async fn respond(request: Request<Incoming>, own: Arc<Own>) -> Result<Response<Outgoing>, Infallible> {
    let (body, in_work) = own.connection.request_began(request.version() == Version::HTTP_2);
    let request = request.map(|incoming| Arriving { body: incoming, _in_work: body });
    let response = own.service.call(request).await;
    Ok(response.map(|reply| Outgoing { body: reply, _in_work: in_work }))
}

/// The body of a request, noted while it is incomplete.
struct Arriving {
    body: Incoming,
    _in_work: BodyInWork,
}

impl Body for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a response, noted until it is handed over.
struct Outgoing {
    body: ReplyBody,
    _in_work: RequestInWork,
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The socket: notes when bytes come and whether they go, and lingers at the end.
struct Socket {
    stream: TcpStream,
    connection: Arc<Connection>,
    linger: Linger,
    /// Whether the client has closed its sending side.
    at_end: bool,
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if read.is_ready() {
            if buffer.filled().len() > before {
                self.connection.bytes_came();
            } else {
                self.at_end = true;
            }
        }
        read
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, text: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(cx, text);
        self.connection.wrote(wrote.is_pending());
        wrote
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        texts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(cx, texts);
        self.connection.wrote(wrote.is_pending());
        wrote
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Socket { stream, connection, linger, at_end } = &mut *self;
        let at_once = *at_end || connection.phase() != Phase::Open;
        linger.poll_close(stream, at_once, cx)
    }
}
