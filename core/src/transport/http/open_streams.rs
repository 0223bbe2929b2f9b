//! The subscriptions that stream from a listener, so that each ends with its result when the listener stops.
//!
//! Specification: basic/patterns/subscriptions, "Graceful closure".

use std::collections::HashMap;
use std::sync::Arc;

use crate::runtime::lock::Mutex;

use crate::server::in_flight::InFlight;

/// The open subscriptions.
#[derive(Default)]
pub(super) struct Subscriptions(Mutex<Table>);

#[derive(Default)]
struct Table {
    open: HashMap<u64, InFlight>,
    next: u64,
    stopping: bool,
}

impl Subscriptions {
    /// Keeps `in_flight`, if it is a subscription, until what is returned is dropped. Ends it at once when the
    /// listener stops already.
    pub fn watch(self: &Arc<Self>, in_flight: &InFlight) -> Option<Watched> {
        if !matches!(in_flight, InFlight::Subscription(_)) {
            return None;
        }
        let mut table = self.0.lock();
        if table.stopping {
            drop(table);
            in_flight.conclude();
            return None;
        }
        let key = table.next;
        table.next += 1;
        table.open.insert(key, in_flight.clone());
        Some(Watched { subscriptions: self.clone(), key })
    }

    /// Ends every open subscription, and each that comes later.
    pub fn conclude_all(&self) {
        let mut table = self.0.lock();
        table.stopping = true;
        let open = std::mem::take(&mut table.open);
        drop(table);
        for in_flight in open.values() {
            in_flight.conclude();
        }
    }
}

/// Keeps a subscription among the open ones.
pub(super) struct Watched {
    subscriptions: Arc<Subscriptions>,
    key: u64,
}

impl Drop for Watched {
    fn drop(&mut self) {
        let in_flight = self.subscriptions.0.lock().open.remove(&self.key);
        drop(in_flight);
    }
}
