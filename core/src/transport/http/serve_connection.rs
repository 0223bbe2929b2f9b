//! One connection of a listener, and the requests that come by it.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::accept_loop::Intake;
use super::open_connections::{BodyInWork, Connection, Phase, RequestInWork};
use super::reply_body::ReplyBody;
use super::service::HttpService;
use super::socket::Socket;
#[cfg(feature = "tls")]
use super::tls;

/// Serves `stream` until it is closed, by its client, by its own silence, or with its listener.
pub(super) async fn serve(stream: TcpStream, connection: Arc<Connection>, intake: &Intake) {
    let wire = Socket::new(stream, connection.clone());
    #[cfg(feature = "tls")]
    let Some(wire) = tls::begin(wire, &connection, intake.tls.as_deref()).await else { return };
    speak(wire, connection, intake).await;
}

/// Answers the requests that come by `wire`.
async fn speak<W>(wire: W, connection: Arc<Connection>, intake: &Intake)
where
    W: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // Requests hold a handle of this connection's own: one on the listener's would be counted by every worker.
    let own = Arc::new(Own { connection: connection.clone(), service: intake.service.clone() });
    let answer = service_fn(move |request| respond(request, own.clone()));
    let mut http = pin!(intake.protocols.serve_connection(TokioIo::new(wire), answer));
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
