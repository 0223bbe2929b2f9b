//! How a connection begins: with a handshake, where the listener has a certificate.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use tokio::io::AsyncWrite;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::super::open_connections::{Connection, Phase};
use super::super::socket::Socket;
use super::plain_http;
use super::renewal::Tls;
use super::wire::Wire;
use crate::runtime::library_log;

/// The way on which the requests of `connection` come: the socket itself without `tls`, else what a handshake makes of
/// it. `None` where that comes to nothing, or takes longer than the connection may last; then the socket is closed.
pub(in crate::transport::http) async fn begin(
    socket: Socket,
    connection: &Connection,
    tls: Option<&Tls>,
) -> Option<Wire> {
    let Some(tls) = tls else { return Some(Wire::Plain(socket)) };
    // In a box, so that plain connections need no room for it.
    let secured = Box::pin(shake_hands(socket, tls));
    Some(Wire::Secure(Box::new(while_open(connection, secured).await??)))
}

/// Waits for `work`, unless the connection is to be closed before: it has no request yet that could be finished.
async fn while_open<F: Future>(connection: &Connection, work: F) -> Option<F::Output> {
    let mut work = pin!(work);
    poll_fn(|cx| {
        connection.is_polled_by(cx.waker());
        if connection.phase() == Phase::Open { work.as_mut().poll(cx).map(Some) } else { Poll::Ready(None) }
    })
    .await
}

async fn shake_hands(socket: Socket, tls: &Tls) -> Option<TlsStream<Socket>> {
    // A client that closes before it has sent anything has only tried the port.
    let first = first_byte(&socket).await?;
    if plain_http::begins_with(first) {
        failed(&socket, "it speaks plain HTTP");
        plain_http::turn_away(socket).await;
        return None;
    }
    match TlsAcceptor::from(tls.current()).accept(socket).into_fallible().await {
        Ok(stream) => Some(stream),
        Err((error, mut socket)) => {
            failed(&socket, error);
            // With time for the client to read why. If it is gone, there is nobody to tell.
            let _ = poll_fn(|cx| Pin::new(&mut socket).poll_shutdown(cx)).await;
            None
        }
    }
}

/// The first byte that comes, which stays to be read.
async fn first_byte(socket: &Socket) -> Option<u8> {
    let mut byte = [0];
    let count = socket.stream().peek(&mut byte).await.ok()?;
    (count > 0).then_some(byte[0])
}

fn failed(socket: &Socket, why: impl fmt::Display) {
    let peer = socket.stream().peer_addr();
    let peer = peer.map_or_else(|_| "a client".to_owned(), |address| address.to_string());
    library_log::debug(format_args!("TLS: no handshake with {peer}: {why}"));
}
