//! A bound on how often something happens: so many times a second, and as many at once.

use std::time::Instant;

/// Counts what may still happen.
#[derive(Debug)]
pub struct RateLimit {
    per_second: f64,
    allowance: f64,
    refilled: Option<Instant>,
}

impl RateLimit {
    /// A limit of `per_second`; 0 is unlimited.
    pub fn new(per_second: u32) -> Self {
        let per_second = if per_second == 0 { f64::INFINITY } else { f64::from(per_second) };
        RateLimit { per_second, allowance: per_second, refilled: None }
    }

    /// Whether it may happen once more at `now`; if so, it is counted.
    pub fn take(&mut self, now: Instant) -> bool {
        if let Some(before) = self.refilled.replace(now) {
            let refill = now.saturating_duration_since(before).as_secs_f64() * self.per_second;
            // NaN, from no time at an unlimited rate, leaves the allowance as it is.
            self.allowance = (self.allowance + refill.max(0.0)).min(self.per_second);
        }
        let may = self.allowance >= 1.0;
        if may {
            self.allowance -= 1.0;
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn allows_a_burst_and_then_a_rate() {
        let start = Instant::now();
        let mut limit = RateLimit::new(10);
        let taken = |limit: &mut RateLimit, now| (0..1000).filter(|_| limit.take(now)).count();
        assert_eq!(taken(&mut limit, start), 10);
        assert_eq!(taken(&mut limit, start + Duration::from_millis(350)), 3);
        assert_eq!(taken(&mut limit, start + Duration::from_secs(60)), 10);
        assert_eq!(taken(&mut RateLimit::new(0), start), 1000);
    }
}
