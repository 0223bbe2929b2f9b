//! The digest of a JSON value, by which a later request is known to say the same.

use ring::digest::{SHA256, digest};

use crate::protocol::json_canonical;

/// The SHA-256 of a JSON value, whatever the spelling: the order of members, white space and escapes do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JsonDigest(pub [u8; 32]);

impl JsonDigest {
    /// The digest of `text`, as of the arguments of a call. A text that is no JSON, or nested deeper than any text is
    /// decoded, counts byte for byte.
    pub fn of(text: &[u8]) -> Self {
        let mut form = Vec::with_capacity(text.len());
        if json_canonical::append(&mut form, text).is_err() {
            form.clear();
            form.push(b'?');
            form.extend_from_slice(text);
        }
        JsonDigest(sha256(&form))
    }
}

/// The SHA-256 of `bytes`.
pub(in crate::server) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut sum = [0; 32];
    sum.copy_from_slice(digest(&SHA256, bytes).as_ref());
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_value_in_another_spelling() {
        let digest = JsonDigest::of(br#"{"a":1,"b":"x"}"#);
        assert_eq!(JsonDigest::of(br#" {"b": "\u0078", "a": 1} "#), digest);
        for other in ["{}", r#"{"a":1,"b":"y"}"#, r#"{"a":1.0,"b":"x"}"#, "{", "?{"] {
            assert_ne!(JsonDigest::of(other.as_bytes()), digest, "{other}");
        }
    }

    #[test]
    fn is_the_sum_that_everybody_computes() {
        let hex: String = JsonDigest::of(b"{}").0.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    }
}
