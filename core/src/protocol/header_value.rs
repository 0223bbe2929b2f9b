//! The text that an HTTP header mirrors from a request's body: as it stands, or wrapped as base64.
//!
//! Specification: Streamable HTTP, "Value Encoding".

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const OPENING: &str = "=?base64?";
const CLOSING: &str = "?=";

/// Why a header's value stands for no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderValueFault {
    /// It has bytes that are neither visible ASCII nor space nor tab.
    #[error("it has other characters than visible ASCII, space and tab; send it as =?base64?...?=")]
    Characters,
    /// What is wrapped is not base64 with its padding.
    #[error("there is no base64 with its padding between =?base64? and ?=")]
    Base64,
    /// What is wrapped is not UTF-8.
    #[error("there is no UTF-8 between =?base64? and ?=")]
    Utf8,
}

/// The text that `value`, the bytes of an `Mcp-Name` or `Mcp-Param-*` header, stands for.
///
/// White space around it does not count. The marks around base64 are case-sensitive; a value with only one of
/// them is plain text.
pub fn decode(value: &[u8]) -> Result<Cow<'_, str>, HeaderValueFault> {
    let plain = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
    let text = std::str::from_utf8(value).map_err(|_| HeaderValueFault::Characters)?;
    if !value.iter().all(plain) {
        return Err(HeaderValueFault::Characters);
    }
    let text = text.trim_matches([' ', '\t']);
    match text.strip_prefix(OPENING).and_then(|rest| rest.strip_suffix(CLOSING)) {
        None => Ok(Cow::Borrowed(text)),
        Some(wrapped) => {
            let bytes = STANDARD.decode(wrapped).map_err(|_| HeaderValueFault::Base64)?;
            String::from_utf8(bytes).map(Cow::Owned).map_err(|_| HeaderValueFault::Utf8)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_plain_text_as_it_stands() {
        for (value, text) in [
            ("us-west1", "us-west1"),
            ("   add  ", "add"),
            ("\t a b\t", "a b"),
            ("", ""),
            ("  ", ""),
            ("SGVsbG8=", "SGVsbG8="),
            ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
            ("SGVsbG8=?=", "SGVsbG8=?="),
            ("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
            ("=?Base64?@?=", "=?Base64?@?="),
            ("=?base64?=", "=?base64?="),
            ("file:///a%20b", "file:///a%20b"),
        ] {
            assert_eq!(decode(value.as_bytes()), Ok(text.into()), "{value:?}");
        }
    }

    #[test]
    fn unwraps_base64() {
        for (value, text) in [
            ("=?base64?ZWNow6k=?=", "ech\u{e9}"),
            ("=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, \u{4e16}\u{754c}"),
            ("=?base64?IHBhZGRlZCA=?=", " padded "),
            ("=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"),
            ("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="),
            (" =?base64?SGVsbG8=?=\t", "Hello"),
            ("=?base64??=", ""),
        ] {
            assert_eq!(decode(value.as_bytes()), Ok(text.into()), "{value:?}");
        }
    }

    #[test]
    fn refuses_what_stands_for_no_text() {
        let cases: &[(&[u8], HeaderValueFault)] = &[
            (b"=?base64?SGVsbG8?=", HeaderValueFault::Base64),
            (b"=?base64?SGVsbG8==?=", HeaderValueFault::Base64),
            (b"=?base64?SGVs!!!bG8=?=", HeaderValueFault::Base64),
            (b"=?base64?@@?=", HeaderValueFault::Base64),
            (b"=?base64? SGVsbG8=?=", HeaderValueFault::Base64),
            (b"=?base64?SGVsbG9=?=", HeaderValueFault::Base64),
            (b"=?base64?_-8=?=", HeaderValueFault::Base64),
            (b"=?base64?/w==?=", HeaderValueFault::Utf8),
            (b"=?base64?7aCA?=", HeaderValueFault::Utf8),
            ("ech\u{e9}".as_bytes(), HeaderValueFault::Characters),
            (b"a\xff", HeaderValueFault::Characters),
            (b"a\x7fb", HeaderValueFault::Characters),
            (b"a\x01", HeaderValueFault::Characters),
        ];
        for (value, fault) in cases {
            assert_eq!(decode(value), Err(*fault), "{value:?}");
        }
    }
}
