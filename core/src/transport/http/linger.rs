//! The end of a connection that the server closes while its client may still be sending.
//!
//! Closing a socket that has unread bytes resets the connection, and the reset can overtake the response: a
//! client that sends a body which was refused would see a broken pipe in place of the reason. So the sending side
//! is closed first, and what comes is read and dropped until the client closes too, or for a while.
//!
//! RFC 9112, 9.6.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// The longest time to wait for the client to close.
const PATIENCE: Duration = Duration::from_secs(2);

/// Closes one connection.
#[derive(Default)]
pub(super) struct Linger {
    sending_closed: bool,
    time: Option<Pin<Box<Sleep>>>,
}

impl Linger {
    /// Closes the sending side, then waits for the client, unless `at_once`.
    pub fn poll_close(
        &mut self,
        stream: &mut TcpStream,
        at_once: bool,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.sending_closed {
            ready!(Pin::new(&mut *stream).poll_shutdown(cx))?;
            self.sending_closed = true;
        }
        if at_once {
            return Poll::Ready(Ok(()));
        }
        // The time first: a client that never pauses would keep it from being looked at.
        let time = self.time.get_or_insert_with(|| Box::pin(tokio::time::sleep(PATIENCE)));
        if time.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let mut dropped = [0; 16 << 10];
        loop {
            let mut buffer = ReadBuf::new(&mut dropped);
            match ready!(Pin::new(&mut *stream).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {}
                _ => return Poll::Ready(Ok(())),
            }
        }
    }
}
