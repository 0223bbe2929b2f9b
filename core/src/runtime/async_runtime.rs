//! The private Tokio runtime, made when it is first needed: sockets and timers run on it, handlers never.

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

use super::fork_guard::ForkGuard;
use super::library_thread::with_signals_blocked;
use super::lock::Mutex;
use super::signal_mask::block_async_signals;
use crate::host_error::HostError;

/// Why there is no runtime.
#[derive(Debug, thiserror::Error)]
pub enum NoRuntime {
    /// This is a forked child of the process that made the runtime.
    #[error("the library's threads belong to the process before the fork; make a new server in the child")]
    Forked,
    /// The runtime was shut down.
    #[error("the library's threads are shut down")]
    Closed,
    /// The system did not give what a runtime needs: threads or descriptors.
    #[error("cannot start the library's threads: {0}")]
    Start(#[from] io::Error),
}

impl From<NoRuntime> for HostError {
    fn from(why: NoRuntime) -> HostError {
        match why {
            NoRuntime::Forked => HostError::Forked,
            NoRuntime::Closed => HostError::ShutDown,
            NoRuntime::Start(_) => HostError::Io(why.to_string()),
        }
    }
}

/// A Tokio runtime that starts at its first use and ends in bounded time.
pub struct AsyncRuntime {
    workers: usize,
    state: Mutex<State>,
    threads: Arc<AtomicUsize>,
    fork: ForkGuard,
}

impl AsyncRuntime {
    /// Worker threads of the runtime, unless set otherwise.
    pub const DEFAULT_WORKERS: usize = 2;

    /// A runtime with so many worker threads, at least one. Starts none of them yet.
    pub fn new(workers: usize) -> Self {
        Self {
            workers: workers.max(1),
            state: Mutex::new(State::Unused),
            threads: Arc::new(AtomicUsize::new(0)),
            fork: ForkGuard::new(),
        }
    }

    /// The runtime's handle; the first call starts it.
    pub fn handle(&self) -> Result<Handle, NoRuntime> {
        if self.fork.forked() {
            return Err(NoRuntime::Forked);
        }
        let mut state = self.state.lock();
        match &*state {
            State::Running(runtime) => Ok(runtime.handle().clone()),
            State::Closed => Err(NoRuntime::Closed),
            State::Unused => {
                let runtime = self.start()?;
                let handle = runtime.handle().clone();
                *state = State::Running(runtime);
                Ok(handle)
            }
        }
    }

    /// Runs `action` on a worker once `delay` is over, unless the timer is cancelled or the runtime shut down first.
    /// It must not block. A panic in it goes no further.
    pub fn after(&self, delay: Duration, action: impl FnOnce() + Send + 'static) -> Result<Timer, NoRuntime> {
        let task = self.handle()?.spawn(async move {
            tokio::time::sleep(delay).await;
            action();
        });
        Ok(Timer { task })
    }

    /// Runs `task` on the runtime.
    pub fn spawn<F>(&self, task: F) -> Result<JoinHandle<F::Output>, NoRuntime>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        Ok(self.handle()?.spawn(task))
    }

    /// Whether the calling thread is one of this runtime's workers: blocking here would hold up the protocol.
    pub fn owns_current_thread(&self) -> bool {
        RUNTIME.get() == self.id()
    }

    /// Ends the runtime: its tasks are dropped at their next `await`, and the threads get at most `bound` to end.
    /// Returns how many did not. On one of its own workers it does not wait at all; in a forked child it does
    /// nothing, since the threads are the parent's.
    pub fn shutdown(&self, bound: Duration) -> usize {
        if self.fork.forked() {
            return 0;
        }
        let before = std::mem::replace(&mut *self.state.lock(), State::Closed);
        let State::Running(runtime) = before else { return 0 };
        if self.owns_current_thread() {
            runtime.shutdown_background();
            return 0;
        }
        if Handle::try_current().is_err() {
            runtime.shutdown_timeout(bound);
        } else {
            // The host calls from a Tokio runtime of its own, where Tokio refuses to wait for another one.
            runtime.shutdown_background();
            let end = Instant::now() + bound;
            while self.threads.load(Ordering::Acquire) > 0 && Instant::now() < end {
                thread::sleep(Duration::from_millis(1));
            }
        }
        self.threads.load(Ordering::Acquire)
    }

    fn start(&self) -> io::Result<Runtime> {
        let id = self.id();
        let (started, stopped) = (self.threads.clone(), self.threads.clone());
        let build = || {
            Builder::new_multi_thread()
                .worker_threads(self.workers)
                .thread_name("mcp-worker")
                .thread_stack_size(STACK)
                .on_thread_start(move || {
                    block_async_signals();
                    RUNTIME.set(id);
                    started.fetch_add(1, Ordering::AcqRel);
                })
                .on_thread_stop(move || {
                    stopped.fetch_sub(1, Ordering::AcqRel);
                })
                .enable_io()
                .enable_time()
                .build()
        };
        // Tokio panics where the system gives it no thread.
        let built = with_signals_blocked(|| catch_unwind(AssertUnwindSafe(build)));
        built.unwrap_or_else(|_| Err(io::Error::other("the system gives no thread")))
    }

    /// Tells this runtime from every other one that lives; never 0. The counter's address, because the runtime
    /// itself may be moved.
    fn id(&self) -> usize {
        Arc::as_ptr(&self.threads) as usize
    }
}

impl Drop for AsyncRuntime {
    fn drop(&mut self) {
        if self.fork.forked() {
            // Joining the parent's threads would never end.
            std::mem::forget(std::mem::replace(self.state.get_mut(), State::Closed));
        } else {
            self.shutdown(DROP_BOUND);
        }
    }
}

/// A timer that was set.
pub struct Timer {
    task: JoinHandle<()>,
}

impl Timer {
    /// Cancels the timer if it has not run out. Dropping it does not.
    pub fn cancel(self) {
        self.task.abort();
    }
}

enum State {
    Unused,
    Running(Runtime),
    Closed,
}

/// Stack of a worker thread, in bytes: inline handlers of calls that come over HTTP run on it, and expect what they
/// find on the other threads that run handlers.
const STACK: usize = 8 << 20;

/// How long a runtime that is dropped without a shutdown waits for its threads.
const DROP_BOUND: Duration = Duration::from_secs(1);

thread_local! {
    static RUNTIME: Cell<usize> = const { Cell::new(0) };
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::runtime::fork_guard::tests::holds_in_child;
    use crate::runtime::signal_mask::HostMask;
    use std::sync::mpsc;

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn starts_at_first_use_with_quiet_named_workers() {
        let runtime = Arc::new(AsyncRuntime::new(2));
        assert_eq!(runtime.threads.load(Ordering::Acquire), 0);
        let (tell, told) = mpsc::channel();
        let inner = Arc::downgrade(&runtime);
        let seen = move || {
            let owned = inner.upgrade().unwrap().owns_current_thread();
            let name = thread::current().name().map(str::to_owned);
            tell.send((name, owned, HostMask::current().blocks(libc::SIGTERM))).unwrap();
        };
        runtime.after(Duration::from_millis(1), seen).unwrap();
        assert_eq!(told.recv_timeout(LONG).unwrap(), (Some("mcp-worker".to_owned()), true, true));
        assert!(!runtime.owns_current_thread());
        assert_eq!(runtime.shutdown(LONG), 0);
        assert!(matches!(runtime.handle(), Err(NoRuntime::Closed)));
    }

    #[test]
    fn a_worker_has_as_much_stack_as_a_handler_may_expect() {
        let runtime = AsyncRuntime::new(1);
        let (tell, told) = mpsc::channel();
        let deep = async move { tell.send(std::hint::black_box(&[1_u8; 6 << 20]).len()).unwrap() };
        runtime.spawn(deep).unwrap();
        assert_eq!(told.recv_timeout(LONG).unwrap(), 6 << 20);
    }

    #[test]
    fn a_cancelled_timer_never_runs_out() {
        let runtime = AsyncRuntime::new(1);
        let (tell, told) = mpsc::channel();
        let never = tell.clone();
        runtime.after(Duration::from_millis(30), move || never.send("cancelled").unwrap()).unwrap().cancel();
        runtime.after(Duration::from_millis(60), move || tell.send("kept").unwrap()).unwrap();
        assert_eq!(told.recv_timeout(LONG).unwrap(), "kept");
    }

    #[test]
    fn shutdown_is_bounded_and_counts_who_did_not_end() {
        let runtime = AsyncRuntime::new(1);
        let (release, released) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let stuck = async move {
            tell.send(()).unwrap();
            let _ = released.recv();
        };
        runtime.spawn(stuck).unwrap();
        told.recv_timeout(LONG).unwrap();
        let begun = Instant::now();
        assert_eq!(runtime.shutdown(Duration::from_millis(50)), 1);
        assert!(begun.elapsed() < Duration::from_secs(5));
        drop(release);
    }

    #[test]
    fn may_be_shut_down_inside_the_hosts_own_runtime() {
        let runtime = AsyncRuntime::new(2);
        runtime.handle().unwrap();
        let host = Builder::new_current_thread().build().unwrap();
        assert_eq!(host.block_on(async { runtime.shutdown(LONG) }), 0);
    }

    #[test]
    fn may_be_dropped_on_its_own_worker() {
        let runtime = Arc::new(AsyncRuntime::new(1));
        let (tell, told) = mpsc::channel();
        let inner = runtime.clone();
        let last = async move {
            while Arc::strong_count(&inner) > 1 {
                tokio::task::yield_now().await;
            }
            drop(inner);
            tell.send(()).unwrap();
        };
        runtime.spawn(last).unwrap();
        drop(runtime);
        told.recv_timeout(LONG).unwrap();
    }

    #[test]
    fn a_forked_child_is_told_so_and_leaks_rather_than_joins() {
        let runtime = AsyncRuntime::new(1);
        runtime.handle().unwrap();
        assert!(holds_in_child(move || {
            let told = matches!(runtime.handle(), Err(NoRuntime::Forked)) && runtime.shutdown(LONG) == 0;
            drop(runtime);
            told && AsyncRuntime::new(1).handle().is_ok()
        }));
    }
}
