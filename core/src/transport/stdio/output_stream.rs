//! Writes to a descriptor without ever blocking for long, and without touching flags that others share.
//!
//! `O_NONBLOCK` belongs to the description, which the client and other processes may share, so it is neither set nor
//! relied on. A pipe or terminal is opened once more, as a description of our own; a socket has flags per call; for
//! anything else the system is asked first, and then given no more than a pipe promises to take.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, IoSlice, IsTerminal, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};

/// The sending end of a connection. The calling thread should have SIGPIPE blocked.
#[derive(Debug)]
pub struct OutputStream {
    file: File,
    manner: Manner,
}

/// How to write without blocking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// A description of our own that does not block, or a file, which never does for long.
    Direct,
    /// A socket.
    Socket,
    /// Anything else: ask, then write a little.
    Ask,
}

/// What the system takes at once after it said that there is room.
const PROMISED: usize = libc::PIPE_BUF;

impl OutputStream {
    /// A stream that writes to what `output` is open on. Fails when the process has no descriptor left.
    pub fn new(output: BorrowedFd<'_>) -> io::Result<Self> {
        let file = File::from(output.try_clone_to_owned()?);
        let about = file.metadata()?;
        let kind = about.file_type();
        if (kind.is_fifo() || is_plain_terminal(&file, &about))
            && let Some(own) = open_again(&file)
        {
            return Ok(Self { file: own, manner: Manner::Direct });
        }
        let manner = if kind.is_socket() {
            Manner::Socket
        } else if kind.is_file() {
            Manner::Direct
        } else {
            Manner::Ask
        };
        Ok(Self { file, manner })
    }

    /// Writes some of `pieces`, in order, and returns how many bytes. `WouldBlock` when there is no room; any other
    /// error means that the connection is over. `pieces` must not be empty altogether.
    pub fn write(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        loop {
            let written = match self.manner {
                Manner::Direct => (&self.file).write_vectored(pieces),
                Manner::Socket => self.send(pieces),
                Manner::Ask => self.ask_and_write(pieces),
            };
            match written {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                written => return written,
            }
        }
    }

    /// To be polled: for room, and for the end of the peer.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    fn send(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        // SAFETY: all-zero bytes are a valid `msghdr`: null pointers and zero lengths.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        // An `IoSlice` has the layout of an `iovec`, as std guarantees.
        message.msg_iov = pieces.as_ptr().cast_mut().cast();
        message.msg_iovlen = pieces.len() as _;
        #[cfg(target_os = "linux")]
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        #[cfg(not(target_os = "linux"))]
        let flags = libc::MSG_DONTWAIT;
        // SAFETY: `message` points at `pieces`, which outlive the call and are only read.
        let sent = unsafe { libc::sendmsg(self.file.as_raw_fd(), &message, flags) };
        usize::try_from(sent).map_err(|_| io::Error::last_os_error())
    }

    fn ask_and_write(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut entry = libc::pollfd { fd: self.file.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
        // SAFETY: one entry is passed, and it outlives the call.
        let ready = unsafe { libc::poll(&mut entry, 1, 0) };
        if ready < 0 {
            return Err(io::Error::last_os_error());
        }
        if ready == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let Some(first) = pieces.iter().find(|piece| !piece.is_empty()) else { return Ok(0) };
        (&self.file).write(&first[..first.len().min(PROMISED)])
    }
}

/// Whether to open `file` again is to open the same terminal. It is not for the devices that stand for another one: the
/// other side of a pseudo-terminal would be a new pair.
fn is_plain_terminal(file: &File, about: &Metadata) -> bool {
    const ALTERNATE_TERMINALS: u64 = 5;
    let major = (about.rdev() >> 8) & 0xfff;
    file.is_terminal() && about.file_type().is_char_device() && major != ALTERNATE_TERMINALS
}

/// Opens the pipe or terminal behind `file` once more, for a description whose flags are ours. `None` where that is
/// not possible.
fn open_again(file: &File) -> Option<File> {
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use std::io::{Read, Seek, pipe};
    use std::os::unix::net::UnixStream;

    fn flags(fd: BorrowedFd<'_>) -> libc::c_int {
        // SAFETY: no memory is passed, and the descriptor is open.
        unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) }
    }

    /// Writes until there is no room; returns how much went in.
    fn fill(stream: &OutputStream) -> usize {
        let block = vec![b'x'; 30_000];
        let mut total = 0;
        loop {
            match stream.write(&[IoSlice::new(&block)]) {
                Ok(written) => total += written,
                Err(error) => {
                    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
                    return total;
                }
            }
        }
    }

    #[test]
    fn a_full_pipe_does_not_block_and_keeps_its_flags() {
        let (mut reader, writer) = pipe().unwrap();
        let before = flags(writer.as_fd());
        let stream = OutputStream::new(writer.as_fd()).unwrap();
        #[cfg(target_os = "linux")]
        assert_eq!(stream.manner, Manner::Direct);
        let total = fill(&stream);
        assert!(total >= 4096);
        assert_eq!(flags(writer.as_fd()), before);
        reader.read_exact(&mut vec![0; total]).unwrap();
        assert!(stream.write(&[IoSlice::new(b"more")]).is_ok());
    }

    #[test]
    fn a_pipe_that_cannot_be_opened_again_does_not_block_either() {
        let (mut reader, writer) = pipe().unwrap();
        let stream = OutputStream {
            file: File::from(writer.as_fd().try_clone_to_owned().unwrap()),
            manner: Manner::Ask,
        };
        let total = fill(&stream);
        assert!(total >= 4096);
        reader.read_exact(&mut vec![0; total]).unwrap();
        assert_eq!(stream.write(&[IoSlice::new(b""), IoSlice::new(b"more")]).unwrap(), 4);
    }

    #[test]
    fn a_full_socket_does_not_block_and_keeps_its_flags() {
        for nonblocking in [false, true] {
            let (mut reader, writer) = UnixStream::pair().unwrap();
            writer.set_nonblocking(nonblocking).unwrap();
            let before = flags(writer.as_fd());
            let stream = OutputStream::new(writer.as_fd()).unwrap();
            assert_eq!(stream.manner, Manner::Socket);
            let total = fill(&stream);
            assert_eq!(flags(writer.as_fd()), before);
            reader.read_exact(&mut vec![0; total]).unwrap();
            assert_eq!(stream.write(&[IoSlice::new(b"a"), IoSlice::new(b"b")]).unwrap(), 2);
        }
    }

    #[test]
    fn a_file_is_written_where_its_descriptor_stands() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"before;").unwrap();
        let stream = OutputStream::new(file.as_fd()).unwrap();
        stream.write(&[IoSlice::new(b"one;"), IoSlice::new(b"two;")]).unwrap();
        file.write_all(b"after").unwrap();
        file.rewind().unwrap();
        let mut all = String::new();
        file.read_to_string(&mut all).unwrap();
        assert_eq!(all, "before;one;two;after");
    }

    #[test]
    fn a_terminal_is_written_to_without_blocking() {
        let (terminal, mut screen) = crate::transport::stdio::tests::terminal();
        let stream = OutputStream::new(terminal.as_fd()).unwrap();
        stream.write(&[IoSlice::new(b"hello")]).unwrap();
        let mut shown = [0; 5];
        screen.read_exact(&mut shown).unwrap();
        assert_eq!(&shown, b"hello");
        #[cfg(target_os = "linux")]
        {
            // Nobody reads the screen, as after Ctrl-S.
            assert_eq!(stream.manner, Manner::Direct);
            assert!(fill(&stream) > 0);
            assert_eq!(OutputStream::new(screen.as_fd()).unwrap().manner, Manner::Ask);
        }
    }

    #[test]
    fn a_peer_that_went_away_is_an_error() {
        let (reader, writer) = pipe().unwrap();
        let stream = OutputStream::new(writer.as_fd()).unwrap();
        drop(reader);
        let error = stream.write(&[IoSlice::new(b"x")]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);

        // Already without a reader when the stream is made: it cannot be opened again then.
        let stream = OutputStream::new(writer.as_fd()).unwrap();
        assert_eq!(stream.write(&[IoSlice::new(b"x")]).unwrap_err().kind(), io::ErrorKind::BrokenPipe);

        let (reader, writer) = UnixStream::pair().unwrap();
        let stream = OutputStream::new(writer.as_fd()).unwrap();
        drop(reader);
        let error = stream.write(&[IoSlice::new(b"x")]).unwrap_err();
        assert!(matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset));
    }
}
