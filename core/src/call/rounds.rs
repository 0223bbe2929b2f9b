//! Asking the client: a handler that lacks an answer names its question and returns; it runs again, from its
//! beginning, when the answers are there. What it has computed and done in earlier rounds is carried along.
//!
//! Specification: basic/patterns/mrtr.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::protocol::client_capability::ClientCapability;
use crate::protocol::input_request::InputRequest;
use crate::runtime::unguessable;

/// Rounds of one call. A handler that asks on and on is stopped.
pub const MAX_ROUNDS: u32 = 64;

/// What goes from one round of a call to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// The chain of rounds, once a second one was begun. Nobody can guess it.
    pub chain: Option<[u8; 16]>,
    /// Rounds before this one.
    pub rounds: u32,
    /// What the client answered and the handler has read, by the key of the question; JSON text.
    pub answers: BTreeMap<String, Bytes>,
    /// What the client answered in this round. It goes no further unless the handler reads it.
    pub offered: BTreeMap<String, Bytes>,
    /// What the handler computed once; JSON text.
    pub memo: BTreeMap<String, Bytes>,
    /// The effects that it had.
    pub done: BTreeSet<String>,
    /// The ids of url elicitations, by the key of the question.
    pub elicitations: BTreeMap<String, String>,
}

/// The questions of one round.
#[derive(Debug, Default)]
pub struct Questions {
    /// What must be asked, by its key, in the order of asking.
    pub asked: Vec<(String, InputRequest)>,
    /// What could not be asked, as the client did not declare it.
    pub undeclared: Vec<ClientCapability>,
}

/// A round that ended with questions.
#[derive(Debug)]
pub struct InputRequired {
    /// What to ask, by its key.
    pub questions: Vec<(String, InputRequest)>,
    /// What to carry to the next round.
    pub carried: Carried,
}

impl Carried {
    /// The client's answer to the question `key`, in this round or an earlier one.
    pub fn answer(&self, key: &str) -> Option<Bytes> {
        self.answers.get(key).or_else(|| self.offered.get(key)).cloned()
    }

    /// Forgets the answer to `key`, which was none.
    pub fn forget(&mut self, key: &str) {
        self.answers.remove(key);
        self.offered.remove(key);
    }

    /// The id of the url elicitation that is asked under `key`.
    pub fn elicitation(&mut self, key: &str) -> &str {
        self.elicitations.entry(key.into()).or_insert_with(unguessable::text)
    }
}
