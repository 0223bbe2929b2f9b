//! Rounds of requests that were answered: a client that lost the answer to a round repeats it, and gets that answer
//! again, so that the handler's effects do not happen again.
//!
//! It holds in one process, until the round's state expires, and within bounds; a server that must never repeat an
//! effect makes sure of it where the effect is (specification, basic/patterns/mrtr, the warning on replay).

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::request_state::json_digest::{JsonDigest, sha256};
use crate::runtime::lock::Mutex;

/// Most answers that are kept; the oldest goes for one more.
pub const MAX_ANSWERS: usize = 4096;

/// Most bytes of all answers that are kept; the oldest go until there is room.
pub const MAX_ANSWER_BYTES: usize = 32 << 20;

/// Most repetitions that wait for one round in flight.
pub const MAX_WAITING: usize = 64;

/// What can say how much memory it takes.
pub trait Weigh {
    /// Its size in bytes, about.
    fn weight(&self) -> usize;
}

/// Identifies a round: a request state and the client's answers to what was asked with it. Who sends them, and with
/// which arguments, was checked when the state was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RoundKey([u8; 32]);

impl RoundKey {
    /// The key of the round in which a client sends `request_state` and `input_responses`, a JSON text (empty where it
    /// sends none), with these arguments, and declares `capabilities`: what one could be asked, another may not be. The
    /// spelling of the answers does not count.
    pub fn of(
        request_state: &str,
        input_responses: &[u8],
        arguments: JsonDigest,
        capabilities: &[u8],
    ) -> Self {
        let (responses, capabilities) = (JsonDigest::of(input_responses), JsonDigest::of(capabilities));
        let parts = [sha256(request_state.as_bytes()), responses.0, arguments.0, capabilities.0];
        RoundKey(sha256(&parts.concat()))
    }
}

/// The rounds of a server. An answer is what a request ends with, without its id: a repetition has another one. It is
/// cloned with the lock held, so that a large one belongs into an [`Arc`].
///
/// Any number of threads may use it at once.
pub struct CommittedRounds<T: Clone + Weigh>(Shared<T>);

type Shared<T> = Arc<Mutex<Rounds<T>>>;

/// What a round is told when its turn comes, on the thread that ended the round before it; no lock is held.
pub type Waiter<T> = Box<dyn FnOnce(Turn<T>) + Send>;

/// What becomes of a repetition that waited.
pub enum Turn<T: Clone + Weigh> {
    /// The answer of the round that it repeats.
    Answer(T),
    /// That round was given up, as when its client went away: this one runs in its place, and whoever else waits,
    /// waits for it.
    Run(RoundGuard<T>),
}

/// What to do with a round.
pub enum Begun<T: Clone + Weigh> {
    /// It is new: run it.
    First(RoundGuard<T>),
    /// It was run: this is its answer.
    Committed(T),
    /// It is being run: wait for it.
    InFlight(WaitingPlace<T>),
    /// It is being run, and too many wait for it already.
    Crowded,
}

impl<T: Clone + Weigh> CommittedRounds<T> {
    /// A store of none.
    pub fn new() -> Self {
        let rounds = Rounds { entries: HashMap::new(), order: VecDeque::new(), bytes: 0 };
        CommittedRounds(Arc::new(Mutex::new(rounds)))
    }

    /// Begins the round `key` at `now`. Its answer is kept until its state `expires`. Both times are in milliseconds
    /// since 1970.
    pub fn begin(&self, key: RoundKey, expires: u64, now: u64) -> Begun<T> {
        let mut rounds = self.0.lock();
        let forgotten = rounds.forget_expired(now);
        let begun = match rounds.entries.get(&key) {
            Some(Entry::Committed { answer, .. }) => Begun::Committed(answer.clone()),
            Some(Entry::InFlight(waiting)) if waiting.len() >= MAX_WAITING => Begun::Crowded,
            Some(Entry::InFlight(_)) => {
                Begun::InFlight(WaitingPlace { rounds: self.0.clone(), key, expires })
            }
            None => {
                rounds.entries.insert(key, Entry::InFlight(Vec::new()));
                Begun::First(RoundGuard::new(&self.0, key, expires))
            }
        };
        drop(rounds);
        drop(forgotten);
        begun
    }
}

impl<T: Clone + Weigh> Default for CommittedRounds<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// A place among those that wait for a round in flight.
pub struct WaitingPlace<T: Clone + Weigh> {
    rounds: Shared<T>,
    key: RoundKey,
    expires: u64,
}

impl<T: Clone + Weigh> WaitingPlace<T> {
    /// Waits: `waiter` is called once, when the round ends, or at once if it ended meanwhile. A waiter whose client
    /// went away may drop its turn: the next one runs.
    pub fn wait(self, waiter: Waiter<T>) {
        let mut rounds = self.rounds.lock();
        let turn = match rounds.entries.get_mut(&self.key) {
            Some(Entry::InFlight(waiting)) => return waiting.push(waiter),
            Some(Entry::Committed { answer, .. }) => Turn::Answer(answer.clone()),
            None => {
                rounds.entries.insert(self.key, Entry::InFlight(Vec::new()));
                Turn::Run(RoundGuard::new(&self.rounds, self.key, self.expires))
            }
        };
        drop(rounds);
        waiter(turn);
    }
}

/// The right to run a round. Dropped uncommitted, it lets one of those that wait run it.
pub struct RoundGuard<T: Clone + Weigh> {
    rounds: Shared<T>,
    key: RoundKey,
    expires: u64,
    committed: bool,
}

impl<T: Clone + Weigh> RoundGuard<T> {
    fn new(rounds: &Shared<T>, key: RoundKey, expires: u64) -> Self {
        RoundGuard { rounds: rounds.clone(), key, expires, committed: false }
    }

    /// Keeps `answer` for repetitions of the round, and hands it to those that wait.
    pub fn commit(mut self, answer: &T) {
        self.committed = true;
        let mut rounds = self.rounds.lock();
        let (waiting, forgotten) = rounds.commit(self.key, answer, self.expires);
        drop(rounds);
        drop(forgotten);
        for waiter in waiting {
            waiter(Turn::Answer(answer.clone()));
        }
    }
}

impl<T: Clone + Weigh> Drop for RoundGuard<T> {
    fn drop(&mut self) {
        if self.committed {
            return;
        }
        let mut rounds = self.rounds.lock();
        let next = match rounds.entries.get_mut(&self.key) {
            Some(Entry::InFlight(waiting)) if !waiting.is_empty() => Some(waiting.remove(0)),
            Some(Entry::InFlight(_)) => {
                rounds.entries.remove(&self.key);
                None
            }
            Some(Entry::Committed { .. }) | None => None,
        };
        drop(rounds);
        if let Some(waiter) = next {
            waiter(Turn::Run(RoundGuard::new(&self.rounds, self.key, self.expires)));
        }
    }
}

struct Rounds<T: Clone + Weigh> {
    entries: HashMap<RoundKey, Entry<T>>,
    /// The committed ones, oldest first.
    order: VecDeque<RoundKey>,
    /// What the committed ones weigh.
    bytes: usize,
}

enum Entry<T: Clone + Weigh> {
    /// Being run, and those that wait for it.
    InFlight(Vec<Waiter<T>>),
    Committed {
        answer: T,
        weight: usize,
        expires: u64,
    },
}

impl<T: Clone + Weigh> Rounds<T> {
    /// Makes a round in flight a committed one; an answer too heavy for the store is not kept. Returns those that
    /// waited, and what had to go: it is dropped without the lock.
    fn commit(&mut self, key: RoundKey, answer: &T, expires: u64) -> (Vec<Waiter<T>>, Vec<Entry<T>>) {
        let waiting = match self.entries.remove(&key) {
            Some(Entry::InFlight(waiting)) => waiting,
            Some(Entry::Committed { .. }) | None => Vec::new(),
        };
        let weight = answer.weight();
        let mut forgotten = Vec::new();
        if weight <= MAX_ANSWER_BYTES {
            while self.order.len() >= MAX_ANSWERS || self.bytes + weight > MAX_ANSWER_BYTES {
                forgotten.extend(self.forget_oldest());
            }
            self.entries.insert(key, Entry::Committed { answer: answer.clone(), weight, expires });
            self.order.push_back(key);
            self.bytes += weight;
        }
        (waiting, forgotten)
    }

    fn forget_expired(&mut self, now: u64) -> Vec<Entry<T>> {
        let mut forgotten = Vec::new();
        while let Some(Entry::Committed { expires, .. }) =
            self.order.front().and_then(|key| self.entries.get(key))
            && *expires <= now
        {
            forgotten.extend(self.forget_oldest());
        }
        forgotten
    }

    fn forget_oldest(&mut self) -> Option<Entry<T>> {
        let entry = self.entries.remove(&self.order.pop_front()?);
        if let Some(Entry::Committed { weight, .. }) = &entry {
            self.bytes -= weight;
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};

    /// An answer: its name and its weight.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Answer(usize, usize);

    impl Weigh for Answer {
        fn weight(&self) -> usize {
            self.1
        }
    }

    fn key(n: usize) -> RoundKey {
        RoundKey::of(&n.to_string(), b"{}", JsonDigest::of(b"{}"), b"{}")
    }

    fn first(rounds: &CommittedRounds<Answer>, n: usize) -> RoundGuard<Answer> {
        match rounds.begin(key(n), 10, 0) {
            Begun::First(guard) => guard,
            _ => panic!("round {n} is not new"),
        }
    }

    fn committed(rounds: &CommittedRounds<Answer>, n: usize) -> Option<Answer> {
        match rounds.begin(key(n), 10, 0) {
            Begun::Committed(answer) => Some(answer),
            _ => None,
        }
    }

    fn place(rounds: &CommittedRounds<Answer>, n: usize) -> WaitingPlace<Answer> {
        match rounds.begin(key(n), 10, 0) {
            Begun::InFlight(place) => place,
            _ => panic!("round {n} is not in flight"),
        }
    }

    fn waiting(rounds: &CommittedRounds<Answer>, n: usize) -> Receiver<Turn<Answer>> {
        let (sender, receiver) = channel();
        place(rounds, n).wait(Box::new(move |turn| drop(sender.send(turn))));
        receiver
    }

    #[test]
    fn is_the_same_round_whatever_the_spelling_of_the_answers() {
        let arguments = JsonDigest::of(b"{}");
        let one = RoundKey::of("s", br#"{"a":1,"b":2}"#, arguments, b"{}");
        assert_eq!(RoundKey::of("s", br#"{ "b": 2, "a": 1 }"#, arguments, b"{}"), one);
        for other in [
            RoundKey::of("t", br#"{"a":1,"b":2}"#, arguments, b"{}"),
            RoundKey::of("s", br#"{"a":1,"b":3}"#, arguments, b"{}"),
            RoundKey::of("s", b"", arguments, b"{}"),
            RoundKey::of("s", br#"{"a":1,"b":2}"#, JsonDigest::of(b"[]"), b"{}"),
        ] {
            assert_ne!(other, one);
        }
    }

    #[test]
    fn gives_a_repeated_round_its_answer_until_the_state_expires() {
        let rounds = CommittedRounds::new();
        first(&rounds, 1).commit(&Answer(1, 1));
        first(&rounds, 2).commit(&Answer(2, 1));
        assert_eq!(committed(&rounds, 1), Some(Answer(1, 1)));
        assert_eq!(committed(&rounds, 2), Some(Answer(2, 1)));
        assert!(matches!(rounds.begin(key(1), 20, 10), Begun::First(_)));
        assert_eq!(rounds.0.lock().bytes, 0);
    }

    #[test]
    fn lets_repetitions_wait_for_a_round_in_flight() {
        let rounds = CommittedRounds::new();
        let guard = first(&rounds, 1);
        let (one, other) = (waiting(&rounds, 1), waiting(&rounds, 1));
        let late = place(&rounds, 1);
        assert!(one.try_recv().is_err());
        guard.commit(&Answer(1, 1));
        assert!(matches!(one.try_recv(), Ok(Turn::Answer(Answer(1, 1)))));
        assert!(matches!(other.try_recv(), Ok(Turn::Answer(Answer(1, 1)))));
        let (sender, receiver) = channel();
        late.wait(Box::new(move |turn| drop(sender.send(turn))));
        assert!(matches!(receiver.try_recv(), Ok(Turn::Answer(Answer(1, 1)))));
    }

    #[test]
    fn lets_one_that_waits_run_a_round_that_was_given_up() {
        let rounds = CommittedRounds::new();
        let guard = first(&rounds, 1);
        let (one, other) = (waiting(&rounds, 1), waiting(&rounds, 1));
        drop(guard);
        let Ok(Turn::Run(guard)) = one.try_recv() else { panic!("it does not run") };
        assert!(other.try_recv().is_err());
        let third = waiting(&rounds, 1);
        guard.commit(&Answer(1, 1));
        for receiver in [other, third] {
            assert!(matches!(receiver.try_recv(), Ok(Turn::Answer(Answer(1, 1)))));
        }
    }

    #[test]
    fn passes_by_those_that_went_away() {
        let rounds = CommittedRounds::new();
        let guard = first(&rounds, 1);
        for _ in 0..3 {
            drop(waiting(&rounds, 1));
        }
        let last = waiting(&rounds, 1);
        drop(guard);
        assert!(matches!(last.try_recv(), Ok(Turn::Run(_))));
        drop(last);
        first(&rounds, 1).commit(&Answer(1, 1));
    }

    #[test]
    fn runs_a_round_that_was_given_up_before_it_was_waited_for() {
        let rounds = CommittedRounds::new();
        let guard = first(&rounds, 1);
        let late = place(&rounds, 1);
        drop(guard);
        let (sender, receiver) = channel();
        late.wait(Box::new(move |turn| drop(sender.send(turn))));
        assert!(matches!(receiver.try_recv(), Ok(Turn::Run(_))));
    }

    #[test]
    fn lets_only_so_many_wait() {
        let rounds = CommittedRounds::new();
        let _guard = first(&rounds, 1);
        let _waiting: Vec<_> = (0..MAX_WAITING).map(|_| waiting(&rounds, 1)).collect();
        assert!(matches!(rounds.begin(key(1), 10, 0), Begun::Crowded));
    }

    #[test]
    fn forgets_the_oldest_answers_past_a_bound() {
        let rounds = CommittedRounds::new();
        let half = MAX_ANSWER_BYTES / 2;
        for n in 0..3 {
            first(&rounds, n).commit(&Answer(n, half));
        }
        assert_eq!(committed(&rounds, 2), Some(Answer(2, half)));
        assert_eq!(committed(&rounds, 1), Some(Answer(1, half)));
        first(&rounds, 0).commit(&Answer(0, MAX_ANSWER_BYTES + 1));
        assert_eq!(committed(&rounds, 1), Some(Answer(1, half)), "for the sake of what is too heavy to keep");
        for n in 10..=10 + MAX_ANSWERS {
            first(&rounds, n).commit(&Answer(n, 1));
        }
        assert_eq!((committed(&rounds, 10), committed(&rounds, 11)), (None, Some(Answer(11, 1))));
        let rounds = rounds.0.lock();
        assert_eq!((rounds.entries.len(), rounds.bytes), (MAX_ANSWERS, MAX_ANSWERS));
    }
}
