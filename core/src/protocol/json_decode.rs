//! Decodes a scanned JSON text into values, and says where one cannot be represented.
//!
//! The text's syntax was checked by the scanner, so this reads each byte once and copies strings a block at
//! a time; syntax errors end it all the same.

use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::special_bytes::{BLOCK, Marks, append_short};

/// Why a text does not decode, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeFault {
    /// JSON Pointer to the value.
    pub pointer: String,
    /// What is the matter with it.
    pub what: &'static str,
}

impl std::fmt::Display for DecodeFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.pointer, self.what)
    }
}

/// The deepest nesting that is decoded: values are built, checked and dropped by functions that call themselves.
pub const MAX_DEPTH: usize = 128;

/// Decodes `text`: valid JSON in UTF-8. Two members of one name are refused.
pub fn decode(text: &[u8]) -> Result<Value, DecodeFault> {
    let mut decoder = Decoder { text, at: 0, depth: 0 };
    let value = decoder.value()?;
    match decoder.peek() {
        None => Ok(value),
        Some(_) => Err(fault(SYNTAX)),
    }
}

const SYNTAX: &str = "the text is not JSON";
const SURROGATE: &str = "the string has half of a surrogate pair, which is not Unicode";
const TOO_LARGE: &str = "the number is too large";
const TWICE: &str = "the member stands in its object twice";
const TOO_DEEP: &str = "arrays and objects are nested too deep";

fn fault(what: &'static str) -> DecodeFault {
    DecodeFault { pointer: String::new(), what }
}

/// The fault of a value inside another: it lies one step further down.
fn below(step: &str, inner: DecodeFault) -> DecodeFault {
    let step = step.replace('~', "~0").replace('/', "~1");
    DecodeFault { pointer: format!("/{step}{}", inner.pointer), what: inner.what }
}

/// From so many bytes on, a text is worth a closer look before it is read.
const LONG: usize = 256;

/// The text is UTF-8 already, but only a check can make it a string; the one of std is slow on long texts
/// that are not plain ASCII.
fn utf8(text: Vec<u8>) -> Result<String, DecodeFault> {
    if text.len() < LONG {
        return String::from_utf8(text).map_err(|_| fault(SYNTAX));
    }
    match simdutf8::basic::from_utf8(&text) {
        // SAFETY: it was checked just now.
        Ok(_) => Ok(unsafe { String::from_utf8_unchecked(text) }),
        Err(_) => Err(fault(SYNTAX)),
    }
}

/// What a short escape stands for, by the byte behind the backslash; 0 where there is none.
static SHORT_ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let pairs = [
        (b'"', b'"'),
        (b'\\', b'\\'),
        (b'/', b'/'),
        (b'b', 0x08),
        (b'f', 0x0c),
        (b'n', b'\n'),
        (b'r', b'\r'),
        (b't', b'\t'),
    ];
    let mut index = 0;
    while index < pairs.len() {
        table[pairs[index].0 as usize] = pairs[index].1;
        index += 1;
    }
    table
};

/// The bits from `bit` on; none from the end of a block on.
#[inline]
fn from_bit(bit: usize) -> u32 {
    if bit < BLOCK { u32::MAX << bit } else { 0 }
}

struct Decoder<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
}

impl Decoder<'_> {
    fn value(&mut self) -> Result<Value, DecodeFault> {
        match self.peek() {
            Some(b'"') => self.string().map(Value::String),
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b't') => self.word(b"true", Value::Bool(true)),
            Some(b'f') => self.word(b"false", Value::Bool(false)),
            Some(b'n') => self.word(b"null", Value::Null),
            _ => self.number().map(Value::Number),
        }
    }

    fn nested(
        &mut self,
        container: impl FnOnce(&mut Self) -> Result<Value, DecodeFault>,
    ) -> Result<Value, DecodeFault> {
        if self.depth == MAX_DEPTH {
            return Err(fault(TOO_DEEP));
        }
        self.depth += 1;
        let value = container(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value, DecodeFault> {
        let mut members = Map::new();
        self.at += 1;
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(fault(SYNTAX));
            }
            let name = self.string()?;
            if !self.take(b':') {
                return Err(fault(SYNTAX));
            }
            let value = self.value().map_err(|inner| below(&name, inner))?;
            match members.entry(name) {
                Entry::Vacant(place) => drop(place.insert(value)),
                // Two readers of the text could see two different values.
                Entry::Occupied(place) => return Err(below(place.key(), fault(TWICE))),
            }
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return Err(fault(SYNTAX));
            }
        }
    }

    fn array(&mut self) -> Result<Value, DecodeFault> {
        let mut elements = Vec::new();
        self.at += 1;
        if self.take(b']') {
            return Ok(Value::Array(elements));
        }
        loop {
            let element = self.value().map_err(|inner| below(&elements.len().to_string(), inner))?;
            elements.push(element);
            if self.take(b']') {
                return Ok(Value::Array(elements));
            }
            if !self.take(b',') {
                return Err(fault(SYNTAX));
            }
        }
    }

    fn string(&mut self) -> Result<String, DecodeFault> {
        self.at += 1;
        let mut out = Vec::new();
        self.append_string(&mut out)?;
        utf8(out)
    }

    /// Appends what stands from here to the closing quote, and goes behind it.
    fn append_string(&mut self, out: &mut Vec<u8>) -> Result<(), DecodeFault> {
        let text = self.text;
        let mut base = self.at;
        while let Some(block) = text.get(base..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
            let specials = Marks::of(block).any();
            // What an escape in the block before has taken is not looked at again.
            let mut rest = specials & from_bit(self.at - base);
            while rest != 0 {
                let special = base + rest.trailing_zeros() as usize;
                append_short(out, text, self.at, special);
                self.at = special + 1;
                match text[special] {
                    b'"' => return Ok(()),
                    b'\\' => self.escape(out)?,
                    _ => return Err(fault(SYNTAX)),
                }
                rest = specials & from_bit(self.at - base);
            }
            base += BLOCK;
            if self.at < base {
                append_short(out, text, self.at, base);
                self.at = base;
            }
        }
        loop {
            let byte = *text.get(self.at).ok_or_else(|| fault(SYNTAX))?;
            self.at += 1;
            match byte {
                b'"' => return Ok(()),
                b'\\' => self.escape(out)?,
                0..=0x1f => return Err(fault(SYNTAX)),
                _ => out.push(byte),
            }
        }
    }

    /// Appends what an escape stands for; its backslash was taken.
    #[inline(always)]
    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), DecodeFault> {
        let meant = self.text.get(self.at).map_or(0, |byte| SHORT_ESCAPES[usize::from(*byte)]);
        if meant == 0 {
            return self.long_escape(out);
        }
        self.at += 1;
        out.push(meant);
        Ok(())
    }

    #[cold]
    fn long_escape(&mut self, out: &mut Vec<u8>) -> Result<(), DecodeFault> {
        if self.text.get(self.at) != Some(&b'u') {
            return Err(fault(SYNTAX));
        }
        self.at += 1;
        let character = self.unicode_escape()?;
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    fn unicode_escape(&mut self) -> Result<char, DecodeFault> {
        let first = self.four_digits()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).ok_or_else(|| fault(SURROGATE));
        }
        if self.text.get(self.at..self.at + 2) != Some(b"\\u") {
            return Err(fault(SURROGATE));
        }
        self.at += 2;
        let second = self.four_digits()?;
        let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400).ok_or_else(|| fault(SURROGATE))?;
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + low).ok_or_else(|| fault(SURROGATE))
    }

    fn four_digits(&mut self) -> Result<u32, DecodeFault> {
        let digits = self.text.get(self.at..self.at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        self.at += 4;
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or_else(|| fault(SYNTAX))
    }

    fn number(&mut self) -> Result<Number, DecodeFault> {
        let rest = &self.text[self.at..];
        let in_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = rest.iter().position(|byte| !in_number(byte)).unwrap_or(rest.len());
        self.at += length;
        let token = std::str::from_utf8(&rest[..length]).unwrap_or_default();
        if token.is_empty() {
            return Err(fault(SYNTAX));
        }
        // "-0" is a floating-point zero; the short way would lose its sign.
        if length < 18
            && token != "-0"
            && let Ok(integer) = token.parse::<i64>()
        {
            return Ok(integer.into());
        }
        serde_json::from_str(token).map_err(|_| fault(TOO_LARGE))
    }

    fn word(&mut self, word: &[u8], value: Value) -> Result<Value, DecodeFault> {
        if !self.text[self.at..].starts_with(word) {
            return Err(fault(SYNTAX));
        }
        self.at += word.len();
        Ok(value)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.text.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn decodes_what_serde_json_decodes() {
        let texts = [
            "null",
            "true",
            "false",
            "0",
            "-0",
            "-1",
            "17",
            "9223372036854775807",
            "18446744073709551615",
            "123456789012345678901234567890",
            "1.5",
            "-0.0",
            "1e3",
            "1.0",
            "12345678901234567",
            "[]",
            "{}",
            r#"{"a":1,"b":[1,{"c":null}]}"#,
            r#" [ 1 , "x" , { "k" : [ ] } ] "#,
            r#""""#,
            r#""plain é 世界""#,
            r#""\"\\\/\b\f\n\r\t""#,
            r#""\u0041\u00e9\u4e16\ud83d\ude00 mixed \u0000 end""#,
        ];
        for text in texts {
            let expected: Value = serde_json::from_str(text).unwrap();
            assert_eq!(decode(text.as_bytes()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn says_which_value_cannot_be_represented() {
        let cases = [
            (r#"{"a":[1,{"b/c":1e400}]}"#, "/a/1/b~1c: the number is too large"),
            (r#"{"o":[{"a":1,"\u0061":2}]}"#, "/o/0/a: the member stands in its object twice"),
            (r#"{"x":"\ud800"}"#, "/x: the string has half of a surrogate pair, which is not Unicode"),
            (r#"{"x":["\udc00 a"]}"#, "/x/0: the string has half of a surrogate pair, which is not Unicode"),
            (r#"{"x":"\ud800\u0041"}"#, "/x: the string has half of a surrogate pair, which is not Unicode"),
        ];
        for (text, message) in cases {
            assert_eq!(decode(text.as_bytes()).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn decodes_escapes_at_every_offset_of_a_block() {
        let escapes = [r#"\""#, r"\\", r"\n", r"\u0041", r"\ud83d\ude00", r"\\\\\", r#"\\\"\t"#];
        for escape in escapes {
            for before in 0..70 {
                for after in [0, 1, 2, 31, 40] {
                    let text = format!("\"{}{escape}{}\"", "é".repeat(before), "b".repeat(after));
                    let expected = serde_json::from_str::<Value>(&text).ok();
                    assert_eq!(decode(text.as_bytes()).ok(), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn refuses_what_is_nested_too_deep() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(decode(nested(MAX_DEPTH).as_bytes()).is_ok());
        let error = decode(nested(1_000_000).as_bytes()).unwrap_err();
        assert_eq!(error.what, TOO_DEEP);
    }

    #[test]
    fn ends_at_a_syntax_error_without_a_panic() {
        for text in
            ["", "{", "[1", "{\"a\"", "{\"a\":", "\"", "\"\\", "\"\\u12", "tru", "{1:2}", "[1 2]", "1 2", "@"]
        {
            assert!(decode(text.as_bytes()).is_err(), "{text}");
        }
    }
}
