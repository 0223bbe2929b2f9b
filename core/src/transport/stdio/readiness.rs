//! One `poll` over what an I/O thread waits for: input, room for output, the end of the peer, a wakeup.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::{Duration, Instant};

use super::Wakeup;

/// What the I/O thread waits for.
#[derive(Clone, Copy, Debug)]
pub struct Interest<'a> {
    /// The input, unless its end was read or it must not be read now.
    pub input: Option<BorrowedFd<'a>>,
    /// The output, whose end is always noticed.
    pub output: BorrowedFd<'a>,
    /// Whether something waits to be written.
    pub writing: bool,
    /// When to return at the latest.
    pub until: Option<Instant>,
}

/// What has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// A read of the input would not block: there are bytes, or the end.
    pub input: bool,
    /// The output takes bytes, or reports its fault at the next write.
    pub output: bool,
    /// Nobody reads the output any more.
    pub output_gone: bool,
}

/// Waits until something of `interest` is ready, `wakeup` is rung, or the time is up. The caller must have called
/// `Wakeup::about_to_wait`; this calls `awake`.
pub fn wait(interest: Interest<'_>, wakeup: &Wakeup) -> io::Result<Ready> {
    let entry = |fd: Option<BorrowedFd<'_>>, events| libc::pollfd {
        // A negative descriptor is passed over.
        fd: fd.map_or(-1, |fd| fd.as_raw_fd()),
        events,
        revents: 0,
    };
    let writing = if interest.writing { libc::POLLOUT } else { 0 };
    let mut entries = [
        entry(Some(wakeup.descriptor()), libc::POLLIN),
        entry(interest.input, libc::POLLIN),
        entry(Some(interest.output), writing),
    ];
    let result = poll(&mut entries, interest.until);
    wakeup.awake();
    result?;
    let [bell, input, output] = entries;
    if bell.revents != 0 {
        wakeup.silence();
    }
    Ok(Ready {
        input: input.revents != 0,
        output: interest.writing && output.revents != 0,
        output_gone: output.revents & (libc::POLLERR | libc::POLLHUP) != 0,
    })
}

fn poll(entries: &mut [libc::pollfd], until: Option<Instant>) -> io::Result<()> {
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        // SAFETY: the pointer and the length are those of `entries`.
        let ready =
            unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, milliseconds(left)) };
        if ready >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Rounded up, so that a thread does not spin through its last millisecond; -1 is without end.
fn milliseconds(left: Option<Duration>) -> libc::c_int {
    let Some(left) = left else { return -1 };
    libc::c_int::try_from(left.as_micros().div_ceil(1000)).unwrap_or(libc::c_int::MAX)
}
