//! The handler pool: threads for handlers that may block, so that no handler ever holds up the protocol.
//!
//! Threads start on demand, with the host's signal mask, and end when idle. A burst of short jobs is served by as
//! many threads as there are cores to run them; more are added only while jobs really wait (`growth`).

mod growth;
mod staff;
mod worker;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::fork_guard::ForkGuard;
use super::library_log;
use super::signal_mask::HostMask;
use staff::Shared;

/// Something to run on a pool thread. If it panics, the panic ends the job and nothing else.
pub type Job = Box<dyn FnOnce() + Send + 'static>;

/// How large a pool may become.
#[derive(Clone, Copy, Debug)]
pub struct PoolLimits {
    /// Most threads at a time; at least one.
    pub max_threads: usize,
    /// Most jobs that wait for a thread.
    pub max_queue: usize,
    /// How long a thread waits for its next job before it ends.
    pub idle: Duration,
}

impl PoolLimits {
    /// Most threads of a pool, unless set otherwise.
    pub const DEFAULT_MAX_THREADS: usize = 64;
    /// Most waiting jobs, unless set otherwise.
    pub const DEFAULT_MAX_QUEUE: usize = 1024;
    /// How long an idle thread stays, unless set otherwise.
    pub const DEFAULT_IDLE: Duration = Duration::from_secs(10);
}

impl Default for PoolLimits {
    fn default() -> Self {
        Self {
            max_threads: Self::DEFAULT_MAX_THREADS,
            max_queue: Self::DEFAULT_MAX_QUEUE,
            idle: Self::DEFAULT_IDLE,
        }
    }
}

/// A job that the pool did not take: it is given back, with the reason.
pub struct Refused {
    /// The job, not run.
    pub job: Job,
    /// Why it was refused.
    pub why: Refusal,
}

/// Why a pool refuses a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// As many jobs wait as may wait.
    #[error("{limit} handlers wait for a thread already, which is the limit")]
    Full {
        /// The limit on waiting jobs.
        limit: usize,
    },
    /// The pool was shut down.
    #[error("the handler threads are shut down")]
    Closed,
    /// This is a forked child of the process that made the pool.
    #[error("the handler threads belong to the process before the fork")]
    Forked,
    /// There is no thread, and the system gives none.
    #[error("the system has no thread left for a handler")]
    NoThread,
}

/// A pool of threads. Dropping it shuts it down without waiting for running jobs.
pub struct HandlerPool {
    shared: Arc<Shared>,
    fork: ForkGuard,
}

impl HandlerPool {
    /// A pool whose threads have the signal mask `mask`. Starts no thread yet.
    pub fn new(limits: PoolLimits, mask: HostMask) -> Self {
        Self { shared: Arc::new(Shared::new(limits, mask)), fork: ForkGuard::new() }
    }

    /// Has `job` run on a thread of the pool, as soon as there is one. Never blocks for long; any thread may call.
    pub fn submit(&self, job: Job) -> Result<(), Refused> {
        if self.fork.forked() {
            return Err(Refused { job, why: Refusal::Forked });
        }
        self.shared.submit(job)
    }

    /// Whether the calling thread is one of this pool's: waiting here for a job of the pool could wait for itself.
    pub fn owns_current_thread(&self) -> bool {
        worker::current_pool() == self.shared.id()
    }

    /// Refuses new jobs, drops those that wait, and gives the running ones until `deadline`. Returns how many
    /// threads were left behind then; each ends with its job. The calling thread, if of this pool, is not counted.
    pub fn shutdown(&self, deadline: Instant) -> usize {
        if self.fork.forked() {
            return 0;
        }
        let left = self.shared.shutdown(deadline, self.owns_current_thread());
        if left > 0 {
            library_log::warning(format_args!(
                "{left} handler(s) still run after the shutdown; each keeps its thread"
            ));
        }
        left
    }
}

impl Drop for HandlerPool {
    fn drop(&mut self) {
        if self.fork.forked() {
            // The lock may be held by a thread that is no more, and the jobs are the parent's: leave them alone.
            std::mem::forget(self.shared.clone());
        } else if !self.shared.is_closed() {
            self.shutdown(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests;
