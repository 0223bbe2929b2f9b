//! Cuts a byte stream into messages: lines that end with LF and nothing else.
//!
//! A message is handed out as a part of the very buffer that it was read into. Memory is bounded: a line past the
//! limit is dropped while it is read, reported once, and reading goes on behind its end.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use bytes::{Bytes, BytesMut};

/// Bytes asked for by one read.
const READ: usize = 64 << 10;

/// With less room than this, a buffer gets more before the next read.
const LEAST_ROOM: usize = 4 << 10;

/// A buffer that had to grow past this is not kept once its line is out.
const KEEP: usize = 4 * READ;

/// What the stream holds next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line that is not blank, without its LF and a CR before that.
    Message(Bytes),
    /// A line longer than the limit, in bytes: it is dropped.
    TooLong {
        /// The limit.
        limit: usize,
    },
}

/// What a read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Bytes: there may be lines now.
    Bytes,
    /// Nothing yet; wait until the input is ready.
    Nothing,
    /// The end of the stream: what is left is the last line.
    End,
}

/// Reads lines, each at most so many bytes long.
pub struct LineReader {
    limit: usize,
    buffer: BytesMut,
    /// So many bytes at the front of `buffer` have no LF.
    scanned: usize,
    state: State,
}

enum State {
    /// Inside a line, or before one.
    Reading,
    /// Behind the limit, before the LF that ends the line.
    Skipping,
    /// Behind the end of the stream.
    Ended,
}

impl LineReader {
    /// A reader of lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, buffer: BytesMut::new(), scanned: 0, state: State::Reading }
    }

    /// Reads once, at most 64 KiB. Take all lines by `next_line` before the next read.
    pub fn read_from(&mut self, input: BorrowedFd<'_>) -> io::Result<Read> {
        self.make_room();
        let room = self.buffer.spare_capacity_mut();
        let length = room.len().min(READ);
        let read = loop {
            // SAFETY: `room` has at least `length` bytes, which may be written though they are not initialised.
            let read = unsafe { libc::read(input.as_raw_fd(), room.as_mut_ptr().cast(), length) };
            if let Ok(read) = usize::try_from(read) {
                break read;
            }
            let error = io::Error::last_os_error();
            match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock => return Ok(Read::Nothing),
                _ => return Err(error),
            }
        };
        if read == 0 {
            self.end();
            return Ok(Read::End);
        }
        // SAFETY: the read filled so many bytes behind the length.
        unsafe { self.buffer.set_len(self.buffer.len() + read) };
        Ok(Read::Bytes)
    }

    /// The next line that was read whole, if there is one. Blank lines are passed over.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let end = memchr::memchr(b'\n', &self.buffer[self.scanned..]).map(|at| self.scanned + at);
            let line = match end {
                Some(end) => self.cut(end, 1),
                None if matches!(self.state, State::Ended) && !self.buffer.is_empty() => {
                    self.cut(self.buffer.len(), 0)
                }
                None => return self.go_without_end(),
            };
            if line.is_some() {
                return line;
            }
        }
    }

    /// Takes the line of `length` bytes off the buffer, with the `terminator` behind it.
    fn cut(&mut self, length: usize, terminator: usize) -> Option<Line> {
        let line = self.buffer.split_to(length + terminator);
        self.scanned = 0;
        if line.len() >= KEEP {
            // The line keeps the large buffer to itself; what lies behind it is less than one read.
            self.buffer = BytesMut::from(&self.buffer[..]);
        }
        if matches!(self.state, State::Skipping) {
            self.state = State::Reading;
            return None;
        }
        let mut line = line.freeze();
        line.truncate(length);
        if line.last() == Some(&b'\r') {
            line.truncate(length - 1);
        }
        if line.len() > self.limit {
            return Some(Line::TooLong { limit: self.limit });
        }
        let blank = line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        if blank { None } else { Some(Line::Message(line)) }
    }

    /// What is left is the last line, unless it is too long anyway.
    fn end(&mut self) {
        if matches!(self.state, State::Skipping) {
            self.forget();
        }
        self.state = State::Ended;
    }

    /// The buffer holds a part of a line: keeps it for later, unless the line is too long already.
    fn go_without_end(&mut self) -> Option<Line> {
        self.scanned = self.buffer.len();
        match self.state {
            // One byte more may be the CR of a line that is just within the limit.
            State::Reading if self.scanned > self.limit.saturating_add(1) => {
                self.forget();
                self.state = State::Skipping;
                Some(Line::TooLong { limit: self.limit })
            }
            State::Skipping => {
                self.forget();
                None
            }
            State::Reading | State::Ended => None,
        }
    }

    fn forget(&mut self) {
        self.buffer.clear();
        self.scanned = 0;
        if self.buffer.capacity() > KEEP {
            self.buffer = BytesMut::new();
        }
    }

    /// Doubles the buffer of a line that outgrows it, but not much past the limit.
    fn make_room(&mut self) {
        let held = self.buffer.len();
        if self.buffer.capacity() - held >= LEAST_ROOM {
            return;
        }
        let needed = self.limit.saturating_add(2).saturating_sub(held);
        self.buffer.reserve(held.min(needed).max(READ));
    }
}

impl std::fmt::Debug for LineReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let held = self.buffer.len();
        formatter
            .debug_struct("LineReader")
            .field("limit", &self.limit)
            .field("held", &held)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use std::io::{Seek, Write, pipe};
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::thread;

    const LIMIT: usize = 1 << 20;

    /// Everything that comes out when `text` comes in, `chunk` bytes at a time.
    fn lines_of(text: &[u8], chunk: usize, limit: usize) -> Vec<Line> {
        let mut reader = LineReader::new(limit);
        let mut lines = Vec::new();
        for part in text.chunks(chunk) {
            reader.buffer.extend_from_slice(part);
            lines.extend(std::iter::from_fn(|| reader.next_line()));
        }
        reader.end();
        lines.extend(std::iter::from_fn(|| reader.next_line()));
        lines
    }

    fn message(text: &[u8]) -> Line {
        Line::Message(Bytes::copy_from_slice(text))
    }

    /// Reads `input` to its end, waiting where it has nothing yet.
    fn read_all(input: BorrowedFd<'_>, limit: usize) -> Vec<Line> {
        let mut reader = LineReader::new(limit);
        let mut lines = Vec::new();
        loop {
            match reader.read_from(input).unwrap() {
                Read::Nothing => {
                    let mut entry = libc::pollfd { fd: input.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                    // SAFETY: one entry is passed, and it outlives the call.
                    assert_eq!(unsafe { libc::poll(&mut entry, 1, 20_000) }, 1);
                }
                Read::Bytes => lines.extend(std::iter::from_fn(|| reader.next_line())),
                Read::End => {
                    lines.extend(std::iter::from_fn(|| reader.next_line()));
                    return lines;
                }
            }
        }
    }

    #[test]
    fn only_lf_ends_a_line() {
        type Case = (&'static str, &'static [&'static str]);
        let cases: &[Case] = &[
            ("", &[]),
            ("a", &["a"]),
            ("a\n", &["a"]),
            ("a\nb", &["a", "b"]),
            ("a\r\nb\r\n", &["a", "b"]),
            ("a\r\r\n", &["a\r"]),
            ("a\rb\n", &["a\rb"]),
            ("a\r", &["a"]),
            ("\n\r\n \t \n \r\n\r", &[]),
            (" a \n", &[" a "]),
            ("\u{feff}a\r\n", &["\u{feff}a"]),
            (
                "a\u{2028}b\u{2029}c\u{85}d\u{b}\u{c}e\u{1c}\n",
                &["a\u{2028}b\u{2029}c\u{85}d\u{b}\u{c}e\u{1c}"],
            ),
            ("a\0b\n", &["a\0b"]),
        ];
        for (text, expected) in cases {
            let expected: Vec<Line> = expected.iter().map(|line| message(line.as_bytes())).collect();
            for chunk in [1, 2, 3, 1000] {
                assert_eq!(lines_of(text.as_bytes(), chunk, LIMIT), expected, "{text:?} by {chunk}");
            }
        }
    }

    #[test]
    fn a_line_past_the_limit_is_reported_once_and_the_next_one_read() {
        let too_long = Line::TooLong { limit: 4 };
        let cases: &[(&[u8], Vec<Line>)] = &[
            (b"abcd\nx\n", vec![message(b"abcd"), message(b"x")]),
            (b"abcd\r\nx\n", vec![message(b"abcd"), message(b"x")]),
            (b"abcde\nx\n", vec![too_long.clone(), message(b"x")]),
            (b"abcdef\r\nx\n", vec![too_long.clone(), message(b"x")]),
            (b"a\nabcdefghijklmnopqrst\n\nx", vec![message(b"a"), too_long.clone(), message(b"x")]),
            (b"abcdefghijklmnopqrst", vec![too_long.clone()]),
            (b"abcdefgh\nabcdefgh\nx\n", vec![too_long.clone(), too_long.clone(), message(b"x")]),
        ];
        for (text, expected) in cases {
            for chunk in [1, 3, 7, 1000] {
                assert_eq!(&lines_of(text, chunk, 4), expected, "{text:?} by {chunk}");
            }
        }
    }

    #[test]
    fn an_endless_line_takes_no_more_memory_than_the_limit() {
        let (input, mut client) = pipe().unwrap();
        let writer = thread::spawn(move || {
            client.write_all(b"first\n").unwrap();
            let block = vec![b'A'; 1 << 20];
            for _ in 0..64 {
                client.write_all(&block).unwrap();
            }
            client.write_all(b"\nlast\n").unwrap();
        });
        let mut reader = LineReader::new(LIMIT);
        let mut lines = Vec::new();
        while reader.read_from(input.as_fd()).unwrap() != Read::End {
            assert!(reader.buffer.len() <= LIMIT + READ + 2);
            assert!(reader.buffer.capacity() <= 4 * LIMIT);
            lines.extend(std::iter::from_fn(|| reader.next_line()));
        }
        writer.join().unwrap();
        assert_eq!(lines, [message(b"first"), Line::TooLong { limit: LIMIT }, message(b"last")]);
        assert!(reader.buffer.capacity() <= KEEP);
    }

    #[test]
    fn lines_of_every_size_arrive_whole_and_in_order() {
        let sizes = [1, 4095, 4096, 65_535, 65_536, 65_537, 1 << 20, 12 << 20, 5];
        let mut text = Vec::new();
        for (number, size) in sizes.iter().enumerate() {
            text.extend(std::iter::repeat_n(b'a' + number as u8, *size));
            text.extend_from_slice(b"\nnext\n");
        }
        let (input, mut client) = pipe().unwrap();
        let writer = thread::spawn(move || client.write_all(&text).unwrap());
        let lines = read_all(input.as_fd(), 16 << 20);
        writer.join().unwrap();
        assert_eq!(lines.len(), 2 * sizes.len());
        for (number, size) in sizes.iter().enumerate() {
            let Line::Message(line) = &lines[2 * number] else { unreachable!("within the limit") };
            assert!(line.len() == *size && line.iter().all(|byte| *byte == b'a' + number as u8), "{size}");
            assert_eq!(lines[2 * number + 1], message(b"next"));
        }
    }

    #[test]
    fn a_large_buffer_goes_with_its_line() {
        let (input, mut client) = pipe().unwrap();
        let writer = thread::spawn(move || {
            client.write_all(&vec![b'x'; 10 << 20]).unwrap();
            client.write_all(b"\nsmall\n").unwrap();
        });
        let mut reader = LineReader::new(16 << 20);
        let mut count = 0;
        while reader.read_from(input.as_fd()).unwrap() != Read::End {
            count += std::iter::from_fn(|| reader.next_line()).count();
        }
        writer.join().unwrap();
        assert_eq!(count, 2);
        assert!(reader.buffer.capacity() <= KEEP);
    }

    #[test]
    fn reads_sockets_files_terminals_and_what_does_not_block() {
        let expected = [message(b"one"), message(b"two")];
        let (input, mut client) = UnixStream::pair().unwrap();
        client.write_all(b"one\ntwo").unwrap();
        drop(client);
        assert_eq!(read_all(input.as_fd(), LIMIT), expected);

        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"one\r\n\ntwo").unwrap();
        file.rewind().unwrap();
        assert_eq!(read_all(file.as_fd(), LIMIT), expected);

        let (input, mut client) = UnixStream::pair().unwrap();
        input.set_nonblocking(true).unwrap();
        let writer = thread::spawn(move || {
            client.write_all(b"one\ntw").unwrap();
            client.write_all(b"o\n").unwrap();
        });
        assert_eq!(read_all(input.as_fd(), LIMIT), expected);
        writer.join().unwrap();

        let (terminal, mut keyboard) = crate::transport::stdio::tests::terminal();
        // Ctrl-D at the start of a line is the end of a terminal's input.
        keyboard.write_all(b"one\ntwo\n\x04").unwrap();
        assert_eq!(read_all(OwnedFd::from(terminal).as_fd(), LIMIT), expected);
    }
}
