//! How a state is written before it is sealed: each part in turn, lengths before texts, with nothing between them.
//!
//! Lengths are written seven bits to a byte, the lowest first, with the highest bit set where more follows. What a
//! later version of the library must not misread, the version byte of the seal tells it.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::json_digest::JsonDigest;
use super::state::{ChainId, RequestState};

/// The state as bytes.
pub fn encode(state: &RequestState) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(&state.expires.to_be_bytes());
    out.extend_from_slice(&state.arguments.0);
    out.extend_from_slice(&state.chain.0);
    length(&mut out, u64::from(state.round));
    text(&mut out, state.audience.as_bytes());
    match &state.principal {
        None => out.push(0),
        Some(principal) => {
            out.push(1);
            text(&mut out, principal.as_bytes());
        }
    }
    text(&mut out, state.method.as_bytes());
    text(&mut out, state.name.as_bytes());
    map(&mut out, state.answers.iter().map(|(key, json)| (key, json.as_ref())));
    map(&mut out, state.memo.iter().map(|(key, json)| (key, json.as_ref())));
    map(&mut out, state.once.iter().map(|key| (key, [].as_slice())));
    map(&mut out, state.elicitation_ids.iter().map(|(key, id)| (key, id.as_bytes())));
    out
}

/// The state that `bytes` are, if they are one.
pub fn decode(bytes: &[u8]) -> Option<RequestState> {
    let mut reader = Reader(bytes);
    let state = RequestState {
        expires: u64::from_be_bytes(reader.array()?),
        arguments: JsonDigest(reader.array()?),
        chain: ChainId(reader.array()?),
        round: u32::try_from(reader.length()?).ok()?,
        audience: reader.text()?,
        principal: match reader.array::<1>()? {
            [0] => None,
            [1] => Some(reader.text()?),
            _ => return None,
        },
        method: reader.text()?,
        name: reader.text()?,
        answers: reader.map(Reader::bytes)?,
        memo: reader.map(Reader::bytes)?,
        once: reader.set()?,
        elicitation_ids: reader.map(Reader::text)?,
    };
    reader.0.is_empty().then_some(state)
}

fn length(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn text(out: &mut Vec<u8>, bytes: &[u8]) {
    length(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn map<'a>(out: &mut Vec<u8>, entries: impl ExactSizeIterator<Item = (&'a String, &'a [u8])>) {
    length(out, entries.len() as u64);
    for (key, value) in entries {
        text(out, key.as_bytes());
        text(out, value);
    }
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn length(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let [byte] = self.array::<1>()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn slice(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.length()?).ok()?;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn bytes(&mut self) -> Option<Bytes> {
        self.slice().map(Bytes::copy_from_slice)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.slice()?.to_vec()).ok()
    }

    fn map<V>(&mut self, value: impl Fn(&mut Self) -> Option<V>) -> Option<BTreeMap<String, V>> {
        let count = self.length()?;
        let mut map = BTreeMap::new();
        for _ in 0..count {
            let key = self.text()?;
            map.insert(key, value(self)?);
        }
        Some(map)
    }

    fn set(&mut self) -> Option<BTreeSet<String>> {
        let keys = self.map(|reader| reader.slice().filter(|value| value.is_empty()))?;
        Some(keys.into_keys().collect())
    }
}

#[cfg(test)]
pub mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::collection::{btree_map, btree_set, vec};
    use proptest::prelude::*;

    /// Any state.
    pub fn states() -> impl Strategy<Value = RequestState> {
        let texts = || ".{0,20}".prop_map(String::from);
        let jsons = || btree_map(".{0,10}", vec(any::<u8>(), 0..300).prop_map(Bytes::from), 0..4);
        let who = (any::<u64>(), texts(), proptest::option::of(".{0,300}"), texts(), texts());
        let what = (any::<[u8; 32]>(), any::<[u8; 16]>(), any::<u32>(), jsons(), jsons());
        let rest = (btree_set(".{0,10}", 0..4), btree_map(".{0,10}", ".{0,40}", 0..3));
        (who, what, rest).prop_map(|(who, what, rest)| RequestState {
            expires: who.0,
            audience: who.1,
            principal: who.2,
            method: who.3,
            name: who.4,
            arguments: JsonDigest(what.0),
            chain: ChainId(what.1),
            round: what.2,
            answers: what.3,
            memo: what.4,
            once: rest.0,
            elicitation_ids: rest.1,
        })
    }

    proptest! {
        #[test]
        fn reads_every_state_back(state in states()) {
            prop_assert_eq!(decode(&encode(&state)), Some(state));
        }

        #[test]
        fn takes_no_part_of_a_state_and_nothing_behind_it(state in states(), more in vec(any::<u8>(), 1..9)) {
            let whole = encode(&state);
            for end in 0..whole.len() {
                prop_assert_eq!(decode(&whole[..end]), None);
            }
            prop_assert_eq!(decode(&[whole, more].concat()), None);
        }

        #[test]
        fn reads_any_bytes_without_a_panic(bytes in vec(any::<u8>(), 0..400)) {
            let _ = decode(&bytes);
        }
    }
}
