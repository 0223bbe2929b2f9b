//! The unit in which URIs are compared.

/// One octet of a URI, and whether it stands for itself or is data.
///
/// Two spellings of one URI have the same octets (RFC 3986, section 6.2.2): the letter case of a percent-encoding
/// counts for nothing, an encoded letter, digit, `-`, `.`, `_` or `~` is the character itself, and a character that
/// must not stand in a URI, or is not ASCII, is its encoding. An encoded delimiter is not the delimiter: it is data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Octet {
    /// The octet, decoded.
    pub byte: u8,
    /// Whether it is percent-encoded, once all that may stand for itself does.
    pub encoded: bool,
}

impl Octet {
    /// A character that stands for itself.
    pub fn plain(byte: u8) -> Self {
        Octet { byte, encoded: false }
    }

    /// Whether this is the character `byte`, standing for itself.
    pub fn is(self, byte: u8) -> bool {
        self == Self::plain(byte)
    }
}

/// The octets of `text`, one after another; an `Err` for a `%` without two hexadecimal digits.
pub(super) fn octets(text: &str) -> impl Iterator<Item = Result<Octet, Broken>> {
    let mut rest = text.as_bytes();
    std::iter::from_fn(move || {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        if byte != b'%' {
            return Some(Ok(Octet { byte, encoded: !is_unreserved(byte) && !is_reserved(byte) }));
        }
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        let (Some(high), Some(low)) = (digit(0), digit(1)) else { return Some(Err(Broken)) };
        rest = &after[2..];
        let byte = (high * 16 + low) as u8;
        Some(Ok(Octet { byte, encoded: !is_unreserved(byte) }))
    })
}

/// A `%` without two hexadecimal digits behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// RFC 3986, section 2.3.
pub(super) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// RFC 3986, section 2.2.
pub(super) fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_same_for_every_spelling_of_a_uri() {
        let all = |text| octets(text).collect::<Result<Vec<_>, _>>();
        for (one, other) in [
            ("x://%61%2Db%7e", "x://a-b~"),
            ("x://%c3%a9", "x://%C3%A9"),
            ("x://\u{e9}", "x://%C3%A9"),
            ("x://a b\"", "x://a%20b%22"),
            ("x://a\\b", "x://a%5cb"),
        ] {
            assert_eq!(all(one), all(other), "{one}");
        }
        for (one, other) in [("a%2Fb", "a/b"), ("a%3Fb", "a?b"), ("%252F", "%2F"), ("X:", "x:")] {
            assert_ne!(all(one), all(other), "{one}");
        }
        for broken in ["%", "a%1", "%zz", "%+1", "%%41", "%\u{e9}"] {
            assert_eq!(all(broken), Err(Broken), "{broken}");
        }
    }
}
