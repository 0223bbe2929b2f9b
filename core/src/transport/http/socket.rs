//! The socket of one connection: notes when bytes come and whether they go, and lingers at the end.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::linger::Linger;
use super::open_connections::{Connection, Phase};

/// The bytes of a connection as they pass the system.
pub(super) struct Socket {
    stream: TcpStream,
    connection: Arc<Connection>,
    linger: Linger,
    /// Whether the client has closed its sending side.
    at_end: bool,
}

impl Socket {
    /// The socket of `connection`.
    pub fn new(stream: TcpStream, connection: Arc<Connection>) -> Self {
        Socket { stream, connection, linger: Linger::default(), at_end: false }
    }

    /// The connection that it carries.
    #[cfg(feature = "tls")]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Where it leads, while that is known.
    #[cfg(feature = "tls")]
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }
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
