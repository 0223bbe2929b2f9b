//! How long a silent client is waited for, without a timer per request.
//!
//! A connection notes when bytes come and when requests begin and end, by a clock that ticks every few seconds.
//! At each tick the listener looks for connections whose client has owed it something for too long.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// How long a client may take to send the head of a request, unless set otherwise.
pub const DEFAULT_HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a connection may stay open without a request, unless set otherwise. Longer than clients keep theirs:
/// a connection should be closed by the side that knows whether it is about to use it.
pub const DEFAULT_IDLE_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a client may pause within the body of a request.
const BODY_PAUSE: Duration = Duration::from_secs(60);

/// How long a client may take nothing of a response that waits to be sent. That a response has nothing to send,
/// as a quiet stream of events, does not count.
const WRITE_PAUSE: Duration = Duration::from_secs(60);

/// The longest time between two ticks.
const MAX_TICK: Duration = Duration::from_secs(5);

/// The limits, in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    tick: Duration,
    head: u32,
    body: u32,
    write: u32,
    idle: u32,
}

impl Patience {
    /// Limits that are kept to within a quarter of the shortest, and to within seconds.
    pub fn new(head: Duration, idle: Duration) -> Self {
        let shortest = head.min(idle).min(BODY_PAUSE).min(WRITE_PAUSE);
        let tick = (shortest / 4).clamp(Duration::from_millis(10), MAX_TICK);
        // The first tick may come at once.
        let ticks = |limit: Duration| {
            u32::try_from(limit.as_millis() / tick.as_millis())
                .map_or(u32::MAX, |ticks| ticks.saturating_add(1))
        };
        Patience {
            tick,
            head: ticks(head),
            body: ticks(BODY_PAUSE),
            write: ticks(WRITE_PAUSE),
            idle: ticks(idle),
        }
    }

    /// The time between two ticks.
    pub fn tick(&self) -> Duration {
        self.tick
    }
}

/// What one connection's client is doing, as far as it matters how long. Times are ticks; they begin at 1.
#[derive(Debug)]
pub(super) struct Activity {
    /// Requests that have a head and whose response is not all handed over.
    requests: AtomicU32,
    /// Those whose body is not complete.
    bodies: AtomicU32,
    /// When the first byte of a head came, or the connection was opened; 0 while none is awaited.
    head_since: AtomicU32,
    /// Since when the socket takes no bytes of a response; 0 while it takes them or there are none.
    unread_since: AtomicU32,
    /// When anything last happened.
    last: AtomicU32,
    /// HTTP/2 has other bytes than requests between requests.
    http2: AtomicBool,
}

impl Activity {
    /// A connection that was opened at `now`.
    pub fn new(now: u32) -> Self {
        Activity {
            requests: AtomicU32::new(0),
            bodies: AtomicU32::new(0),
            head_since: AtomicU32::new(now),
            unread_since: AtomicU32::new(0),
            last: AtomicU32::new(now),
            http2: AtomicBool::new(false),
        }
    }

    /// Bytes came.
    pub fn bytes_came(&self, now: u32) {
        self.last.store(now, Relaxed);
        if self.requests.load(Relaxed) == 0 && self.head_since.load(Relaxed) == 0 {
            self.head_since.store(now, Relaxed);
        }
    }

    /// The socket took bytes of a response, or did not (`pending`).
    pub fn wrote(&self, pending: bool, now: u32) {
        let since = self.unread_since.load(Relaxed);
        if !pending && since != 0 {
            self.unread_since.store(0, Relaxed);
        } else if pending && since == 0 {
            self.unread_since.store(now, Relaxed);
        }
    }

    /// A head is complete.
    pub fn request_began(&self, http2: bool) {
        self.requests.fetch_add(1, Relaxed);
        self.bodies.fetch_add(1, Relaxed);
        self.head_since.store(0, Relaxed);
        if http2 {
            self.http2.store(true, Relaxed);
        }
    }

    /// A body is complete, or no longer wanted.
    pub fn body_ended(&self) {
        self.bodies.fetch_sub(1, Relaxed);
    }

    /// A response is handed over, or no longer wanted.
    pub fn request_ended(&self, now: u32) {
        self.requests.fetch_sub(1, Relaxed);
        self.last.store(now, Relaxed);
    }

    /// Whether no request is in work, and no response waits to be taken.
    #[cfg(feature = "tls")]
    pub fn is_at_rest(&self) -> bool {
        self.requests.load(Relaxed) == 0 && self.unread_since.load(Relaxed) == 0
    }

    /// Whether the client has kept the connection waiting for too long.
    pub fn is_overdue(&self, now: u32, patience: &Patience) -> bool {
        let unread_since = self.unread_since.load(Relaxed);
        if unread_since != 0 && now.wrapping_sub(unread_since) > patience.write {
            return true;
        }
        let silent = now.wrapping_sub(self.last.load(Relaxed));
        if self.requests.load(Relaxed) > 0 {
            return self.bodies.load(Relaxed) > 0 && silent > patience.body;
        }
        match self.head_since.load(Relaxed) {
            0 => silent > patience.idle,
            _ if self.http2.load(Relaxed) => silent > patience.idle,
            since => now.wrapping_sub(since) > patience.head,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience { tick: MAX_TICK, head: 6, body: 12, write: 12, idle: 120 };

    fn overdue_at(activity: &Activity, from: u32) -> u32 {
        (from..from + 1000).find(|&now| activity.is_overdue(now, &PATIENCE)).unwrap_or(u32::MAX)
    }

    #[test]
    fn gives_a_new_connection_the_time_of_a_head() {
        let activity = Activity::new(10);
        assert_eq!(overdue_at(&activity, 10), 17);
        activity.bytes_came(15);
        assert_eq!(overdue_at(&activity, 10), 17, "bytes in drops do not prolong it");
    }

    #[test]
    fn waits_for_ever_while_the_server_works() {
        let activity = Activity::new(10);
        activity.request_began(false);
        activity.body_ended();
        assert_eq!(overdue_at(&activity, 10), u32::MAX);
    }

    #[test]
    fn does_not_wait_for_ever_for_a_client_that_reads_nothing() {
        let activity = Activity::new(10);
        activity.request_began(false);
        activity.body_ended();
        activity.wrote(true, 20);
        activity.wrote(true, 25);
        assert_eq!(overdue_at(&activity, 25), 33, "trying again is no progress");
        activity.wrote(false, 30);
        activity.wrote(true, 30);
        assert_eq!(overdue_at(&activity, 30), 43);
        activity.wrote(false, 40);
        assert_eq!(overdue_at(&activity, 40), u32::MAX, "nothing waits to be read");
    }

    #[test]
    fn waits_for_a_body_as_long_as_it_keeps_coming() {
        let activity = Activity::new(10);
        activity.request_began(false);
        activity.bytes_came(20);
        assert_eq!(overdue_at(&activity, 20), 33);
        activity.bytes_came(30);
        assert_eq!(overdue_at(&activity, 30), 43);
    }

    #[test]
    fn keeps_an_idle_connection_until_its_next_head_begins() {
        let activity = Activity::new(10);
        activity.request_began(false);
        activity.body_ended();
        activity.request_ended(20);
        assert_eq!(overdue_at(&activity, 20), 141);
        activity.bytes_came(50);
        assert_eq!(overdue_at(&activity, 50), 57);
    }

    #[test]
    fn takes_pings_of_an_idle_http2_connection_for_life() {
        let activity = Activity::new(10);
        activity.request_began(true);
        activity.body_ended();
        activity.request_ended(20);
        activity.bytes_came(50);
        assert_eq!(overdue_at(&activity, 50), 171);
    }

    #[cfg(feature = "tls")]
    #[test]
    fn is_at_rest_while_nothing_is_in_work_and_nothing_waits_to_be_taken() {
        let activity = Activity::new(10);
        assert!(activity.is_at_rest());
        activity.request_began(false);
        activity.body_ended();
        assert!(!activity.is_at_rest());
        activity.request_ended(20);
        assert!(activity.is_at_rest());
        activity.wrote(true, 20);
        assert!(!activity.is_at_rest());
    }

    #[test]
    fn ticks_often_enough_for_short_limits() {
        let patience = Patience::new(Duration::from_millis(200), DEFAULT_IDLE_TIMEOUT);
        assert_eq!(patience.tick(), Duration::from_millis(50));
        assert_eq!(patience.head, 5);
        assert_eq!(Patience::new(Duration::from_secs(1), Duration::MAX).idle, u32::MAX);
        assert_eq!(Patience::new(DEFAULT_HEAD_TIMEOUT, DEFAULT_IDLE_TIMEOUT).tick(), MAX_TICK);
    }
}
