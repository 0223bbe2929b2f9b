//! stdio owns its streams: while it serves, nothing but the protocol can read standard input or write standard output.
//!
//! The protocol keeps private close-on-exec duplicates of descriptors 0 and 1. Descriptor 0 points at /dev/null and
//! descriptor 1 at standard error, so that a stray `printf` or a child process neither takes a request nor spoils an
//! answer. The flags of the descriptions behind them, which other processes may share, are never changed.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::runtime::fork_guard::ForkGuard;

/// Why the streams cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum StreamsFault {
    /// This process serves its standard streams already.
    #[error("standard input and output are being served already, and a process has only one pair of them")]
    AlreadyTaken,
    /// The process was started without the stream.
    #[error("{0} is closed: start the program with a pipe, a socket, a file or a terminal there")]
    Closed(&'static str),
    /// The system refused.
    #[error("cannot take {what} over: {error}")]
    System {
        /// Which stream or file.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
}

/// The two streams of one connection. Dropping it closes them, and gives the process its own back.
#[derive(Debug)]
pub struct OwnedStreams {
    input: OwnedFd,
    output: OwnedFd,
    swapped: Option<Swapped>,
}

impl OwnedStreams {
    /// Takes over descriptors 0 and 1 until this is dropped. One at a time in a process.
    pub fn take() -> Result<Self, StreamsFault> {
        let turn = Turn::take()?;
        let (input, input_flags) = duplicate(libc::STDIN_FILENO, INPUT)?;
        let (output, output_flags) = duplicate(libc::STDOUT_FILENO, OUTPUT)?;
        // Asked before a file is opened, which could land there.
        let has_stderr = is_open(libc::STDERR_FILENO);
        let nothing = OpenOptions::new().read(true).write(true).open("/dev/null");
        let nothing = nothing.map_err(|error| StreamsFault::System { what: "/dev/null", error })?;
        let strays = if has_stderr { libc::STDERR_FILENO } else { nothing.as_raw_fd() };
        redirect(nothing.as_raw_fd(), libc::STDIN_FILENO, INPUT)?;
        if let Err(fault) = redirect(strays, libc::STDOUT_FILENO, OUTPUT) {
            restore(&input, libc::STDIN_FILENO, input_flags);
            return Err(fault);
        }
        // After the swap: what the program printed before must not come in front of the first message.
        flush_c_streams();
        Ok(Self { input, output, swapped: Some(Swapped { turn, input_flags, output_flags }) })
    }

    /// Serves two descriptors of a test's own, standard streams untouched. Both may be the same socket, duplicated.
    #[cfg(test)]
    pub fn from_descriptors(input: OwnedFd, output: OwnedFd) -> Self {
        Self { input, output, swapped: None }
    }

    /// Where requests come from.
    pub fn input(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }

    /// Where answers go.
    pub fn output(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }
}

impl Drop for OwnedStreams {
    fn drop(&mut self) {
        let Some(swapped) = &self.swapped else { return };
        // A forked child keeps what it has: its prints must not reach the parent's client.
        if swapped.turn.guard.forked() {
            return;
        }
        flush_c_streams();
        restore(&self.input, libc::STDIN_FILENO, swapped.input_flags);
        restore(&self.output, libc::STDOUT_FILENO, swapped.output_flags);
    }
}

/// What is needed to undo the swap.
#[derive(Debug)]
struct Swapped {
    turn: Turn,
    input_flags: libc::c_int,
    output_flags: libc::c_int,
}

/// The right to swap the streams of this process; given back when dropped.
#[derive(Debug)]
struct Turn {
    guard: ForkGuard,
}

/// The fork generation that holds the streams, or 0. A child of the holder may take its own.
static TAKEN: AtomicU64 = AtomicU64::new(0);

const INPUT: &str = "standard input";
const OUTPUT: &str = "standard output";

impl Turn {
    fn take() -> Result<Self, StreamsFault> {
        let guard = ForkGuard::new();
        if TAKEN.swap(guard.generation(), Ordering::AcqRel) == guard.generation() {
            return Err(StreamsFault::AlreadyTaken);
        }
        Ok(Self { guard })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Not if a forked child has taken its own turn since.
        let _ = TAKEN.compare_exchange(self.guard.generation(), 0, Ordering::AcqRel, Ordering::Relaxed);
    }
}

/// A private duplicate, above the standard descriptors, and the descriptor flags of the original.
fn duplicate(fd: RawFd, what: &'static str) -> Result<(OwnedFd, libc::c_int), StreamsFault> {
    // SAFETY: `fcntl` with these commands takes any number for a descriptor and touches no memory.
    let (copy, flags) =
        unsafe { (libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3), libc::fcntl(fd, libc::F_GETFD)) };
    if copy < 0 {
        let error = io::Error::last_os_error();
        return Err(match error.raw_os_error() {
            Some(libc::EBADF) => StreamsFault::Closed(what),
            _ => StreamsFault::System { what, error },
        });
    }
    // SAFETY: the descriptor is new, and nobody else knows it.
    Ok((unsafe { OwnedFd::from_raw_fd(copy) }, flags))
}

fn is_open(fd: RawFd) -> bool {
    // SAFETY: as in `duplicate`.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
}

fn redirect(from: RawFd, to: RawFd, what: &'static str) -> Result<(), StreamsFault> {
    loop {
        // SAFETY: `dup2` takes any numbers for descriptors and touches no memory.
        if unsafe { libc::dup2(from, to) } >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(StreamsFault::System { what, error });
        }
    }
}

fn restore(saved: &OwnedFd, to: RawFd, flags: libc::c_int) {
    if redirect(saved.as_raw_fd(), to, "").is_ok() && flags > 0 {
        // SAFETY: as in `duplicate`.
        unsafe { libc::fcntl(to, libc::F_SETFD, flags) };
    }
}

/// Sends what C programs printed, and what still lies in its buffer, to where descriptor 1 points now. Only
/// the stream that writes there: another may be locked by a thread that reads from it and waits.
fn flush_c_streams() {
    unsafe extern "C" {
        #[cfg_attr(target_vendor = "apple", link_name = "__stdoutp")]
        static stdout: *mut libc::FILE;
    }
    // SAFETY: the C library made the stream before the program began, and locks it for as long as it flushes.
    unsafe { libc::fflush(stdout) };
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::runtime::fork_guard::tests::holds_in_child;
    use std::fs::File;
    use std::io::{PipeReader, Read, Write, pipe};
    use std::mem::forget;

    /// Puts a descriptor of the child at one of its standard places.
    fn place(fd: impl Into<OwnedFd>, at: RawFd) {
        redirect(fd.into().as_raw_fd(), at, "").unwrap();
    }

    fn print(text: &str) {
        // SAFETY: the format and its argument are NUL-terminated, and `%.*s` reads `len` bytes at most.
        unsafe { libc::printf(c"%.*s".as_ptr(), text.len() as libc::c_int, text.as_ptr()) };
    }

    /// What `reader` holds now, without waiting for its end.
    fn read_now(mut reader: &PipeReader) -> Vec<u8> {
        let mut entry = libc::pollfd { fd: reader.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let mut found = Vec::new();
        // SAFETY: one entry is passed, and it outlives the call.
        while unsafe { libc::poll(&mut entry, 1, 0) } == 1 {
            let mut bytes = [0; 512];
            match reader.read(&mut bytes).unwrap() {
                0 => break,
                read => found.extend_from_slice(&bytes[..read]),
            }
        }
        found
    }

    #[test]
    fn strays_land_on_stderr_and_the_protocol_has_the_streams() {
        assert!(holds_in_child(|| {
            let (client_out, mut client_in) = (pipe().unwrap(), pipe().unwrap());
            let stderr = pipe().unwrap();
            client_in.1.write_all(b"request").unwrap();
            place(client_in.0, 0);
            place(client_out.1, 1);
            place(stderr.1, 2);
            print("before;");
            let streams = OwnedStreams::take().unwrap();
            print("during;");
            let mut stray = [0; 1];
            // SAFETY: the pointer and the length are those of `stray` and the text.
            let (read, _) = unsafe {
                let read = libc::read(0, stray.as_mut_ptr().cast(), 1);
                (read, libc::write(1, b"raw;".as_ptr().cast(), 4))
            };
            let mut request = [0; 7];
            File::from(streams.input().try_clone_to_owned().unwrap()).read_exact(&mut request).unwrap();
            File::from(streams.output().try_clone_to_owned().unwrap()).write_all(b"answer").unwrap();
            assert!(matches!(OwnedStreams::take(), Err(StreamsFault::AlreadyTaken)));
            drop(streams);
            print("after;");
            flush_c_streams();
            read == 0
                && &request == b"request"
                && read_now(&client_out.0) == b"answerafter;"
                && read_now(&stderr.0) == b"before;raw;during;"
                && OwnedStreams::take().is_ok()
        }));
    }

    #[test]
    fn children_inherit_neither_stream() {
        assert!(holds_in_child(|| {
            let (client_out, client_in) = (pipe().unwrap(), pipe().unwrap());
            place(client_in.0, 0);
            place(client_out.1, 1);
            let streams = OwnedStreams::take().unwrap();
            let kept = [streams.input().as_raw_fd(), streams.output().as_raw_fd()];
            // SAFETY: no memory is passed.
            kept.iter().all(|fd| *fd > 2 && unsafe { libc::fcntl(*fd, libc::F_GETFD) } == libc::FD_CLOEXEC)
        }));
    }

    #[test]
    fn a_closed_stream_is_named_and_nothing_is_changed() {
        for (closed, name) in [(0, "standard input"), (1, "standard output")] {
            assert!(holds_in_child(|| {
                let ends = pipe().unwrap();
                let other = 1 - closed;
                place(ends.1.try_clone().unwrap(), other);
                // SAFETY: the descriptor is this child's, and nothing else uses it.
                unsafe { libc::close(closed) };
                let said = OwnedStreams::take().unwrap_err().to_string();
                // SAFETY: the pointer and the length are those of the text.
                unsafe { libc::write(other, b"x".as_ptr().cast(), 1) };
                said.starts_with(&format!("{name} is closed"))
                    && !is_open(closed)
                    && read_now(&ends.0) == b"x"
            }));
        }
    }

    #[test]
    fn without_stderr_strays_go_nowhere() {
        assert!(holds_in_child(|| {
            let (client_out, client_in) = (pipe().unwrap(), pipe().unwrap());
            place(client_in.0, 0);
            place(client_out.1, 1);
            // SAFETY: the descriptor is this child's, and nothing else uses it.
            unsafe { libc::close(2) };
            let streams = OwnedStreams::take().unwrap();
            print("stray");
            drop(streams);
            read_now(&client_out.0).is_empty() && !is_open(2)
        }));
    }

    #[test]
    fn a_forked_child_does_not_get_the_protocol_back() {
        assert!(holds_in_child(|| {
            let (client_out, client_in) = (pipe().unwrap(), pipe().unwrap());
            let stderr = pipe().unwrap();
            place(client_in.0, 0);
            place(client_out.1, 1);
            place(stderr.1, 2);
            let streams = OwnedStreams::take().unwrap();
            let held = holds_in_child(move || {
                drop(streams);
                print("from the child");
                flush_c_streams();
                true
            });
            held && read_now(&client_out.0).is_empty() && read_now(&stderr.0) == b"from the child"
        }));
    }

    #[test]
    fn flags_of_shared_descriptions_stay_as_they_were() {
        for flag in [0, libc::O_NONBLOCK] {
            let (reader, writer) = pipe().unwrap();
            // SAFETY: no memory is passed, and the descriptors are open.
            let flags = || unsafe {
                [
                    libc::fcntl(reader.as_raw_fd(), libc::F_GETFL),
                    libc::fcntl(writer.as_raw_fd(), libc::F_GETFL),
                ]
            };
            for end in [reader.as_raw_fd(), writer.as_raw_fd()] {
                // SAFETY: as above.
                assert_eq!(unsafe { libc::fcntl(end, libc::F_SETFL, flag) }, 0);
            }
            let before = flags();
            assert!(holds_in_child(|| {
                place(reader.try_clone().unwrap(), 0);
                place(writer.try_clone().unwrap(), 1);
                let streams = OwnedStreams::take().unwrap();
                let same = flags() == before;
                forget(streams);
                same
            }));
            assert_eq!(flags(), before);
        }
    }
}
