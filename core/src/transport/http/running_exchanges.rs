//! The exchanges of an endpoint that run, so that all of them can be ended and waited for.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::exchange::Abort;
use crate::host_error::HostError;
use crate::runtime::lock::{Condvar, Mutex, MutexGuard};
use crate::server::shutdown::Serving;

/// The exchanges that run.
#[derive(Default)]
pub(super) struct RunningExchanges {
    table: Mutex<Table>,
    ended: Condvar,
}

#[derive(Default)]
struct Table {
    running: HashMap<u64, Abort>,
    next: u64,
    closed: bool,
    /// Kept until the last exchange of a closed endpoint has ended.
    serving: Option<Serving>,
}

impl RunningExchanges {
    /// Keeps `serving` until the endpoint has ended. Fails if it was told to end before.
    pub fn serve(&self, serving: Serving) -> Result<(), HostError> {
        let mut table = self.table.lock();
        if table.closed {
            drop(table);
            return Err(HostError::ShutDown);
        }
        table.serving = Some(serving);
        Ok(())
    }

    /// Counts an exchange among those that run, until the place is dropped. Fails when no more are taken.
    pub fn begin(self: &Arc<Self>, abort: &Abort) -> Result<Place, HostError> {
        let mut table = self.table.lock();
        if table.closed {
            return Err(HostError::ShutDown);
        }
        let key = table.next;
        table.next += 1;
        table.running.insert(key, abort.clone());
        Ok(Place { exchanges: self.clone(), key })
    }

    /// Takes no more. True if some still run.
    pub fn close(&self) -> bool {
        let mut table = self.table.lock();
        table.closed = true;
        let some_run = !table.running.is_empty();
        self.settle(table);
        some_run
    }

    /// Breaks all of them off.
    pub fn abort_all(&self) {
        let running: Vec<_> = self.table.lock().running.values().cloned().collect();
        running.iter().for_each(Abort::abort);
    }

    /// Waits until none runs, or the time is up.
    pub fn wait_until_none(&self, deadline: Option<Instant>) {
        let mut table = self.table.lock();
        let mut time_is_up = false;
        while !table.running.is_empty() && !time_is_up {
            (table, time_is_up) = self.ended.wait(table, deadline);
        }
    }

    fn settle(&self, mut table: MutexGuard<'_, Table>) {
        let is_over = table.closed && table.running.is_empty();
        let serving = if is_over { table.serving.take() } else { None };
        drop(table);
        drop(serving);
    }
}

/// The place of an exchange among those that run.
pub(super) struct Place {
    exchanges: Arc<RunningExchanges>,
    key: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = self.exchanges.table.lock();
        let ended = table.running.remove(&self.key);
        self.exchanges.settle(table);
        self.exchanges.ended.notify_all();
        drop(ended);
    }
}
