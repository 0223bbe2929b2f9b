//! The keys that seal and open request states: random ones of this process, or those that the host shares among
//! replicas and restarts.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use once_cell::sync::OnceCell;

use super::binding::Binding;
use super::encoding;
use super::fault::StateFault;
use super::seal::{KEY_BYTES, SealKey, Sealed, sealed_length};
use super::state::RequestState;

/// The keys of a server. The first seals, all of them open, so that keys can be exchanged one by one.
///
/// Any number of threads may seal and open at once.
pub struct StateKeys {
    /// Empty until the first use of a random key.
    keys: OnceCell<Box<[SealKey]>>,
}

impl StateKeys {
    /// One random key, made when it is first needed: states do not outlive this process, and no other takes them.
    pub fn random() -> Self {
        StateKeys { keys: OnceCell::new() }
    }

    /// The keys in `text`: each 32 random bytes in base64 of either alphabet, with commas between them. The fault is
    /// for the host, and quotes nothing of a key.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let mut keys = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let which = if parts.len() == 1 { "the key".into() } else { format!("key {}", index + 1) };
            let bytes = key_bytes(part).map_err(|fault| {
                format!(
                    "{which} {fault}; a key is {KEY_BYTES} random bytes in base64, as \
                     `openssl rand -base64 {KEY_BYTES}` makes them, and several keys have commas between them"
                )
            })?;
            keys.push(SealKey::new(&bytes).ok_or_else(|| format!("{which} cannot be used"))?);
        }
        Ok(StateKeys { keys: OnceCell::with_value(keys.into()) })
    }

    /// The text of `state` for the wire: base64url, at most `max_bytes` long.
    pub fn seal(&self, state: &RequestState, max_bytes: usize) -> Result<String, StateFault> {
        let bytes = encoding::encode(state);
        let length = sealed_length(bytes.len());
        if length > max_bytes {
            return Err(StateFault::TooLongToSeal { bytes: length, max_bytes });
        }
        let key = self.keys()?.first().ok_or(StateFault::NoRandomness)?;
        key.seal(&bytes).ok_or(StateFault::NoRandomness)
    }

    /// The state in `text`, if one of the keys sealed it for the request `expected`, and its time is not over.
    pub fn open(
        &self,
        text: &str,
        expected: &Binding<'_>,
        max_bytes: usize,
    ) -> Result<RequestState, StateFault> {
        if text.len() > max_bytes {
            return Err(StateFault::TooLong { max_bytes });
        }
        let sealed = Sealed::read(text).ok_or(StateFault::Malformed)?;
        let mut fault = StateFault::UnknownKey;
        // Two keys may have one name, once in four thousand million.
        for key in self.keys()?.iter().filter(|key| key.is_named_in(&sealed)) {
            match key.open(&sealed) {
                Some(bytes) => return checked(&bytes, expected),
                None => fault = StateFault::Tampered,
            }
        }
        Err(fault)
    }

    fn keys(&self) -> Result<&[SealKey], StateFault> {
        let keys = self.keys.get_or_try_init(|| {
            let key = SealKey::random().ok_or(StateFault::NoRandomness)?;
            Ok(Box::new([key]) as Box<[SealKey]>)
        })?;
        Ok(keys)
    }
}

impl std::fmt::Debug for StateKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StateKeys")
    }
}

fn checked(bytes: &[u8], expected: &Binding<'_>) -> Result<RequestState, StateFault> {
    let state = encoding::decode(bytes).ok_or(StateFault::Malformed)?;
    if let Some(mismatch) = expected.mismatch(&state) {
        return Err(StateFault::Foreign(mismatch));
    }
    // Last, so that nobody else is told how old it is.
    if state.expires <= expected.now {
        return Err(StateFault::Expired);
    }
    Ok(state)
}

fn key_bytes(text: &str) -> Result<[u8; KEY_BYTES], String> {
    const CONFIG: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);
    if text.is_empty() {
        return Err("is empty".into());
    }
    let bytes = STANDARD.decode(text).or_else(|_| URL_SAFE.decode(text)).map_err(|_| "is not base64")?;
    bytes.as_slice().try_into().map_err(|_| format!("has {} bytes", bytes.len()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::runtime::fork_guard::tests::holds_in_child;
    use crate::server::request_state::encoding::tests::states;
    use crate::server::request_state::fault::Mismatch;
    use crate::server::request_state::json_digest::JsonDigest;
    use crate::server::request_state::state::DEFAULT_MAX_BYTES;
    use proptest::prelude::*;
    use std::time::Duration;

    const ONE: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const TWO: &str = "__79_Pv6-fj39vX08_Lx8O_u7ezr6uno5-bl5OPi4eA";

    fn binding(now: u64) -> Binding<'static> {
        let arguments = JsonDigest([7; 32]);
        let (audience, method, name) = ("here", "tools/call", "book");
        Binding { audience, principal: Some("alice"), method, name, arguments, now }
    }

    /// A state of [`binding`], good from 0 to 999.
    fn state() -> RequestState {
        let mut state = RequestState::begin(&binding(0), Duration::from_secs(1)).unwrap();
        state.answers.insert("name".into(), r#"{"action":"accept"}"#.into());
        state
    }

    /// What a request must be for `state` to belong to it.
    fn binding_of(state: &RequestState) -> Binding<'_> {
        Binding {
            audience: &state.audience,
            principal: state.principal.as_deref(),
            method: &state.method,
            name: &state.name,
            arguments: state.arguments,
            now: state.expires - 1,
        }
    }

    fn sealed(keys: &StateKeys) -> String {
        keys.seal(&state(), DEFAULT_MAX_BYTES).unwrap()
    }

    fn changed_in_the_middle(text: &str) -> String {
        let at = text.len() / 2;
        let other = if text.as_bytes()[at] == b'A' { "B" } else { "A" };
        [&text[..at], other, &text[at + 1..]].concat()
    }

    fn opened(keys: &StateKeys, text: &str, expected: &Binding<'_>) -> Result<RequestState, StateFault> {
        keys.open(text, expected, DEFAULT_MAX_BYTES)
    }

    #[test]
    fn opens_a_state_for_the_request_that_it_was_made_for_and_for_no_other() {
        let keys = StateKeys::random();
        let text = sealed(&keys);
        assert!(opened(&keys, &text, &binding(999)).is_ok());
        let here = binding(0);
        for (other, fault) in [
            (Binding { audience: "there", ..here }, StateFault::Foreign(Mismatch::Audience)),
            (Binding { principal: Some("bob"), ..here }, StateFault::Foreign(Mismatch::Principal)),
            (Binding { principal: None, ..here }, StateFault::Foreign(Mismatch::Principal)),
            (Binding { method: "prompts/get", ..here }, StateFault::Foreign(Mismatch::Method)),
            (Binding { name: "cancel", ..here }, StateFault::Foreign(Mismatch::Name)),
            (Binding { arguments: JsonDigest([8; 32]), ..here }, StateFault::Foreign(Mismatch::Arguments)),
            (Binding { now: 1_000, ..here }, StateFault::Expired),
            (Binding { now: u64::MAX, ..here }, StateFault::Expired),
            (Binding { principal: None, now: 1_000, ..here }, StateFault::Foreign(Mismatch::Principal)),
        ] {
            assert_eq!(opened(&keys, &text, &other), Err(fault), "{other:?}");
        }
    }

    #[test]
    fn tells_what_is_no_state_of_its_keys() {
        let (keys, others) = (StateKeys::from_text(ONE).unwrap(), StateKeys::random());
        let text = sealed(&keys);
        for (text, fault) in [
            (String::new(), StateFault::Malformed),
            ("state".into(), StateFault::Malformed),
            (changed_in_the_middle(&text), StateFault::Tampered),
            (format!("{text}="), StateFault::Malformed),
            (format!(" {text}"), StateFault::Malformed),
            (sealed(&others), StateFault::UnknownKey),
            ("A".repeat(DEFAULT_MAX_BYTES + 1), StateFault::TooLong { max_bytes: DEFAULT_MAX_BYTES }),
        ] {
            assert_eq!(opened(&keys, &text, &binding(0)), Err(fault), "{text}");
        }
    }

    #[test]
    fn exchanges_keys_one_by_one() {
        let (old, new) = (StateKeys::from_text(ONE).unwrap(), StateKeys::from_text(TWO).unwrap());
        let both = StateKeys::from_text(&format!("{TWO}, {ONE}\n")).unwrap();
        assert!(opened(&both, &sealed(&old), &binding(0)).is_ok());
        assert!(opened(&both, &sealed(&new), &binding(0)).is_ok());
        assert!(opened(&new, &sealed(&both), &binding(0)).is_ok());
        assert_eq!(opened(&old, &sealed(&both), &binding(0)), Err(StateFault::UnknownKey));
        let restarted = StateKeys::from_text(ONE).unwrap();
        assert!(opened(&restarted, &sealed(&old), &binding(0)).is_ok());
    }

    #[test]
    fn says_what_is_wrong_with_keys_and_quotes_nothing_of_them() {
        for (text, wanted) in [
            (String::new(), "the key is empty"),
            ("c2VjcmV0".into(), "the key has 6 bytes"),
            ("sec ret".into(), "the key is not base64"),
            (format!("{ONE},,{TWO}"), "key 2 is empty"),
            (format!("{ONE},{}", &TWO[1..]), "key 2 has 31 bytes"),
            (format!("{ONE},{}", &TWO[2..]), "key 2 is not base64"),
            (format!("{ONE} {TWO}"), "the key is not base64"),
        ] {
            let fault = StateKeys::from_text(&text).unwrap_err();
            assert!(fault.starts_with(&format!("{wanted}; a key is 32 random bytes in base64")), "{fault}");
            assert!(!fault.contains("sec") && !fault.contains(&ONE[..4]), "{fault}");
        }
    }

    #[test]
    fn seals_no_state_that_is_too_long() {
        let keys = StateKeys::random();
        let mut state = state();
        let length = keys.seal(&state, DEFAULT_MAX_BYTES).unwrap().len();
        assert!(keys.seal(&state, length).is_ok());
        let fault = StateFault::TooLongToSeal { bytes: length, max_bytes: length - 1 };
        assert_eq!(keys.seal(&state, length - 1), Err(fault));
        state.memo.insert("m".into(), vec![b'1'; DEFAULT_MAX_BYTES].into());
        assert!(matches!(keys.seal(&state, DEFAULT_MAX_BYTES), Err(StateFault::TooLongToSeal { .. })));
    }

    #[test]
    fn seals_and_opens_in_a_forked_child() {
        let keys = StateKeys::random();
        let text = sealed(&keys);
        assert!(holds_in_child(|| {
            let own = StateKeys::random();
            let foreign = opened(&own, &text, &binding(0)) == Err(StateFault::UnknownKey);
            opened(&keys, &text, &binding(0)).is_ok() && foreign && sealed(&keys) != text
        }));
    }

    proptest! {
        #[test]
        fn opens_every_state_as_it_was(mut state in states()) {
            state.expires = state.expires.max(1);
            let keys = StateKeys::random();
            let text = keys.seal(&state, DEFAULT_MAX_BYTES).unwrap();
            let expected = binding_of(&state);
            prop_assert_eq!(opened(&keys, &text, &expected), Ok(state.clone()));
        }

        #[test]
        fn never_opens_a_text_that_was_changed(
            mut state in states(),
            at: prop::sample::Index,
            other in any::<char>(),
            more in ".{1,8}",
        ) {
            state.expires = state.expires.max(1);
            let keys = StateKeys::random();
            let text = keys.seal(&state, DEFAULT_MAX_BYTES).unwrap();
            let expected = binding_of(&state);
            let at = at.index(text.len());
            let (before, after) = (&text[..at], &text[at + 1..]);
            let changed = format!("{before}{other}{after}");
            prop_assume!(changed != text);
            for changed in [changed, before.into(), text[at + 1..].into(), format!("{text}{more}"), format!("{more}{text}")] {
                prop_assert!(opened(&keys, &changed, &expected).is_err(), "{}", changed);
            }
        }
    }
}
