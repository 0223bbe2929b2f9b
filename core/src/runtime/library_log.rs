//! What the library itself has to say: one log for the process, which the host may take over.
//!
//! Without a handler, warnings and errors go to stderr as one line each, and the rest is dropped.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::lock::{Mutex, MutexGuard};
use super::signal_mask;

/// How much a log line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogSeverity {
    /// For someone who looks for a fault in the library or its use.
    Debug,
    /// What goes on, when all is well.
    Info,
    /// Something was dropped, refused or cut short; the library goes on.
    Warning,
    /// Something that should have worked did not.
    Error,
}

/// Called for each log line, from any thread of the library or of the host, also from several at once.
pub type LogHandler = Box<dyn Fn(LogSeverity, &str) + Send + Sync>;

/// Sends the log lines of the whole process to `handler`, or to stderr again with `None`.
///
/// The handler before is dropped once its last call has ended: here, or on the thread of that call. A line that
/// a handler causes while it handles one is dropped, and a panic in a handler goes no further.
pub fn set_log_handler(handler: Option<LogHandler>) {
    mind_forks();
    let new = handler.map(|handler| Arc::new(Listener { handler }));
    let mut current = listener();
    HAS_LISTENER.store(new.is_some(), Ordering::Release);
    let old = std::mem::replace(&mut *current, new);
    drop(current);
    drop_contained(old);
}

/// Whether a line of this severity would reach anybody. Cheap: one load.
pub fn is_heard(severity: LogSeverity) -> bool {
    HAS_LISTENER.load(Ordering::Acquire) || severity >= LogSeverity::Warning
}

/// Logs what `text` returns, which is called only if somebody listens.
pub fn log(severity: LogSeverity, text: impl FnOnce() -> String) {
    if is_heard(severity) {
        deliver(severity, &text());
    }
}

/// Logs a debug line.
pub fn debug(text: fmt::Arguments<'_>) {
    log(LogSeverity::Debug, || text.to_string());
}

/// Logs a warning.
pub fn warning(text: fmt::Arguments<'_>) {
    log(LogSeverity::Warning, || text.to_string());
}

/// Logs an error.
pub fn error(text: fmt::Arguments<'_>) {
    log(LogSeverity::Error, || text.to_string());
}

struct Listener {
    handler: LogHandler,
}

/// Held only to copy or swap the pointer, never while a handler runs.
static LISTENER: Mutex<Option<Arc<Listener>>> = Mutex::new(None);

static HAS_LISTENER: AtomicBool = AtomicBool::new(false);

thread_local! {
    static INSIDE_HANDLER: Cell<bool> = const { Cell::new(false) };
    static HELD: Cell<Option<MutexGuard<'static, Option<Arc<Listener>>>>> = const { Cell::new(None) };
}

/// Holds the lock over each fork, so that the child finds it free and not held by a thread that is no more.
fn mind_forks() {
    extern "C" fn before() {
        let _ = HELD.try_with(|held| held.set(Some(held.take().unwrap_or_else(listener))));
    }
    extern "C" fn after() {
        let _ = HELD.try_with(|held| drop(held.take()));
    }
    // Not a `Once`, which a fork could find half done. Registered twice, by two threads at once, does no harm.
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if !REGISTERED.load(Ordering::Acquire) {
        // SAFETY: the handlers are plain functions that live as long as the library, which is never unloaded.
        // Should this fail for want of memory, only a fork amid a change of handlers could be hurt.
        unsafe { libc::pthread_atfork(Some(before), Some(after), Some(after)) };
        REGISTERED.store(true, Ordering::Release);
    }
}

fn listener() -> MutexGuard<'static, Option<Arc<Listener>>> {
    LISTENER.lock()
}

fn deliver(severity: LogSeverity, text: &str) {
    let listener = if HAS_LISTENER.load(Ordering::Acquire) { listener().clone() } else { None };
    let Some(listener) = listener else { return write_to_stderr(severity, text) };
    if INSIDE_HANDLER.replace(true) {
        return drop_contained(Some(listener));
    }
    if catch_unwind(AssertUnwindSafe(|| (listener.handler)(severity, text))).is_err() {
        write_to_stderr(LogSeverity::Error, "the log handler panicked");
        write_to_stderr(severity, text);
    }
    drop_contained(Some(listener));
    INSIDE_HANDLER.set(false);
}

/// Drops what may hold the last reference: the destructor is the host's, and may panic.
fn drop_contained(listener: Option<Arc<Listener>>) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(listener)));
}

/// One line by one write, without the locks of std or of C stdio: a forked child may log too.
fn write_to_stderr(severity: LogSeverity, text: &str) {
    let word = match severity {
        LogSeverity::Warning => "warning",
        LogSeverity::Error => "error",
        LogSeverity::Debug | LogSeverity::Info => return,
    };
    let line = format!("libmcp: {word}: {}\n", text.replace('\n', " "));
    // SAFETY: the pointer and the length are those of `line`. A closed or full stderr loses the line.
    signal_mask::without_sigpipe(|| unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len())
    });
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::runtime::fork_guard::tests::holds_in_child;
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    /// The log is one for the process, and tests run side by side.
    pub(crate) static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn without_a_handler_only_warnings_and_errors_are_heard() {
        let _alone = ALONE.lock();
        set_log_handler(None);
        assert!(!is_heard(LogSeverity::Debug) && !is_heard(LogSeverity::Info));
        assert!(is_heard(LogSeverity::Warning) && is_heard(LogSeverity::Error));
        log(LogSeverity::Info, || unreachable!("nobody listens"));
    }

    #[test]
    fn a_handler_hears_every_line_with_its_severity() {
        let _alone = ALONE.lock();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ear = heard.clone();
        let mine = thread::current().id();
        set_log_handler(Some(Box::new(move |severity, text| {
            if thread::current().id() == mine {
                ear.lock().push((severity, text.to_owned()));
            }
        })));
        debug(format_args!("one {}", 1));
        error(format_args!("two"));
        set_log_handler(None);
        assert_eq!(
            *heard.lock(),
            [(LogSeverity::Debug, "one 1".to_owned()), (LogSeverity::Error, "two".to_owned())]
        );
    }

    #[test]
    fn a_panic_and_a_line_inside_the_handler_go_no_further() {
        let _alone = ALONE.lock();
        let calls = Arc::new(AtomicUsize::new(0));
        let count = calls.clone();
        let mine = thread::current().id();
        set_log_handler(Some(Box::new(move |_, _| {
            if thread::current().id() == mine {
                count.fetch_add(1, Ordering::SeqCst);
                debug(format_args!("from inside"));
                panic!("as planned");
            }
        })));
        debug(format_args!("first"));
        debug(format_args!("second"));
        set_log_handler(None);
        assert_eq!(calls.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_handler_is_dropped_once_and_never_while_it_runs() {
        struct Host {
            running: AtomicUsize,
            dropped: Arc<AtomicUsize>,
        }
        impl Drop for Host {
            fn drop(&mut self) {
                assert_eq!(self.running.load(Ordering::SeqCst), 0);
                self.dropped.fetch_add(1, Ordering::SeqCst);
            }
        }
        let _alone = ALONE.lock();
        let dropped = Arc::new(AtomicUsize::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let loggers: Vec<_> = (0..3)
            .map(|_| {
                let stop = stop.clone();
                thread::spawn(move || {
                    while !stop.load(Ordering::SeqCst) {
                        debug(format_args!("line"));
                    }
                })
            })
            .collect();
        const HANDLERS: usize = 500;
        for _ in 0..HANDLERS {
            let host = Host { running: AtomicUsize::new(0), dropped: dropped.clone() };
            set_log_handler(Some(Box::new(move |_, _| {
                host.running.fetch_add(1, Ordering::SeqCst);
                thread::yield_now();
                host.running.fetch_sub(1, Ordering::SeqCst);
            })));
        }
        set_log_handler(None);
        stop.store(true, Ordering::SeqCst);
        for logger in loggers {
            logger.join().unwrap();
        }
        assert_eq!(dropped.load(Ordering::SeqCst), HANDLERS);
    }

    #[test]
    fn a_forked_child_can_log_whatever_the_other_threads_did() {
        let _alone = ALONE.lock();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let busy = thread::spawn(move || {
            while !stopped.load(Ordering::SeqCst) {
                set_log_handler(Some(Box::new(|_, _| ())));
            }
        });
        for _ in 0..20 {
            assert!(holds_in_child(|| {
                debug(format_args!("in the child"));
                set_log_handler(None);
                true
            }));
        }
        stop.store(true, Ordering::SeqCst);
        busy.join().unwrap();
        set_log_handler(None);
    }
}
