//! What a request state carries.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use ring::rand::{SecureRandom, SystemRandom};

use super::binding::Binding;
use super::fault::StateFault;
use super::json_digest::JsonDigest;

/// How long a state is good for, unless set otherwise: time enough to come back to a form, or to sign in on a page. It
/// bounds how long a copy of the state can be replayed.
pub const DEFAULT_LIFETIME: Duration = Duration::from_secs(3600);

/// Longest state, in bytes of its text, unless set otherwise.
pub const DEFAULT_MAX_BYTES: usize = 256 << 10;

/// Everything that the server knows of a request between two of its rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestState {
    /// When the state ceases to be good, in milliseconds since 1970.
    pub expires: u64,
    /// Which server it is for.
    pub audience: String,
    /// On whose behalf the request came.
    pub principal: Option<String>,
    /// The method of the request.
    pub method: String,
    /// What it was called on.
    pub name: String,
    /// The digest of its arguments.
    pub arguments: JsonDigest,
    /// Which chain of rounds it belongs to.
    pub chain: ChainId,
    /// How many rounds came before the next one; 1 in the first state of a chain.
    pub round: u32,
    /// What the client answered so far, by the keys of the input requests: JSON texts.
    pub answers: BTreeMap<String, Bytes>,
    /// What the handler computed once and keeps, by its own keys: JSON texts.
    pub memo: BTreeMap<String, Bytes>,
    /// The keys of effects that have happened in this chain.
    pub once: BTreeSet<String>,
    /// The ids of elicitations by URL, by the keys of their input requests.
    pub elicitation_ids: BTreeMap<String, String>,
}

impl RequestState {
    /// The first state of a new chain, without answers, for the request `binding`; good for `lifetime` from its `now`.
    pub fn begin(binding: &Binding<'_>, lifetime: Duration) -> Result<Self, StateFault> {
        Ok(RequestState {
            expires: end_of(binding.now, lifetime),
            audience: binding.audience.into(),
            principal: binding.principal.map(String::from),
            method: binding.method.into(),
            name: binding.name.into(),
            arguments: binding.arguments,
            chain: ChainId::random()?,
            round: 1,
            answers: BTreeMap::new(),
            memo: BTreeMap::new(),
            once: BTreeSet::new(),
            elicitation_ids: BTreeMap::new(),
        })
    }
}

/// The identity of one chain of rounds: the first request and those that carry its states on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChainId(pub [u8; 16]);

impl ChainId {
    /// An id that no other chain has.
    pub fn random() -> Result<Self, StateFault> {
        let mut id = [0; 16];
        SystemRandom::new().fill(&mut id).map_err(|_| StateFault::NoRandomness)?;
        Ok(ChainId(id))
    }
}

fn end_of(now: u64, lifetime: Duration) -> u64 {
    now.saturating_add(u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn begins_a_chain_of_its_own() {
        let arguments = JsonDigest::of(b"{}");
        let binding = Binding {
            audience: "a",
            principal: Some("p"),
            method: "tools/call",
            name: "n",
            arguments,
            now: 1_000,
        };
        let state = RequestState::begin(&binding, Duration::from_secs(2)).unwrap();
        assert_eq!((state.expires, state.round, state.principal.as_deref()), (3_000, 1, Some("p")));
        assert_ne!(RequestState::begin(&binding, Duration::ZERO).unwrap().chain, state.chain);
    }
}
