//! The id of a request: a string or an integer, echoed as it came.

use super::json_scan::Span;
use super::json_write;

/// Bytes of an id's JSON text. Ids are kept, and repeated in every message of a subscription.
pub const MAX_BYTES: usize = 1024;

/// A JSON-RPC request id. `1` and `"1"` are different ids.
///
/// Specification: basic, "Requests".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestId {
    /// An integer that fits 64 bits.
    Integer(i64),
    /// Any other integer, in the client's own digits.
    Large(Box<str>),
    /// A string, unescaped.
    Text(Box<str>),
}

impl RequestId {
    /// Reads an id from a JSON value at `span` of `text`; `None` if it is neither a string nor an integer, or longer
    /// than [`MAX_BYTES`].
    pub fn read(text: &[u8], span: Span) -> Option<RequestId> {
        let raw = std::str::from_utf8(span.of(text)).ok().filter(|raw| raw.len() <= MAX_BYTES)?;
        if raw.starts_with('"') {
            return serde_json::from_str(raw).ok().map(RequestId::Text);
        }
        let digits = raw.strip_prefix('-').unwrap_or(raw);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        Some(raw.parse().map_or_else(|_| RequestId::Large(raw.into()), RequestId::Integer))
    }

    /// Appends the id as JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            RequestId::Integer(value) => json_write::integer(out, *value),
            RequestId::Large(digits) => out.extend_from_slice(digits.as_bytes()),
            RequestId::Text(text) => json_write::string(out, text),
        }
    }
}

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = Vec::new();
        self.write(&mut out);
        f.write_str(&String::from_utf8_lossy(&out))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(text: &str) -> Option<RequestId> {
        RequestId::read(text.as_bytes(), Span { start: 0, end: text.len() })
    }

    #[test]
    fn echoes_each_kind_of_id_as_it_came() {
        for text in
            ["0", "-7", "9223372036854775807", "123456789012345678901234567890", "\"a\"", "\"\"", "\"1\""]
        {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        assert_eq!(read("\"\\u0061\\n\"").unwrap().to_string(), "\"a\\n\"");
    }

    #[test]
    fn refuses_what_is_neither_string_nor_integer() {
        for text in ["true", "null", "1.5", "1.0", "1e3", "[]", "{}", "\"\\ud800\"", "-"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn keeps_a_number_and_the_same_digits_as_a_string_apart() {
        assert_ne!(read("1"), read("\"1\""));
        assert_eq!(read("\"a\""), read("\"\\u0061\""));
    }
}
