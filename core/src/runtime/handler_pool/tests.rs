#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::runtime::lock::{Condvar, Mutex};

use super::*;
use crate::runtime::fork_guard::tests::holds_in_child;
use crate::runtime::signal_mask::block_async_signals;

const LONG: Duration = Duration::from_secs(20);

fn pool(limits: PoolLimits) -> HandlerPool {
    HandlerPool::new(limits, HostMask::current())
}

fn submit(pool: &HandlerPool, job: impl FnOnce() + Send + 'static) {
    assert!(pool.submit(Box::new(job)).is_ok());
}

/// A door that jobs wait at until the test opens it.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
    waiting: AtomicUsize,
}

impl Gate {
    fn pass(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut open = self.open.lock();
        while !*open {
            (open, _) = self.opened.wait(open, None);
        }
    }

    fn open(&self) {
        *self.open.lock() = true;
        self.opened.notify_all();
    }

    /// Waits until so many jobs stand at the door.
    fn wait_for(&self, jobs: usize) {
        wait_until(|| self.waiting.load(Ordering::SeqCst) >= jobs);
    }
}

/// Waits for something that is bound to happen.
fn wait_until(happened: impl Fn() -> bool) {
    let end = Instant::now() + LONG;
    while !happened() {
        assert!(Instant::now() < end);
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn starts_no_thread_before_the_first_job() {
    let pool = pool(PoolLimits::default());
    assert_eq!(pool.shared.lock().threads, 0);
    let (tell, told) = mpsc::channel();
    submit(&pool, move || tell.send(thread::current().name().map(str::to_owned)).unwrap());
    assert_eq!(told.recv_timeout(LONG).unwrap().as_deref(), Some("mcp-handler"));
    assert_eq!(pool.shared.lock().threads, 1);
    assert_eq!(pool.shutdown(Instant::now()), 0);
}

#[test]
fn a_burst_of_short_jobs_takes_no_more_threads_than_can_run_at_once() {
    let burst = || {
        let pool = pool(PoolLimits::default());
        let (tell, told) = mpsc::channel();
        for round in 0..1000 {
            let tell = tell.clone();
            submit(&pool, move || tell.send(round).unwrap());
        }
        for _ in 0..1000 {
            told.recv_timeout(LONG).unwrap();
        }
        pool.shared.lock().threads <= pool.shared.quick_threads
    };
    // A machine under load may hold threads up for real, and then helpers are right: one burst must be left alone.
    assert!((0..100).any(|_| burst()));
}

#[test]
fn as_many_blocking_jobs_as_the_limit_run_at_once() {
    let pool = pool(PoolLimits { max_threads: 64, ..PoolLimits::default() });
    let gate = Arc::new(Gate::default());
    for _ in 0..64 {
        let gate = gate.clone();
        submit(&pool, move || gate.pass());
    }
    gate.wait_for(64);
    assert_eq!(pool.shared.lock().threads, 64);
    gate.open();
    assert_eq!(pool.shutdown(Instant::now() + LONG), 0);
    assert_eq!(pool.shared.lock().threads, 0);
}

#[test]
fn a_job_behind_blocked_ones_gets_a_resting_thread() {
    let pool = pool(PoolLimits::default());
    let first = Arc::new(Gate::default());
    for _ in 0..8 {
        let first = first.clone();
        submit(&pool, move || first.pass());
    }
    first.wait_for(8);
    first.open();
    wait_until(|| pool.shared.lock().idle.len() == 8);
    let second = Arc::new(Gate::default());
    for _ in 0..4 {
        let second = second.clone();
        submit(&pool, move || second.pass());
    }
    second.wait_for(4);
    let (tell, told) = mpsc::channel();
    submit(&pool, move || tell.send(()).unwrap());
    told.recv_timeout(LONG).unwrap();
    assert_eq!(pool.shared.lock().threads, 8);
    second.open();
}

#[test]
fn refuses_what_the_queue_cannot_hold_and_gives_it_back() {
    let pool = pool(PoolLimits { max_threads: 1, max_queue: 2, ..PoolLimits::default() });
    let gate = Arc::new(Gate::default());
    let at_gate = gate.clone();
    submit(&pool, move || at_gate.pass());
    gate.wait_for(1);
    let (tell, told) = mpsc::channel();
    for number in 0..2 {
        let tell = tell.clone();
        submit(&pool, move || tell.send(number).unwrap());
    }
    let refused = pool.submit(Box::new(move || tell.send(2).unwrap())).err().unwrap();
    assert_eq!(refused.why, Refusal::Full { limit: 2 });
    assert_eq!(refused.why.to_string(), "2 handlers wait for a thread already, which is the limit");
    (refused.job)();
    gate.open();
    let order: Vec<_> = told.iter().collect();
    assert_eq!(order, [2, 0, 1]);
}

#[test]
fn a_panic_ends_the_job_and_not_the_thread() {
    let pool = pool(PoolLimits { max_threads: 1, ..PoolLimits::default() });
    let (tell, told) = mpsc::channel();
    let before = tell.clone();
    submit(&pool, move || before.send(thread::current().id()).unwrap());
    submit(&pool, || panic!("as planned"));
    submit(&pool, move || tell.send(thread::current().id()).unwrap());
    assert_eq!(told.recv_timeout(LONG).unwrap(), told.recv_timeout(LONG).unwrap());
}

#[test]
fn threads_have_the_mask_of_the_host_and_not_of_the_submitter() {
    let host = HostMask::current();
    let pool = HandlerPool::new(PoolLimits::default(), host);
    let submitter = thread::spawn(move || {
        block_async_signals();
        let (tell, told) = mpsc::channel();
        submit(&pool, move || tell.send(HostMask::current()).unwrap());
        told.recv_timeout(LONG).unwrap()
    });
    let seen = submitter.join().unwrap();
    for signal in 1..=31 {
        assert_eq!(seen.blocks(signal), host.blocks(signal), "{signal}");
    }
}

#[test]
fn a_thread_knows_its_pool() {
    let one = Arc::new(pool(PoolLimits::default()));
    let other = Arc::new(pool(PoolLimits::default()));
    assert!(!one.owns_current_thread());
    let (tell, told) = mpsc::channel();
    let (mine, not_mine) = (Arc::downgrade(&one), Arc::downgrade(&other));
    submit(&one, move || {
        let (mine, not_mine) = (mine.upgrade().unwrap(), not_mine.upgrade().unwrap());
        tell.send(mine.owns_current_thread() && !not_mine.owns_current_thread()).unwrap();
    });
    assert!(told.recv_timeout(LONG).unwrap());
}

#[test]
fn idle_threads_end_and_the_pool_goes_on() {
    let pool = pool(PoolLimits { idle: Duration::from_millis(20), ..PoolLimits::default() });
    for _ in 0..2 {
        let gate = Arc::new(Gate::default());
        for _ in 0..6 {
            let gate = gate.clone();
            submit(&pool, move || gate.pass());
        }
        gate.wait_for(6);
        gate.open();
        wait_until(|| {
            let state = pool.shared.lock();
            state.threads == 0 && matches!(state.watch, staff::Watch::Absent)
        });
    }
}

#[test]
fn shutdown_drops_what_waits_and_leaves_a_stuck_thread_behind() {
    struct Dropped(Arc<AtomicUsize>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let pool = pool(PoolLimits { max_threads: 1, ..PoolLimits::default() });
    let gate = Arc::new(Gate::default());
    let at_gate = gate.clone();
    let (tell, told) = mpsc::channel();
    submit(&pool, move || {
        at_gate.pass();
        tell.send(()).unwrap();
    });
    gate.wait_for(1);
    let drops = Arc::new(AtomicUsize::new(0));
    for _ in 0..5 {
        let witness = Dropped(drops.clone());
        submit(&pool, move || {
            let _witness = &witness;
            unreachable!("dropped before it ran");
        });
    }
    let begun = Instant::now();
    assert_eq!(pool.shutdown(begun + Duration::from_millis(60)), 1);
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(drops.load(Ordering::SeqCst), 5);
    assert_eq!(pool.submit(Box::new(|| ())).err().unwrap().why, Refusal::Closed);
    gate.open();
    told.recv_timeout(LONG).unwrap();
}

#[test]
fn the_last_owner_may_be_a_job_of_the_pool() {
    let pool = Arc::new(pool(PoolLimits::default()));
    let (tell, told) = mpsc::channel();
    let gate = Arc::new(Gate::default());
    let (inner, at_gate) = (pool.clone(), gate.clone());
    submit(&pool, move || {
        at_gate.pass();
        drop(inner);
        tell.send(()).unwrap();
    });
    drop(pool);
    gate.open();
    told.recv_timeout(LONG).unwrap();
}

#[test]
fn no_thread_is_left_after_the_pool_is_dropped() {
    let pool = pool(PoolLimits::default());
    let gate = Arc::new(Gate::default());
    let alive = Arc::new(());
    for _ in 0..10 {
        let (gate, alive) = (gate.clone(), alive.clone());
        submit(&pool, move || {
            gate.pass();
            drop(alive);
        });
    }
    gate.wait_for(10);
    gate.open();
    let shared = Arc::downgrade(&pool.shared);
    assert_eq!(pool.shutdown(Instant::now() + LONG), 0);
    drop(pool);
    // Each thread held a reference until it ended.
    assert_eq!((shared.strong_count(), Arc::strong_count(&alive)), (0, 1));
}

#[test]
fn a_forked_child_is_refused_and_may_drop_the_pool() {
    let pool = pool(PoolLimits::default());
    let (tell, told) = mpsc::channel();
    submit(&pool, move || tell.send(()).unwrap());
    told.recv_timeout(LONG).unwrap();
    let held = pool.shared.lock();
    assert!(holds_in_child(|| {
        let refused = pool.submit(Box::new(|| ())).err().unwrap();
        refused.why == Refusal::Forked && pool.shutdown(Instant::now() + LONG) == 0
    }));
    drop(held);
    assert!(holds_in_child(move || {
        drop(pool);
        let fresh = super::HandlerPool::new(PoolLimits::default(), HostMask::current());
        let (tell, told) = mpsc::channel();
        submit(&fresh, move || tell.send(()).unwrap());
        told.recv_timeout(LONG).is_ok()
    }));
}

#[test]
fn survives_many_submitters_at_once() {
    let pool = Arc::new(pool(PoolLimits { max_queue: usize::MAX, ..PoolLimits::default() }));
    let done = Arc::new(AtomicUsize::new(0));
    let submitters: Vec<_> = (0..4)
        .map(|_| {
            let (pool, done) = (pool.clone(), done.clone());
            thread::spawn(move || {
                for number in 0..5000 {
                    let done = done.clone();
                    submit(&pool, move || {
                        if number % 500 == 0 {
                            thread::sleep(Duration::from_millis(2));
                        }
                        done.fetch_add(1, Ordering::SeqCst);
                    });
                }
            })
        })
        .collect();
    for submitter in submitters {
        submitter.join().unwrap();
    }
    wait_until(|| done.load(Ordering::SeqCst) == 20_000);
    assert_eq!(pool.shutdown(Instant::now() + LONG), 0);
}
