//! When a pool grows: once jobs have really waited, and not because many short ones came at once.
//!
//! A thread of its own looks at the queue once a tick while jobs wait with everybody busy. It is started when that
//! first happens, sleeps while there is nothing to watch, and ends when it slept too long.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::staff::{Shared, State, Watch, join};
use crate::runtime::lock::MutexGuard;

/// How often the queue is looked at while jobs wait.
const TICK: Duration = Duration::from_millis(1);

/// A head of the queue that waited this long may be held up by threads that block. A little under a tick, so that
/// the first tick already counts.
const HELD_UP: Duration = Duration::from_micros(800);

/// A head that waited this long gets help however quickly the threads work.
const TOO_LONG: Duration = Duration::from_millis(10);

/// Watches the queue of a pool until the pool is closed or has been quiet for long.
pub(super) fn run(shared: &Arc<Shared>, id: u64) {
    let mut seen = shared.lock().taken;
    loop {
        thread::park_timeout(TICK);
        let mut state = shared.lock();
        if !state.closed && state.queue.is_empty() {
            state.watch = Watch::Asleep(thread::current());
            drop(state);
            state = sleep(shared);
            seen = state.taken;
        }
        if state.closed || !matches!(state.watch, Watch::Ticking) {
            state.watch = Watch::Absent;
            let predecessor = state.leave(id);
            shared.ended.notify_all();
            drop(state);
            return join(predecessor);
        }
        let helpers = wanted(&state, Instant::now(), state.taken - seen);
        seen = state.taken;
        drop(state);
        for _ in 0..helpers {
            if !add_one(shared) {
                break;
            }
        }
    }
}

/// Sleeps until the watch is called or the pool closed, or for as long as idle threads stay.
fn sleep(shared: &Shared) -> MutexGuard<'_, State> {
    let since = Instant::now();
    loop {
        thread::park_timeout(shared.limits.idle.saturating_sub(since.elapsed()));
        let state = shared.lock();
        if state.closed || matches!(state.watch, Watch::Ticking) || since.elapsed() >= shared.limits.idle {
            return state;
        }
    }
}

/// How many more threads the queue needs now, when `taken` jobs were taken since the last tick.
fn wanted(state: &State, now: Instant, taken: u64) -> usize {
    let Some(head) = state.queue.front() else { return 0 };
    let waited = now.saturating_duration_since(head.since);
    let awake = state.awake();
    // Threads that each took a job within the tick are not held up: more of them would share the same cores.
    let slow = usize::try_from(taken).is_ok_and(|taken| taken < awake);
    if waited >= TOO_LONG || (waited >= HELD_UP && slow) {
        (awake / 2).max(1).min(state.queue.len().saturating_sub(state.coming))
    } else {
        0
    }
}

/// Calls a resting thread or takes on a new one; false if neither can be.
fn add_one(shared: &Arc<Shared>) -> bool {
    let mut state = shared.lock();
    if state.closed {
        return false;
    }
    if let Some(thread) = state.call() {
        drop(state);
        thread.unpark();
        return true;
    }
    if state.threads >= shared.limits.max_threads {
        return false;
    }
    let started = shared.start_worker(&mut state);
    drop(state);
    let added = started.is_ok();
    shared.note(started);
    added
}
