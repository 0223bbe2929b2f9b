//! The life of one handler thread: take a job, run it, rest when there is none, end when it rested too long.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use super::staff::{Idle, Shared, State, join};
use super::{Job, library_log};
use crate::runtime::lock::MutexGuard;

/// The id of the pool that the calling thread belongs to, or 0.
pub(super) fn current_pool() -> usize {
    POOL.get()
}

thread_local! {
    static POOL: Cell<usize> = const { Cell::new(0) };
}

/// Serves the pool until it is closed or has no use for this thread.
pub(super) fn run(shared: &Arc<Shared>, id: u64) {
    shared.mask.apply();
    POOL.set(shared.id());
    let mut state = shared.lock();
    state.coming -= 1;
    loop {
        let now = Instant::now();
        if let Some(job) = state.take(now) {
            // Whoever takes a job looks after the next one, so that a submitter wakes at most one thread. With a
            // thread alive, here this one, nothing is ever refused.
            let _ = shared.see_to_queue(state, now);
            run_contained(job);
            state = shared.lock();
        } else if state.closed {
            break;
        } else {
            let called;
            (state, called) = rest(shared, state, id, now);
            if !called {
                break;
            }
        }
    }
    state.threads -= 1;
    let predecessor = state.leave(id);
    if state.closed {
        shared.ended.notify_all();
    }
    drop(state);
    join(predecessor);
}

/// Rests until called; false if nobody called in time.
fn rest<'a>(
    shared: &'a Shared,
    mut state: MutexGuard<'a, State>,
    id: u64,
    since: Instant,
) -> (MutexGuard<'a, State>, bool) {
    state.idle.push(Idle { id, thread: thread::current() });
    loop {
        drop(state);
        thread::park_timeout(shared.limits.idle.saturating_sub(since.elapsed()));
        state = shared.lock();
        let Some(place) = state.idle.iter().position(|idle| idle.id == id) else {
            state.coming -= 1;
            return (state, true);
        };
        // Not called: the time is up, or a handler left an unpark behind on this thread.
        if since.elapsed() >= shared.limits.idle {
            state.idle.remove(place);
            return (state, false);
        }
    }
}

/// Runs a job; a panic in it has been printed by the panic hook and ends here.
fn run_contained(job: Job) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(job)) {
        library_log::error(format_args!("a job of the handler pool panicked"));
        let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
    }
}
