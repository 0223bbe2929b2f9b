//! What waits to be written, so arranged that all of it goes out by as few writes as possible.
//!
//! Small messages lie one behind the other in one buffer. A large part is not copied: it stands in the queue by itself
//! and is gathered from where it lies.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::mem;

use bytes::Bytes;

use super::output_stream::OutputStream;
use crate::protocol::message::Message;

/// A part of at least so many bytes is written from where it lies and not copied.
const LARGE: usize = 16 << 10;

/// A buffer that reached this is closed: what is written of it can go soon, however long the queue stays behind.
const FULL: usize = 64 << 10;

/// Pieces that one write gathers at most.
const GATHER: usize = 32;

/// Messages on their way to one output, in order. Holds no lock and does no I/O by itself.
#[derive(Debug, Default)]
pub struct OutputQueue {
    pieces: VecDeque<Piece>,
    /// Small messages behind all pieces.
    tail: Vec<u8>,
    /// Bytes of the first piece, or else of the tail, that are out already.
    written: usize,
    waiting: usize,
    /// An empty buffer, kept for the next small messages.
    spare: Vec<u8>,
}

/// How far a queue was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing waits any more.
    All,
    /// The peer reads too slowly: wait until the output has room.
    Blocked,
}

impl OutputQueue {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Queues a message and the LF behind it.
    pub fn push(&mut self, message: Message) {
        self.waiting += message.len() + 1;
        if message.len() < LARGE {
            message.append_to(&mut self.tail);
        } else {
            for part in message.into_parts() {
                if part.len() >= LARGE {
                    self.close_tail();
                    self.pieces.push_back(Piece::Large(part));
                } else {
                    self.tail.extend_from_slice(&part);
                }
            }
        }
        self.tail.push(b'\n');
        if self.tail.len() >= FULL {
            self.close_tail();
        }
    }

    /// Bytes that wait.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Writes until nothing waits or the output has no room. An error ends the connection.
    pub fn write_to(&mut self, output: &OutputStream) -> io::Result<Written> {
        while !self.is_empty() {
            let mut slices = [IoSlice::new(&[]); GATHER];
            let all = self.pieces.iter().map(Piece::bytes).chain([&self.tail[..]]);
            let mut skip = self.written;
            for (slice, bytes) in slices.iter_mut().zip(all) {
                *slice = IoSlice::new(&bytes[skip..]);
                skip = 0;
            }
            match output.write(&slices[..GATHER.min(self.pieces.len() + 1)]) {
                Ok(written) => self.advance(written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Written::Blocked),
                Err(error) => return Err(error),
            }
        }
        Ok(Written::All)
    }

    /// Makes the tail a piece, so that something else may stand behind it.
    fn close_tail(&mut self) {
        if !self.tail.is_empty() {
            let tail = mem::replace(&mut self.tail, mem::take(&mut self.spare));
            self.pieces.push_back(Piece::Small(tail));
        }
    }

    /// Drops what is out.
    fn advance(&mut self, written: usize) {
        self.waiting -= written;
        self.written += written;
        while let Some(first) = self.pieces.front() {
            let length = first.bytes().len();
            if self.written < length {
                return;
            }
            self.written -= length;
            if let Some(Piece::Small(mut buffer)) = self.pieces.pop_front() {
                buffer.clear();
                self.spare = buffer;
            }
        }
        if self.written == self.tail.len() {
            self.tail.clear();
            self.written = 0;
        }
    }
}

#[derive(Debug)]
enum Piece {
    Small(Vec<u8>),
    Large(Bytes),
}

impl Piece {
    fn bytes(&self) -> &[u8] {
        match self {
            Piece::Small(buffer) => buffer,
            Piece::Large(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use std::io::{Read, pipe};
    use std::os::fd::AsFd;

    fn text(byte: u8, length: usize) -> Vec<u8> {
        vec![byte; length]
    }

    /// A message of the given parts, and the line that it must become.
    fn message(head: usize, body: usize, tail: usize) -> (Message, Vec<u8>) {
        let parts = [text(b'h', head), text(b'b', body), text(b't', tail)];
        let line = [&parts.concat()[..], b"\n"].concat();
        let [head, body, tail] = parts;
        (Message::around(head, body.into(), tail), line)
    }

    #[test]
    fn lines_come_out_as_they_went_in_whatever_their_size() {
        let shapes =
            [(3, 0, 0), (1, 20_000, 1), (20_000, 5, 20_000), (0, 100_000, 0), (9, 9, 9), (16_384, 0, 0)];
        let (mut reader, writer) = pipe().unwrap();
        let output = OutputStream::new(writer.as_fd()).unwrap();
        drop(writer);
        let collector = std::thread::spawn(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).unwrap();
            all
        });
        let mut queue = OutputQueue::new();
        let mut expected = Vec::new();
        for round in 0..40 {
            for (head, body, tail) in shapes {
                let (message, line) = message(head, body, tail);
                queue.push(message);
                expected.extend_from_slice(&line);
                if round % 3 == 0 {
                    // Written in part, so that later messages are queued behind half of one.
                    queue.write_to(&output).unwrap();
                }
            }
        }
        while queue.write_to(&output).unwrap() == Written::Blocked {
            let mut entry = libc::pollfd { fd: output_fd(&output), events: libc::POLLOUT, revents: 0 };
            // SAFETY: one entry is passed, and it outlives the call.
            assert_eq!(unsafe { libc::poll(&mut entry, 1, 20_000) }, 1);
        }
        assert!(queue.is_empty() && queue.pieces.is_empty() && queue.tail.is_empty() && queue.written == 0);
        drop(output);
        assert!(collector.join().unwrap() == expected);
    }

    #[test]
    fn what_is_ready_together_goes_out_in_one_write() {
        let (client, server) = std::os::unix::net::UnixDatagram::pair().unwrap();
        let output = OutputStream::new(server.as_fd()).unwrap();
        let mut queue = OutputQueue::new();
        for _ in 0..64 {
            queue.push(message(10, 0, 0).0);
        }
        queue.push(message(10, 20_000, 10).0);
        assert_eq!(queue.write_to(&output).unwrap(), Written::All);
        let mut packet = vec![0; 100_000];
        // One datagram is one write.
        assert_eq!(client.recv(&mut packet).unwrap(), 64 * 11 + 20_021);
    }

    #[test]
    fn a_queue_that_never_empties_keeps_no_more_than_what_waits() {
        let (mut reader, writer) = pipe().unwrap();
        let output = OutputStream::new(writer.as_fd()).unwrap();
        let mut queue = OutputQueue::new();
        let mut taken = vec![0; 50_000];
        for _ in 0..10 {
            queue.push(message(10_000, 0, 0).0);
        }
        for _ in 0..2_000 {
            for _ in 0..5 {
                queue.push(message(9_999, 0, 0).0);
            }
            queue.write_to(&output).unwrap();
            reader.read_exact(&mut taken).unwrap();
            let held: usize = queue.pieces.iter().map(|piece| piece.bytes().len()).sum();
            assert!(held + queue.tail.len() <= queue.waiting() + 2 * FULL);
        }
        assert!(queue.waiting() < 200_000);
    }

    fn output_fd(output: &OutputStream) -> libc::c_int {
        use std::os::fd::AsRawFd;
        output.descriptor().as_raw_fd()
    }
}
