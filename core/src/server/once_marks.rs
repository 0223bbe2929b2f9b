//! Effects that have happened: so that a client that sends an old request state again, whose handler knows nothing
//! yet of what it did afterwards, does not make it happen twice in this process.
//!
//! Along one chain of states, the mark of an effect travels in the states themselves. This is for the states from
//! before the mark. It holds in one process only, and the oldest marks go where there are very many: an effect that
//! must never happen twice needs a mark where the effect is.

use std::collections::{HashMap, VecDeque};

use super::request_state::json_digest::sha256;
use super::request_state::state::ChainId;
use crate::runtime::lock::Mutex;

/// Most marks at a time; the oldest goes for one more.
pub const MAX_MARKS: usize = 65536;

/// The marks of a server.
#[derive(Default)]
pub struct OnceMarks(Mutex<Marks>);

#[derive(Default)]
struct Marks {
    /// Until when each mark is needed, in milliseconds since 1970.
    until: HashMap<Mark, u64>,
    /// The same marks, oldest first.
    order: VecDeque<Mark>,
}

/// The SHA-256 of a chain's id and a key, so that all marks have one size.
type Mark = [u8; 32];

impl OnceMarks {
    /// Whether this is the first time that `key` is marked in `chain`; it is marked now. The mark is kept `until` no
    /// state from before it is good any more: the time when one that is made `now` expires. Both times are in
    /// milliseconds since 1970.
    pub fn first(&self, chain: ChainId, key: &str, until: u64, now: u64) -> bool {
        let mark = sha256(&[chain.0.as_slice(), key.as_bytes()].concat());
        let mut marks = self.0.lock();
        marks.forget_expired(now);
        if marks.until.contains_key(&mark) {
            return false;
        }
        if marks.order.len() == MAX_MARKS {
            marks.forget_oldest();
        }
        marks.until.insert(mark, until);
        marks.order.push_back(mark);
        true
    }
}

impl Marks {
    fn forget_expired(&mut self, now: u64) {
        while self.order.front().is_some_and(|mark| self.until.get(mark).is_none_or(|until| *until <= now)) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(mark) = self.order.pop_front() {
            self.until.remove(&mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAIN: ChainId = ChainId([1; 16]);

    #[test]
    fn is_the_first_time_once_for_each_chain_and_key() {
        let marks = OnceMarks::default();
        let other = ChainId([2; 16]);
        for (chain, key, first) in [
            (CHAIN, "pay", true),
            (CHAIN, "pay", false),
            (CHAIN, "", true),
            (CHAIN, "mail", true),
            (other, "pay", true),
            (other, "pay", false),
            (CHAIN, "pay", false),
        ] {
            assert_eq!(marks.first(chain, key, 10, 0), first, "{chain:?} {key}");
        }
    }

    #[test]
    fn is_the_first_time_for_one_of_many_threads() {
        let marks = OnceMarks::default();
        let first = std::thread::scope(|scope| {
            let ask = || marks.first(CHAIN, "pay", 10, 0);
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join()).filter(|first| matches!(first, Ok(true))).count()
        });
        assert_eq!(first, 1);
    }

    #[test]
    fn forgets_what_no_state_can_ask_for_any_more() {
        let marks = OnceMarks::default();
        assert!(marks.first(CHAIN, "pay", 10, 0));
        assert!(!marks.first(CHAIN, "pay", 10, 9));
        assert!(marks.first(CHAIN, "pay", 20, 10));
        assert_eq!(marks.0.lock().order.len(), 1);
    }

    #[test]
    fn forgets_the_oldest_where_there_are_too_many() {
        let marks = OnceMarks::default();
        for n in 0..=MAX_MARKS {
            assert!(marks.first(CHAIN, &n.to_string(), 10, 0));
        }
        assert!(!marks.first(CHAIN, "1", 10, 0));
        assert!(marks.first(CHAIN, "0", 10, 0));
        let marks = marks.0.lock();
        assert_eq!((marks.order.len(), marks.until.len()), (MAX_MARKS, MAX_MARKS));
    }
}
