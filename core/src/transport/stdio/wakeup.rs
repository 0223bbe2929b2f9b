//! Wakes the I/O thread out of its `poll` when another thread has something for it.
//!
//! A system call is made only by the first waker, and only while the thread really sleeps.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

/// A doorbell for one I/O thread, rung by any thread.
///
/// The I/O thread calls `about_to_wait`, then looks once more at what the wakers fill (under its lock), then polls
/// with `descriptor` among its descriptors, and then calls `awake`. A waker fills first and calls `wake` after.
#[derive(Debug)]
pub struct Wakeup {
    waiting: AtomicBool,
    bell: Bell,
}

impl Wakeup {
    /// Fails when the process has no descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Self { waiting: AtomicBool::new(false), bell: Bell::new()? })
    }

    /// Ends the wait of the I/O thread, if it waits. Cheap otherwise.
    pub fn wake(&self) {
        if self.waiting.swap(false, Ordering::AcqRel) {
            self.bell.ring();
        }
    }

    /// For the I/O thread: from here on a `wake` makes `descriptor` readable.
    pub fn about_to_wait(&self) {
        self.waiting.swap(true, Ordering::AcqRel);
    }

    /// For the I/O thread: it waits no more, and sees what the wakers filled before they woke it.
    pub fn awake(&self) {
        self.waiting.swap(false, Ordering::AcqRel);
    }

    /// For the I/O thread, once `descriptor` is readable. It may become so after `awake`, when a waker was slow between
    /// its two steps; then the next wait ends early, once.
    pub fn silence(&self) {
        self.bell.silence();
    }

    /// Readable once somebody called `wake`.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.bell.descriptor()
    }
}

#[cfg(target_os = "linux")]
#[derive(Debug)]
struct Bell(OwnedFd);

#[cfg(target_os = "linux")]
impl Bell {
    fn new() -> io::Result<Self> {
        use std::os::fd::FromRawFd;
        // SAFETY: no memory is passed.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and owned here.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    fn ring(&self) {
        let one = 1u64.to_ne_bytes();
        write(&self.0, &one);
    }

    fn silence(&self) {
        read(&self.0, &mut [0; 8]);
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A pipe, where there is no eventfd.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
struct Bell {
    reader: OwnedFd,
    writer: OwnedFd,
}

#[cfg(not(target_os = "linux"))]
impl Bell {
    fn new() -> io::Result<Self> {
        // std makes both ends close-on-exec.
        let (reader, writer) = io::pipe()?;
        let bell = Self { reader: reader.into(), writer: writer.into() };
        for end in [&bell.reader, &bell.writer] {
            use std::os::fd::AsRawFd;
            // SAFETY: the descriptor is open, and no memory is passed. The description is this pipe's alone.
            if unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(bell)
    }

    fn ring(&self) {
        write(&self.writer, b"!");
    }

    fn silence(&self) {
        read(&self.reader, &mut [0; 8]);
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

/// A bell that is full rings already, so that the result says nothing of use.
fn write(fd: &OwnedFd, bytes: &[u8]) {
    use std::os::fd::AsRawFd;
    // SAFETY: the pointer and the length are those of `bytes`.
    unsafe { libc::write(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
}

fn read(fd: &OwnedFd, bytes: &mut [u8]) {
    use std::os::fd::AsRawFd;
    // SAFETY: the pointer and the length are those of `bytes`.
    unsafe { libc::read(fd.as_raw_fd(), bytes.as_mut_ptr().cast(), bytes.len()) };
}
