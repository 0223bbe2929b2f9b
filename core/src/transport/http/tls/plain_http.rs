//! Plain HTTP on a port that speaks TLS: the client is told so in its own language.

use std::future::poll_fn;
use std::pin::Pin;

use tokio::io::AsyncWrite;

use super::super::socket::Socket;

/// What the client gets.
const ANSWER: &str = "HTTP/1.1 400 Bad Request\r\n\
    Content-Type: text/plain; charset=utf-8\r\n\
    Content-Length: 64\r\n\
    Connection: close\r\n\
    \r\n\
    This port speaks HTTPS: begin the address with https, not http.\n";

/// Whether a connection that begins with `byte` begins with a method of HTTP: those are in capitals, and TLS begins with
/// the number 22.
pub(super) fn begins_with(byte: u8) -> bool {
    byte.is_ascii_uppercase()
}

/// Answers, and closes.
pub(super) async fn turn_away(mut socket: Socket) {
    // It fits into the empty buffer of a new socket. If the client is gone, there is nobody to tell.
    let _ = poll_fn(|cx| Pin::new(&mut socket).poll_write(cx, ANSWER.as_bytes())).await;
    let _ = poll_fn(|cx| Pin::new(&mut socket).poll_shutdown(cx)).await;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_answer_says_its_own_length() {
        let (head, body) = ANSWER.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())));
    }
}
