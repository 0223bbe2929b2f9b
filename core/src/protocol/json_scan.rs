//! Finds where JSON values begin and end, in one pass and without decoding them.
//!
//! The scanner checks the whole grammar of RFC 8259 as it goes and uses no recursion, so that no
//! nesting, however deep, can exhaust a stack: it counts the depth and leaves the verdict to its caller.

use std::borrow::Cow;

use super::special_bytes::{Escapes, end_of_string};

/// A part of a text, by its byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes of this span in `text`, the text that was scanned.
    pub fn of<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start..self.end]
    }
}

/// Where a text stops being JSON, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonFault {
    /// Offset of the offending byte.
    pub at: usize,
    /// What was expected or found there.
    pub what: &'static str,
}

/// The key of an object member: its text between the quotes, still escaped.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    raw: &'a [u8],
    escaped: bool,
}

impl<'a> Key<'a> {
    /// The key with its escapes resolved; `None` for a lone surrogate.
    pub fn text(&self) -> Option<Cow<'a, [u8]>> {
        if !self.escaped {
            return Some(Cow::Borrowed(self.raw));
        }
        let quoted = [b"\"", self.raw, b"\""].concat();
        let decoded: String = serde_json::from_slice(&quoted).ok()?;
        Some(Cow::Owned(decoded.into_bytes()))
    }
}

/// A cursor over a JSON text that must be UTF-8 already.
pub struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
    deepest: usize,
}

impl<'a> Scanner<'a> {
    /// A scanner at offset `at` of `text`.
    pub fn new(text: &'a [u8], at: usize) -> Self {
        Scanner { text, at, depth: 0, deepest: 0 }
    }

    /// The greatest nesting of arrays and objects seen so far; a scalar has 0.
    pub fn deepest(&self) -> usize {
        self.deepest
    }

    /// The next byte that is not white space, without taking it.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.text.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Succeeds when nothing but white space is left.
    pub fn end(&mut self) -> Result<(), JsonFault> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.fault("more text follows the JSON value")),
        }
    }

    /// Skips one value of any kind and tells where it lies.
    pub fn value(&mut self) -> Result<Span, JsonFault> {
        self.peek();
        let start = self.at;
        let mut open = Nesting::default();
        loop {
            let opened = self.scalar_or_opening(&mut open)?;
            if opened {
                continue;
            }
            if self.close_completed(&mut open)? {
                return Ok(Span { start, end: self.at });
            }
        }
    }

    /// Visits the members of an object. `visit` gets each key and must take the member's value.
    pub fn object<E: From<JsonFault>>(
        &mut self,
        mut visit: impl FnMut(&mut Self, Key<'a>) -> Result<(), E>,
    ) -> Result<Span, E> {
        self.peek();
        let start = self.at;
        self.expect(b'{', "an object was expected")?;
        self.enter();
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                let key = self.key()?;
                visit(self, key)?;
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(self.fault("',' or '}' was expected in an object").into()),
                }
            }
        }
        self.depth -= 1;
        Ok(Span { start, end: self.at })
    }

    /// Visits the elements of an array. `visit` must take one value each time.
    pub fn array<E: From<JsonFault>>(
        &mut self,
        mut visit: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.expect(b'[', "an array was expected")?;
        self.enter();
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            loop {
                visit(self)?;
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b']') => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(self.fault("',' or ']' was expected in an array").into()),
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Takes a scalar or an empty container (false), or opens a container and takes its first key (true).
    fn scalar_or_opening(&mut self, open: &mut Nesting) -> Result<bool, JsonFault> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| false),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| false),
            Some(b'{') => {
                self.at += 1;
                self.enter();
                if self.peek() == Some(b'}') {
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(false);
                }
                open.push(true);
                self.key()?;
                Ok(true)
            }
            Some(b'[') => {
                self.at += 1;
                self.enter();
                if self.peek() == Some(b']') {
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(false);
                }
                open.push(false);
                Ok(true)
            }
            Some(b't') => self.literal(b"true").map(|()| false),
            Some(b'f') => self.literal(b"false").map(|()| false),
            Some(b'n') => self.literal(b"null").map(|()| false),
            Some(_) => Err(self.fault("a value was expected")),
            None => Err(self.fault("the text ends where a value was expected")),
        }
    }

    /// After a value: closes the containers that end here. True when none is left open.
    fn close_completed(&mut self, open: &mut Nesting) -> Result<bool, JsonFault> {
        while let Some(object) = open.innermost() {
            match (self.peek(), object) {
                (Some(b','), true) => {
                    self.at += 1;
                    self.key()?;
                    return Ok(false);
                }
                (Some(b','), false) => {
                    self.at += 1;
                    return Ok(false);
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    self.at += 1;
                    self.depth -= 1;
                    open.pop();
                }
                (_, true) => return Err(self.fault("',' or '}' was expected in an object")),
                (_, false) => return Err(self.fault("',' or ']' was expected in an array")),
            }
        }
        Ok(true)
    }

    fn key(&mut self) -> Result<Key<'a>, JsonFault> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("a member name in quotes was expected"));
        }
        let start = self.at + 1;
        let escaped = self.string()?;
        let raw = &self.text[start..self.at - 1];
        self.peek();
        self.expect(b':', "':' was expected behind a member name")?;
        Ok(Key { raw, escaped })
    }

    /// Takes a string, quotes included; true when it has escapes.
    fn string(&mut self) -> Result<bool, JsonFault> {
        match end_of_string(self.text, self.at + 1) {
            Some((end, escapes @ (Escapes::None | Escapes::Short))) => {
                self.at = end + 1;
                Ok(escapes == Escapes::Short)
            }
            _ => self.unusual_string(),
        }
    }

    /// The same byte by byte, for a string with long escapes or a fault.
    fn unusual_string(&mut self) -> Result<bool, JsonFault> {
        self.at += 1;
        loop {
            match self.text.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(true);
                }
                Some(b'\\') => self.escape()?,
                Some(0..=0x1f) => return Err(self.fault("a control character stands in a string")),
                Some(_) => self.at += 1,
                None => return Err(self.fault("a string has no end")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonFault> {
        match self.text.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.text.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(self.fault("\\u needs four hexadecimal digits"));
                }
                self.at += 6;
            }
            _ => return Err(self.fault("an unknown escape stands in a string")),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), JsonFault> {
        if self.text[self.at] == b'-' {
            self.at += 1;
        }
        if self.text.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.text.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonFault> {
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.fault("a number lacks a digit"));
        }
        Ok(())
    }

    fn literal(&mut self, word: &'static [u8]) -> Result<(), JsonFault> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.fault("a value was expected"));
        }
        self.at += word.len();
        Ok(())
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), JsonFault> {
        if self.text.get(self.at) != Some(&byte) {
            return Err(self.fault(what));
        }
        self.at += 1;
        Ok(())
    }

    fn enter(&mut self) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    fn fault(&self, what: &'static str) -> JsonFault {
        JsonFault { at: self.at, what }
    }
}

/// Scans `text`, which must be UTF-8, as one JSON value and returns its nesting depth.
pub fn check(text: &[u8]) -> Result<usize, JsonFault> {
    let mut scanner = Scanner::new(text, 0);
    scanner.value()?;
    scanner.end()?;
    Ok(scanner.deepest())
}

/// Which containers are open, innermost last: a bit each, set for an object.
#[derive(Default)]
struct Nesting {
    words: Vec<u64>,
    current: u64,
    depth: usize,
}

impl Nesting {
    fn push(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.words.push(self.current);
        }
        self.current = self.current << 1 | u64::from(object);
        self.depth += 1;
    }

    fn innermost(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.current & 1 == 1)
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.current >>= 1;
        if self.depth.is_multiple_of(64)
            && let Some(word) = self.words.pop()
        {
            self.current = word;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn valid(text: &str) -> bool {
        check(text.as_bytes()).is_ok()
    }

    #[test]
    fn accepts_exactly_what_serde_json_accepts() {
        let texts = [
            "0",
            "-0",
            "01",
            "1.",
            "1.5",
            ".5",
            "1e5",
            "1E+5",
            "1e",
            "-",
            "true",
            "tru",
            "null",
            "nul",
            "\"a\"",
            "\"a",
            "\"\\u12\"",
            "\"\\u1234\"",
            "\"\\x\"",
            "\"\t\"",
            "[]",
            "[1,]",
            "[1,2]",
            "[1 2]",
            "{}",
            "{\"a\":1}",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "[[[]]]",
            "[[}]",
            "{\"a\":[1,{\"b\":{}}]}",
            "",
            " ",
            " 1 ",
            "1 2",
            "[1]]",
            "\"\u{2028}\"",
            "{\"a\":{\"b\":[]},\"c\":[{}]}",
            "+1",
            "[,1]",
        ];
        for text in texts {
            let serde = serde_json::from_str::<serde_json::Value>(text).is_ok();
            assert_eq!(valid(text), serde, "{text:?}");
        }
    }

    #[test]
    fn counts_the_depth_without_recursion() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(check(deep.as_bytes()), Ok(100_000));
        let mixed = "{\"k\":[".repeat(1_000) + "1" + &"]}".repeat(1_000);
        assert_eq!(check(mixed.as_bytes()), Ok(2_000));
        let crossed = "{\"k\":[".repeat(70) + "1" + &"}]".repeat(70);
        assert!(check(crossed.as_bytes()).is_err());
    }

    #[test]
    fn visits_members_and_resolves_escaped_keys() {
        let text = br#" {"a":1, "m\u0065thod" : [2, {"x":3}], "":null} "#;
        let mut seen = Vec::new();
        let mut scanner = Scanner::new(text, 0);
        let span = scanner
            .object::<JsonFault>(|scanner, key| {
                let value = scanner.value()?;
                let key = String::from_utf8(key.text().unwrap().into_owned()).unwrap();
                seen.push((key, String::from_utf8(value.of(text).to_vec()).unwrap()));
                Ok(())
            })
            .unwrap();
        assert_eq!(span.of(text).last(), Some(&b'}'));
        let seen: Vec<_> = seen.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(seen, [("a", "1"), ("method", r#"[2, {"x":3}]"#), ("", "null")]);
    }
}
