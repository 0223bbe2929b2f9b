//! Tells whether the process was forked since something was made. Threads do not survive a fork, and a lock
//! that one of them held is never given back: what was made before must not be used in the child.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::library_log;

/// Remembers the process in which it was made.
#[derive(Clone, Copy, Debug)]
pub struct ForkGuard {
    generation: u64,
}

impl ForkGuard {
    /// A guard that belongs to this process.
    pub fn new() -> Self {
        watch_forks();
        Self { generation: GENERATION.load(Ordering::Relaxed) }
    }

    /// Whether this is a child of the process that made the guard. One relaxed load.
    pub fn forked(&self) -> bool {
        GENERATION.load(Ordering::Relaxed) != self.generation
    }

    /// A number that differs between the process that made the guard and its forked children.
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

impl Default for ForkGuard {
    fn default() -> Self {
        Self::new()
    }
}

/// Counts forks on the way from the first user to this process; never 0, so that 0 can mean "nobody".
static GENERATION: AtomicU64 = AtomicU64::new(1);

/// Registers the child handler, not before it is needed: nothing happens at load time. Not by a `Once`, which a fork
/// could find half done; two threads at once may register it twice, which counts a fork twice and does no harm.
fn watch_forks() {
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if REGISTERED.load(Ordering::Acquire) {
        return;
    }
    // SAFETY: the handler is a plain function that lives as long as the library, which is never unloaded.
    let failed = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    if failed != 0 {
        return library_log::warning(format_args!(
            "cannot notice forks (error {failed}): do not fork after this"
        ));
    }
    REGISTERED.store(true, Ordering::Release);
}

/// Runs in the child between `fork` and its return: atomics only, as other threads' locks may be held.
extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// Runs `check` in a forked child and tells whether it returned true there within ten seconds.
    pub(crate) fn holds_in_child(check: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child only runs `check` and leaves by `_exit`, without unwinding into the test harness.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            // SAFETY: `alarm` ends a child that hangs; `_exit` runs nothing of the parent's.
            unsafe {
                libc::alarm(10);
                let held = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).unwrap_or(false);
                libc::_exit(if held { 0 } else { 1 });
            }
        }
        let mut status = 0;
        // SAFETY: `child` is ours and not yet waited for.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        let held = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
        if !held {
            eprintln!("the child ended with the status {status:#x}");
        }
        held
    }

    #[test]
    fn a_guard_knows_its_process_and_notices_the_child() {
        let guard = ForkGuard::new();
        assert!(!guard.forked());
        assert!(holds_in_child(|| guard.forked() && !ForkGuard::new().forked()));
        assert!(!guard.forked());
    }
}
