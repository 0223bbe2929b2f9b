//! Who is at work in a pool, what waits, and when somebody is called or taken on.
//!
//! A wake costs more than a short job, so that nobody is woken while enough threads are on their feet: they take
//! the next job before they rest. If they turn out to be held up, `growth` sees to the rest.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use super::{Job, PoolLimits, Refusal, Refused, growth, worker};
use crate::runtime::lock::{Condvar, Mutex, MutexGuard};
use crate::runtime::signal_mask::HostMask;
use crate::runtime::{library_log, library_thread};

/// What the pool and its threads share.
pub(super) struct Shared {
    pub(super) limits: PoolLimits,
    pub(super) mask: HostMask,
    state: Mutex<State>,
    /// Told when a thread ends after the pool was closed.
    pub(super) ended: Condvar,
    /// So many threads serve short jobs: more of them could not run at the same time.
    pub(super) quick_threads: usize,
    out_of_threads: AtomicBool,
}

/// The part of a pool that changes.
pub(super) struct State {
    pub(super) queue: VecDeque<Waiting>,
    /// Resting threads, the one that rested last on top: its memory is still warm.
    pub(super) idle: Vec<Idle>,
    /// Threads that live, resting ones included.
    pub(super) threads: usize,
    /// Threads that were called or started and have not looked at the queue yet.
    pub(super) coming: usize,
    /// Jobs that ever left the queue for a thread.
    pub(super) taken: u64,
    pub(super) closed: bool,
    pub(super) watch: Watch,
    last_taken: Instant,
    next_id: u64,
    handles: HashMap<u64, JoinHandle<()>>,
    /// The thread that ended last; the next one to end joins it.
    ended: Option<JoinHandle<()>>,
}

/// A job and since when it waits.
pub(super) struct Waiting {
    pub(super) job: Job,
    pub(super) since: Instant,
}

/// A resting thread.
pub(super) struct Idle {
    pub(super) id: u64,
    pub(super) thread: Thread,
}

/// The thread that watches whether jobs wait too long.
pub(super) enum Watch {
    /// There is none.
    Absent,
    /// It sleeps until it is called.
    Asleep(Thread),
    /// It looks at the queue once a tick.
    Ticking,
}

/// As long as a thread took a job within this time, the flow is quick, and those on their feet suffice.
const QUICK_FLOW: Duration = Duration::from_micros(200);

/// At most this many threads serve a flow of short jobs, however many cores there are.
const MAX_QUICK_THREADS: usize = 2;

/// Stack of a handler thread, in bytes: what a C program's threads usually have, touched only when used.
const STACK: usize = 8 << 20;

/// Stack of the watching thread, in bytes.
const WATCH_STACK: usize = 128 << 10;

/// How long a thread without a job gets to notice that the pool was closed, past the deadline if need be.
const PROMPT_END: Duration = Duration::from_secs(1);

/// The least time that a running job gets at shutdown: its result may be out already, and its thread on the way back.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// What to do about the head of the queue.
enum Step {
    Nothing,
    Call(Thread),
    Start,
    Watch,
}

impl Shared {
    pub(super) fn new(limits: PoolLimits, mask: HostMask) -> Self {
        let limits = PoolLimits { max_threads: limits.max_threads.max(1), ..limits };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let state = State {
            queue: VecDeque::new(),
            idle: Vec::new(),
            threads: 0,
            coming: 0,
            taken: 0,
            closed: false,
            watch: Watch::Absent,
            last_taken: Instant::now(),
            next_id: 0,
            handles: HashMap::new(),
            ended: None,
        };
        Self {
            limits,
            mask,
            state: Mutex::new(state),
            ended: Condvar::default(),
            quick_threads: cores.min(MAX_QUICK_THREADS).min(limits.max_threads),
            out_of_threads: AtomicBool::new(false),
        }
    }

    /// Tells this pool from every other one that lives; never 0.
    pub(super) fn id(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// The state, locked. No code of the host runs while it is.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    pub(super) fn submit(self: &Arc<Self>, job: Job) -> Result<(), Refused> {
        let now = Instant::now();
        let mut state = self.lock();
        let why = if state.closed {
            Refusal::Closed
        } else if state.queue.len() >= self.limits.max_queue {
            Refusal::Full { limit: self.limits.max_queue }
        } else {
            state.queue.push_back(Waiting { job, since: now });
            return self.see_to_queue(state, now);
        };
        drop(state);
        Err(Refused { job, why })
    }

    /// Sees to it that somebody takes the head of the queue, and gives the lock back. Fails with the job queued last
    /// if there is no thread and none to be had.
    pub(super) fn see_to_queue(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        now: Instant,
    ) -> Result<(), Refused> {
        match state.step(now, &self.limits, self.quick_threads) {
            Step::Nothing => {}
            Step::Call(thread) => {
                drop(state);
                thread.unpark();
            }
            Step::Start => {
                let started = self.start_worker(&mut state);
                let nobody = state.threads == 0;
                let last = if nobody { state.queue.pop_back() } else { None };
                drop(state);
                self.note(started);
                if let Some(Waiting { job, .. }) = last {
                    return Err(Refused { job, why: Refusal::NoThread });
                }
            }
            Step::Watch => self.start_watch(state),
        }
        Ok(())
    }

    /// Takes on one more thread. Under the lock, so that a thread is entered in the books before it can end.
    pub(super) fn start_worker(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        let id = state.new_id();
        let shared = self.clone();
        let handle = library_thread::spawn("mcp-handler", STACK, move || worker::run(&shared, id))?;
        state.handles.insert(id, handle);
        state.threads += 1;
        state.coming += 1;
        Ok(())
    }

    /// Logs that the system gave no thread, the first time in a row. Not under the lock: the log may be the host's.
    pub(super) fn note(&self, started: io::Result<()>) {
        match started {
            Ok(()) => self.out_of_threads.store(false, Ordering::Relaxed),
            Err(error) => {
                if !self.out_of_threads.swap(true, Ordering::Relaxed) {
                    library_log::warning(format_args!("the system gives no further handler thread: {error}"));
                }
            }
        }
    }

    fn start_watch(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        match std::mem::replace(&mut state.watch, Watch::Ticking) {
            Watch::Ticking => {}
            Watch::Asleep(thread) => {
                drop(state);
                thread.unpark();
            }
            Watch::Absent => {
                let id = state.new_id();
                let shared = self.clone();
                let started =
                    library_thread::spawn("mcp-pool-watch", WATCH_STACK, move || growth::run(&shared, id));
                let started = started.map(|handle| drop(state.handles.insert(id, handle)));
                if started.is_err() {
                    state.watch = Watch::Absent;
                }
                drop(state);
                self.note(started);
            }
        }
    }

    /// Ends the threads as far as `deadline` allows; see `HandlerPool::shutdown`.
    pub(super) fn shutdown(&self, deadline: Instant, own_thread: bool) -> usize {
        let mut state = self.lock();
        state.closed = true;
        let dropped = std::mem::take(&mut state.queue);
        let idle = std::mem::take(&mut state.idle);
        state.coming += idle.len();
        if let Watch::Asleep(thread) = &state.watch {
            thread.unpark();
        }
        drop(state);
        for Idle { thread, .. } in idle {
            thread.unpark();
        }
        for waiting in dropped {
            // A destructor of the host may run here, and panic.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(waiting)));
        }
        let mut state = self.lock();
        let remain = usize::from(own_thread);
        let deadline = deadline.max(Instant::now() + LAST_WORDS);
        while state.threads > remain || !matches!(state.watch, Watch::Absent) {
            let prompt = state.coming > 0 || !matches!(state.watch, Watch::Absent);
            let until = if prompt { deadline.max(Instant::now() + PROMPT_END) } else { deadline };
            let time_is_up;
            (state, time_is_up) = self.ended.wait(state, Some(until));
            if time_is_up {
                break;
            }
        }
        let last = state.ended.take();
        let left = state.threads - remain;
        // Dropping the handle of a thread detaches it.
        state.handles.clear();
        drop(state);
        join(last);
        left
    }
}

impl State {
    /// Takes the head of the queue for the calling thread, if anything waits.
    pub(super) fn take(&mut self, now: Instant) -> Option<Job> {
        let waiting = self.queue.pop_front()?;
        self.taken += 1;
        self.last_taken = now;
        Some(waiting.job)
    }

    /// Threads that run a job or are about to.
    pub(super) fn awake(&self) -> usize {
        self.threads - self.idle.len()
    }

    /// Calls a resting thread: the caller unparks it, best after it gave the lock back.
    pub(super) fn call(&mut self) -> Option<Thread> {
        let idle = self.idle.pop()?;
        self.coming += 1;
        Some(idle.thread)
    }

    /// Strikes a thread that ends off the books. The caller joins what this returns, after it gave the lock back: it
    /// ended before, so that at most one ended thread is ever unjoined.
    pub(super) fn leave(&mut self, id: u64) -> Option<JoinHandle<()>> {
        let own = self.handles.remove(&id);
        if own.is_some() { std::mem::replace(&mut self.ended, own) } else { None }
    }

    fn step(&mut self, now: Instant, limits: &PoolLimits, quick_threads: usize) -> Step {
        if self.queue.is_empty() || self.coming > 0 {
            // Who comes takes the head, and then looks after the next one.
            return Step::Nothing;
        }
        let quick = now.saturating_duration_since(self.last_taken) < QUICK_FLOW;
        if (self.awake() < quick_threads || !quick)
            && let Some(thread) = self.call()
        {
            return Step::Call(thread);
        }
        if self.threads < quick_threads {
            return Step::Start;
        }
        let can_grow = !self.idle.is_empty() || self.threads < limits.max_threads;
        if can_grow && !matches!(self.watch, Watch::Ticking) { Step::Watch } else { Step::Nothing }
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }
}

/// Waits for a thread that is past its last job.
pub(super) fn join(ended: Option<JoinHandle<()>>) {
    if let Some(handle) = ended
        && handle.thread().id() != thread::current().id()
    {
        let _ = handle.join();
    }
}
