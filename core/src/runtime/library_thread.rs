//! Starts the library's own threads, which leave the host's signals alone from their first instruction on.

use std::io;
use std::thread::{Builder, JoinHandle};

use super::signal_mask::{HostMask, block_async_signals};

/// Starts a thread with asynchronous signals and SIGPIPE blocked. `name` has at most 15 bytes to be seen whole
/// in a debugger; `stack` is in bytes. Fails when the system has no thread to give.
pub fn spawn<T: Send + 'static>(
    name: &str,
    stack: usize,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    with_signals_blocked(|| Builder::new().name(name.to_owned()).stack_size(stack).spawn(run))
}

/// Runs `start` with asynchronous signals blocked on this thread, as threads that it starts inherit the mask: set
/// by themselves only, a signal could slip in before.
pub fn with_signals_blocked<T>(start: impl FnOnce() -> T) -> T {
    let before = HostMask::current();
    block_async_signals();
    let started = start();
    before.apply();
    started
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn blocks_signals_in_the_thread_and_not_in_the_caller() {
        let (tell, told) = mpsc::channel();
        let before = HostMask::current();
        let thread = spawn("mcp-test", 1 << 20, move || {
            let name = std::thread::current().name().map(str::to_owned);
            let _ = tell.send((name, HostMask::current().blocks(libc::SIGINT)));
        });
        assert_eq!(HostMask::current().blocks(libc::SIGINT), before.blocks(libc::SIGINT));
        thread.unwrap().join().unwrap();
        assert_eq!(told.recv().unwrap(), (Some("mcp-test".to_owned()), true));
    }
}
