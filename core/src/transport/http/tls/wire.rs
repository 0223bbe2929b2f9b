//! The way on which requests come: the socket itself, or TLS around it.

use std::io::{self, IoSlice, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::super::socket::Socket;

/// One type for both, so that HTTP is built once.
///
/// TLS lies around the socket, which therefore counts and lingers as it always does: when TLS shuts down, it sends its
/// `close_notify` and then shuts the socket down.
pub(in crate::transport::http) enum Wire {
    /// Plain HTTP.
    Plain(Socket),
    /// HTTPS.
    Secure(Box<TlsStream<Socket>>),
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(socket) => Pin::new(socket).poll_read(cx, buffer),
            Wire::Secure(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, text: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Wire::Plain(socket) => Pin::new(socket).poll_write(cx, text),
            Wire::Secure(stream) => Pin::new(stream).poll_write(cx, text),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        texts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Wire::Plain(socket) => Pin::new(socket).poll_write_vectored(cx, texts),
            Wire::Secure(stream) => Pin::new(stream).poll_write_vectored(cx, texts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Wire::Plain(socket) => socket.is_write_vectored(),
            Wire::Secure(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(socket) => Pin::new(socket).poll_flush(cx),
            Wire::Secure(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(socket) => Pin::new(socket).poll_shutdown(cx),
            Wire::Secure(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

impl Drop for Wire {
    /// A connection that is dropped at rest, as an idle one is, ends with a `close_notify` as well. One that is dropped
    /// in the middle of a response does not: its client must not take what came for the whole.
    fn drop(&mut self) {
        let Wire::Secure(stream) = self else { return };
        let (socket, session) = stream.get_mut();
        if socket.connection().is_at_rest() && !session.wants_write() {
            session.send_close_notify();
            // Tried once: nobody waits any more.
            let _ = session.write_tls(&mut AtOnce(socket.stream()));
        }
    }
}

/// Writes what the system takes without waiting.
struct AtOnce<'a>(&'a TcpStream);

impl Write for AtOnce<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.try_write(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
