//! How often progress is sent: values must grow, and a flood is thinned to its latest value.

use std::time::Instant;

use super::rate_limit::RateLimit;

/// Progress notifications sent per second and call, unless set otherwise. As many may come at once.
pub const DEFAULT_PER_SECOND: u32 = 100;

/// One value of a call's progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How far the call is.
    pub value: f64,
    /// Where it ends, if that is known.
    pub total: Option<f64>,
    /// A word for people.
    pub message: Option<String>,
}

/// Decides for each value of one call whether it is sent now, kept, or refused.
#[derive(Debug)]
pub struct ProgressRate {
    limit: RateLimit,
    latest: Option<f64>,
    held: Option<Progress>,
}

impl ProgressRate {
    /// A rate of `per_second`; 0 is unlimited.
    pub fn new(per_second: u32) -> Self {
        ProgressRate { limit: RateLimit::new(per_second), latest: None, held: None }
    }

    /// Takes a value: the one to send now, or nothing if it is held back. A value that is not finite or
    /// does not grow is an error.
    pub fn offer(&mut self, progress: Progress, now: Instant) -> Result<Option<Progress>, String> {
        if !progress.value.is_finite() || progress.total.is_some_and(|total| !total.is_finite()) {
            return Err("progress must be a finite number".into());
        }
        if let Some(latest) = self.latest.filter(|latest| progress.value <= *latest) {
            return Err(format!("progress must grow: {} after {latest}", progress.value));
        }
        self.latest = Some(progress.value);
        if self.limit.take(now) {
            self.held = None;
            Ok(Some(progress))
        } else {
            self.held = Some(progress);
            Ok(None)
        }
    }

    /// The value that was held back last, to be sent before the answer.
    pub fn take_held(&mut self) -> Option<Progress> {
        self.held.take()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::time::Duration;

    fn at(value: f64) -> Progress {
        Progress { value, total: None, message: None }
    }

    #[test]
    fn refuses_what_does_not_grow() {
        let now = Instant::now();
        let mut rate = ProgressRate::new(10);
        assert!(rate.offer(at(1.0), now).is_ok());
        for value in [1.0, 0.5, f64::NAN, f64::INFINITY] {
            assert!(rate.offer(at(value), now).is_err(), "{value}");
        }
        assert!(rate.offer(at(1.5), now).is_ok());
    }

    #[test]
    fn thins_a_flood_and_keeps_its_last_value() {
        let now = Instant::now();
        let mut rate = ProgressRate::new(10);
        let sent = (1..=1000).filter_map(|n| rate.offer(at(f64::from(n)), now).unwrap()).count();
        assert_eq!(sent, 10);
        assert_eq!(rate.take_held(), Some(at(1000.0)));
        let later = now + Duration::from_millis(150);
        assert_eq!(rate.offer(at(1001.0), later).unwrap(), Some(at(1001.0)));
        assert_eq!(rate.take_held(), None);
    }

    #[test]
    fn sends_everything_when_unlimited() {
        let now = Instant::now();
        let mut rate = ProgressRate::new(0);
        let sent = (1..=1000).filter_map(|n| rate.offer(at(f64::from(n)), now).unwrap()).count();
        assert_eq!(sent, 1000);
    }
}
