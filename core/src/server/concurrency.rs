//! How many requests may be in flight at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls in flight on a server, unless set otherwise.
pub const DEFAULT_MAX_IN_FLIGHT: usize = 4096;

/// Calls in flight on one connection, unless set otherwise.
pub const DEFAULT_MAX_IN_FLIGHT_PER_CONNECTION: usize = 1024;

/// Subscriptions open on a server, unless set otherwise.
pub const DEFAULT_MAX_SUBSCRIPTIONS: usize = 10_000;

/// A count with a bound.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<AtomicUsize>);

/// A place in a [`Gauge`], given back when dropped.
#[derive(Debug)]
pub struct Place(Arc<AtomicUsize>);

impl Gauge {
    /// Takes a place, unless `most` are taken.
    pub fn take(&self, most: usize) -> Option<Place> {
        let one_more = |taken| (taken < most).then_some(taken + 1);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).ok()?;
        Some(Place(self.0.clone()))
    }

    /// How many are taken.
    pub fn taken(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn gives_back_a_place_when_it_is_dropped() {
        let gauge = Gauge::default();
        let first = gauge.take(2).unwrap();
        let _second = gauge.take(2).unwrap();
        assert!(gauge.take(2).is_none());
        drop(first);
        assert_eq!(gauge.taken(), 1);
        assert!(gauge.take(2).is_some());
    }
}
