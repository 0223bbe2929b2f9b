//! Which signals a thread lets in. A library thread leaves asynchronous signals to the host's threads; a
//! handler thread has the mask that the host had, so that the children a handler starts behave.
//!
//! Only masks are touched, never a disposition: what a signal does stays the host's business.

use std::mem::MaybeUninit;
use std::ptr;

/// The signal mask of one of the host's threads, to be given to the threads that run its handlers.
#[derive(Clone, Copy)]
pub struct HostMask(libc::sigset_t);

impl HostMask {
    /// The mask of the calling thread.
    pub fn current() -> Self {
        let mut set = empty_set();
        // SAFETY: a null new set only reads the mask, into a set that outlives the call.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &mut set) };
        Self(set)
    }

    /// Gives the calling thread this mask in place of its own.
    pub fn apply(&self) {
        set_mask(&self.0);
    }

    /// Whether a thread with this mask holds `signal` back.
    pub fn blocks(&self, signal: libc::c_int) -> bool {
        // SAFETY: the set was filled by the system.
        unsafe { libc::sigismember(&self.0, signal) == 1 }
    }
}

/// Blocks every asynchronous signal and SIGPIPE on the calling thread. Signals that report a fault of the
/// thread itself stay open: blocked, they would end the process without the host's handler having a say.
pub fn block_async_signals() {
    let mut set = empty_set();
    // SAFETY: `set` is a valid set, and the signal numbers are the platform's own.
    unsafe {
        libc::sigfillset(&mut set);
        for fault in FAULTS {
            libc::sigdelset(&mut set, fault);
        }
    }
    set_mask(&set);
}

/// Runs `write` with SIGPIPE held back on this thread, so that a reader that has gone away is an error
/// and not the end of the process. For the few writes that happen on a thread of the host.
pub fn without_sigpipe<T>(write: impl FnOnce() -> T) -> T {
    let mut pipe = empty_set();
    // SAFETY: `pipe` is a valid set.
    unsafe { libc::sigaddset(&mut pipe, libc::SIGPIPE) };
    let waited_before = sigpipe_waits();
    let before = HostMask::current();
    // SAFETY: a null old set is allowed, and `pipe` outlives the call.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &pipe, ptr::null_mut()) };
    let result = write();
    if !waited_before && !before.blocks(libc::SIGPIPE) && sigpipe_waits() {
        let mut taken = 0;
        // SAFETY: a SIGPIPE is pending and blocked, so that this returns at once.
        unsafe { libc::sigwait(&pipe, &mut taken) };
    }
    before.apply();
    result
}

/// The signals by which a thread hears of its own fault.
const FAULTS: [libc::c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT, libc::SIGSYS];

fn sigpipe_waits() -> bool {
    let mut waiting = empty_set();
    // SAFETY: `waiting` is a valid set that the call fills.
    unsafe { libc::sigpending(&mut waiting) == 0 && libc::sigismember(&waiting, libc::SIGPIPE) == 1 }
}

fn set_mask(set: &libc::sigset_t) {
    // SAFETY: `set` is a valid set, and a null old set is allowed. The call fails only for a bad `how`.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, set, ptr::null_mut()) };
}

fn empty_set() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the set that it is given.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        set.assume_init()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use std::io::Write;
    use std::os::fd::FromRawFd;
    use std::thread;

    #[test]
    fn a_library_thread_blocks_what_is_asynchronous_and_nothing_else() {
        let mask = thread::spawn(|| {
            block_async_signals();
            HostMask::current()
        })
        .join()
        .unwrap();
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGCHLD, libc::SIGPIPE, libc::SIGUSR1]
        {
            assert!(mask.blocks(signal), "{signal}");
        }
        for signal in FAULTS {
            assert!(!mask.blocks(signal), "{signal}");
        }
    }

    #[test]
    fn a_mask_travels_from_one_thread_to_another() {
        let host = HostMask::current();
        let carried = thread::spawn(move || {
            block_async_signals();
            host.apply();
            HostMask::current()
        })
        .join()
        .unwrap();
        for signal in 1..=31 {
            assert_eq!(carried.blocks(signal), host.blocks(signal), "{signal}");
        }
    }

    #[test]
    fn a_write_to_a_closed_pipe_leaves_no_signal_behind() {
        thread::spawn(|| {
            let mut ends = [0; 2];
            // SAFETY: `ends` has room for two descriptors.
            assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
            // SAFETY: both descriptors are new and owned here.
            let mut writer = unsafe {
                libc::close(ends[0]);
                std::fs::File::from_raw_fd(ends[1])
            };
            let before = HostMask::current();
            let error = without_sigpipe(|| writer.write(b"x")).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
            assert!(!sigpipe_waits());
            assert_eq!(HostMask::current().blocks(libc::SIGPIPE), before.blocks(libc::SIGPIPE));
        })
        .join()
        .unwrap();
    }
}
