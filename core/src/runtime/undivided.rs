//! Work that no fork may divide: what is made once for the whole process, such as the statics of a dependency, would
//! stay half made in the child for ever, and whoever needs it there would wait for a thread that is no more.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use super::lock::{Mutex, MutexGuard};

/// Runs `work`; a fork on another thread waits until it is done, and so does other such work. It must be short, and
/// must neither fork, log nor run code of the host's.
pub fn undivided<T>(work: impl FnOnce() -> T) -> T {
    mind_forks();
    let _held = UNDIVIDED.lock();
    work()
}

static UNDIVIDED: Mutex<()> = Mutex::new(());

thread_local! {
    static HELD: Cell<Option<MutexGuard<'static, ()>>> = const { Cell::new(None) };
}

/// Holds the lock over each fork.
fn mind_forks() {
    extern "C" fn before() {
        let _ = HELD.try_with(|held| held.set(Some(held.take().unwrap_or_else(|| UNDIVIDED.lock()))));
    }
    extern "C" fn after() {
        let _ = HELD.try_with(|held| drop(held.take()));
    }
    // Not a `Once`, which a fork could find half done. Registered twice, by two threads at once, does no harm.
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if !REGISTERED.load(Ordering::Acquire) {
        // SAFETY: the handlers are plain functions that live as long as the library, which is never unloaded.
        // Should this fail for want of memory, only a fork amid such work could be hurt.
        unsafe { libc::pthread_atfork(Some(before), Some(after), Some(after)) };
        REGISTERED.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::fork_guard::tests::holds_in_child;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_fork_finds_the_work_done_or_not_begun() {
        static AMID: AtomicBool = AtomicBool::new(false);
        static STOP: AtomicBool = AtomicBool::new(false);
        undivided(|| ());
        let worker = thread::spawn(|| {
            while !STOP.load(Ordering::SeqCst) {
                undivided(|| {
                    AMID.store(true, Ordering::SeqCst);
                    thread::sleep(Duration::from_millis(2));
                    AMID.store(false, Ordering::SeqCst);
                });
                thread::yield_now();
            }
        });
        for _ in 0..20 {
            assert!(holds_in_child(|| !AMID.load(Ordering::SeqCst) && undivided(|| true)));
        }
        STOP.store(true, Ordering::SeqCst);
        assert!(worker.join().is_ok());
    }
}
