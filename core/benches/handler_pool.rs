//! What a hop through the handler pool costs: one job and back, with 1 and with 64 jobs in flight, as elapsed time and
//! as CPU time of the whole process. `cargo bench -p mcp-core --bench handler_pool`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Criterion, criterion_group, criterion_main};
use mcp_core::runtime::handler_pool::{HandlerPool, PoolLimits};
use mcp_core::runtime::signal_mask::HostMask;

/// The submitting side, like an I/O thread: it sleeps until something is done, and is woken once for all that is.
struct Client {
    done: AtomicUsize,
    asleep: AtomicBool,
    thread: Thread,
}

impl Client {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            done: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
            thread: thread::current(),
        })
    }

    fn finish(&self) {
        self.done.fetch_add(1, Ordering::AcqRel);
        if self.asleep.swap(false, Ordering::AcqRel) {
            self.thread.unpark();
        }
    }

    /// Waits for answers and takes all there are.
    fn take_done(&self) -> usize {
        loop {
            self.asleep.swap(true, Ordering::AcqRel);
            let done = self.done.swap(0, Ordering::AcqRel);
            if done > 0 {
                self.asleep.store(false, Ordering::Release);
                return done;
            }
            thread::park();
        }
    }
}

/// Runs `jobs` jobs, each of which computes for about `work`, with at most `in_flight` at a time.
fn run(pool: &HandlerPool, jobs: u64, in_flight: u64, work: Duration) {
    let client = Client::new();
    let (mut sent, mut answered) = (0, 0);
    while answered < jobs {
        while sent < jobs && sent - answered < in_flight {
            let client = client.clone();
            let job = move || {
                compute(work);
                client.finish();
            };
            assert!(pool.submit(Box::new(job)).is_ok());
            sent += 1;
        }
        answered += client.take_done() as u64;
    }
}

fn compute(work: Duration) {
    if !work.is_zero() {
        let begun = Instant::now();
        while begun.elapsed() < work {
            black_box(());
        }
    }
}

fn hops<M: Measurement<Value = Duration>>(criterion: &mut Criterion<M>, what: &str, clock: fn() -> Duration) {
    let pool = HandlerPool::new(PoolLimits::default(), HostMask::current());
    let mut group = criterion.benchmark_group(what);
    for (work, label) in [(Duration::ZERO, "empty job"), (Duration::from_micros(20), "20 us job")] {
        for in_flight in [1, 64] {
            group.bench_function(format!("{label}, {in_flight} in flight"), |bencher| {
                bencher.iter_custom(|jobs| {
                    let begun = clock();
                    run(&pool, jobs, in_flight, work);
                    clock() - begun
                });
            });
        }
    }
    group.finish();
}

/// What the clock `id` of the system shows.
fn system_clock(id: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` outlives the call, and both clocks exist on every platform of ours.
    assert_eq!(unsafe { libc::clock_gettime(id, &mut time) }, 0);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

fn wall_time() -> Duration {
    system_clock(libc::CLOCK_MONOTONIC)
}

fn cpu_time() -> Duration {
    system_clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// The CPU time of all threads of the process.
struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        cpu_time()
    }

    fn end(&self, begun: Duration) -> Duration {
        cpu_time() - begun
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

fn elapsed(criterion: &mut Criterion) {
    hops(criterion, "handler pool, elapsed", wall_time);
}

fn cpu(criterion: &mut Criterion<CpuTime>) {
    hops(criterion, "handler pool, CPU", cpu_time);
}

criterion_group!(name = wall_clock; config = Criterion::default(); targets = elapsed);
criterion_group!(name = cpu_clock; config = Criterion::default().with_measurement(CpuTime); targets = cpu);
criterion_main!(wall_clock, cpu_clock);
