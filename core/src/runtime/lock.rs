//! The locks of the library: those of std, without poisoning.
//!
//! Each is one word, which a forked child makes anew with its own server. A lock that keeps its waiters in a table
//! of the whole process, as those of some crates do, would not do: a fork at the wrong moment leaves that table
//! locked in the child for ever, and with it the locks of servers that are made there.

use std::sync::{self, PoisonError};
use std::time::Instant;

pub use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

/// A lock. A panic while it is held changes nothing for the next holder: nothing is held while the host's code
/// runs, and what the library guards is whole between two statements.
#[derive(Debug, Default)]
pub struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// A lock around `value`.
    pub const fn new(value: T) -> Self {
        Mutex(sync::Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value, of which the caller is the only owner.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lock for many readers or one writer.
#[derive(Debug, Default)]
pub struct RwLock<T>(sync::RwLock<T>);

impl<T> RwLock<T> {
    /// A lock around `value`.
    pub const fn new(value: T) -> Self {
        RwLock(sync::RwLock::new(value))
    }

    /// Waits until nobody writes.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody reads or writes.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets threads wait until something under a [`Mutex`] has changed.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// Waits for a notification, without the lock, until `deadline`, or without end. True if the time was up.
    pub fn wait<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        deadline: Option<Instant>,
    ) -> (MutexGuard<'a, T>, bool) {
        let Some(deadline) = deadline else {
            return (self.0.wait(guard).unwrap_or_else(PoisonError::into_inner), false);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let (guard, timeout) = self.0.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner);
        (guard, timeout.timed_out())
    }

    /// Ends the wait of everybody.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}
