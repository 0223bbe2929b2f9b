//! Reads the JSON documents that authors write (definitions, content blocks, results): an object whose keys
//! are all known, member by member, keeping the raw text of each value.
//!
//! Whoever receives a document calls [`check_json`] on it once; everything below relies on that.

use std::borrow::Cow;
use std::fmt;

use super::json_compact;
use super::json_scan::{self, JsonFault, Scanner};
use super::json_write;
use super::nearest_name::did_you_mean;

/// What is wrong in a document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentFault {
    /// JSON Pointer to the offending value; empty for the document itself.
    pub pointer: String,
    /// What is wrong there, and the way out.
    pub message: String,
}

impl DocumentFault {
    /// A fault of the value at `pointer`.
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        DocumentFault { pointer: pointer.into(), message: message.into() }
    }
}

impl fmt::Display for DocumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.pointer, self.message)
    }
}

impl std::error::Error for DocumentFault {}

/// The members of one JSON object. A null member is taken for an absent one, unless the reader says otherwise.
pub struct Document<'a> {
    pointer: String,
    members: Vec<(&'static str, &'a [u8])>,
}

impl<'a> Document<'a> {
    /// Reads the object `text`, which lies at `pointer` of the whole document. Refuses what is not an object,
    /// keys that are not in `known`, and keys that stand twice.
    pub fn read(
        text: &'a [u8],
        pointer: impl Into<String>,
        known: &[&'static str],
    ) -> Result<Self, DocumentFault> {
        Self::read_with_null(text, pointer, known, "")
    }

    /// The same, where null is a value of the member `nullable`.
    pub fn read_with_null(
        text: &'a [u8],
        pointer: impl Into<String>,
        known: &[&'static str],
        nullable: &str,
    ) -> Result<Self, DocumentFault> {
        let pointer = pointer.into();
        let mut members: Vec<(&'static str, &'a [u8])> = Vec::new();
        let mut seen: Vec<&'static str> = Vec::new();
        for (key, value) in object(text, &pointer)? {
            let Some(&name) = known.iter().find(|name| **name == key) else {
                let hint = did_you_mean(&key, known.iter().copied());
                let hint = if hint.is_empty() { format!("; known are {}", known.join(", ")) } else { hint };
                return Err(DocumentFault::new(pointer, format!("unknown key \"{}\"{hint}", cut(&key))));
            };
            if seen.contains(&name) {
                return Err(DocumentFault::new(pointer, format!("the key \"{name}\" stands twice")));
            }
            seen.push(name);
            if value != b"null" || name == nullable {
                members.push((name, value));
            }
        }
        Ok(Document { pointer, members })
    }

    /// The JSON Pointer of the member `name`.
    pub fn pointer_to(&self, name: &str) -> String {
        format!("{}/{name}", self.pointer)
    }

    /// A fault of the member `name`.
    pub fn fault(&self, name: &str, message: impl Into<String>) -> DocumentFault {
        DocumentFault::new(self.pointer_to(name), message)
    }

    /// The members that are there, in the order of the text.
    pub fn members(&self) -> impl Iterator<Item = (&'static str, &'a [u8])> {
        self.members.iter().copied()
    }

    /// The raw text of a member.
    pub fn raw(&self, name: &str) -> Option<&'a [u8]> {
        self.members.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// The text of a string member.
    pub fn string(&self, name: &str) -> Result<Option<Cow<'a, str>>, DocumentFault> {
        self.raw(name).map(|raw| string(raw, || self.pointer_to(name))).transpose()
    }

    /// The text of a string member that must be there.
    pub fn required_string(&self, name: &str) -> Result<Cow<'a, str>, DocumentFault> {
        match self.string(name)? {
            Some(text) => Ok(text),
            None => Err(DocumentFault::new(self.pointer.clone(), format!("\"{name}\" is missing"))),
        }
    }

    /// The value of a boolean member.
    pub fn boolean(&self, name: &str) -> Result<Option<bool>, DocumentFault> {
        match self.raw(name) {
            None => Ok(None),
            Some(b"true") => Ok(Some(true)),
            Some(b"false") => Ok(Some(false)),
            Some(other) => Err(self.fault(name, format!("must be true or false, not {}", kind(other)))),
        }
    }

    /// The value of a number member.
    pub fn number(&self, name: &str) -> Result<Option<f64>, DocumentFault> {
        self.raw(name).map(|raw| number(raw, || self.pointer_to(name))).transpose()
    }

    /// The value of a member that counts something, as `of bytes`.
    pub fn whole_number(&self, name: &str, unit: &str) -> Result<Option<u64>, DocumentFault> {
        self.raw(name).map(|raw| whole_number(raw, unit, || self.pointer_to(name))).transpose()
    }

    /// Checks that the string member `name`, if there, is one of `choices`.
    pub fn one_of(&self, name: &str, choices: &[&str]) -> Result<(), DocumentFault> {
        match self.string(name)? {
            Some(text) if !choices.contains(&&*text) => Err(self.fault(name, not_one_of(&text, choices))),
            _ => Ok(()),
        }
    }

    /// Appends the object without white space and null members, in the order of its author. A member for which
    /// `replace` has a text gets that in place of its own.
    pub fn write<'r>(&self, out: &mut Vec<u8>, replace: impl Fn(&str) -> Option<&'r [u8]>) {
        for (index, (name, raw)) in self.members.iter().enumerate() {
            out.push(if index == 0 { b'{' } else { b',' });
            json_write::string(out, name);
            out.push(b':');
            match replace(name) {
                Some(text) => out.extend_from_slice(text),
                None => json_compact::append(out, raw),
            }
        }
        out.extend_from_slice(if self.members.is_empty() { b"{}" } else { b"}" });
    }
}

/// Checks that `text` is one JSON value in UTF-8.
pub fn check_json(text: &[u8], pointer: &str) -> Result<(), DocumentFault> {
    if let Err(fault) = simdutf8::compat::from_utf8(text) {
        return Err(DocumentFault::new(
            pointer,
            format!("is not valid UTF-8 (byte {})", fault.valid_up_to()),
        ));
    }
    match json_scan::check(text) {
        Ok(_) => Ok(()),
        Err(fault) => Err(json_fault(pointer, fault)),
    }
}

/// A member of any JSON object: its key and its raw value.
pub type Member<'a> = (Cow<'a, str>, &'a [u8]);

/// The members of any JSON object. `text` must be valid JSON.
pub fn object<'a>(text: &'a [u8], pointer: &str) -> Result<Vec<Member<'a>>, DocumentFault> {
    if first(text) != Some(b'{') {
        return Err(DocumentFault::new(pointer, format!("must be an object, not {}", kind(text))));
    }
    let mut members = Vec::new();
    let mut bad_key = false;
    let scanned = Scanner::new(text, 0).object::<JsonFault>(|scanner, key| {
        let value = scanner.value()?.of(text);
        match key.text().map(utf8) {
            Some(Some(key)) => members.push((key, value)),
            _ => bad_key = true,
        }
        Ok(())
    });
    if let Err(fault) = scanned {
        return Err(json_fault(pointer, fault));
    }
    if bad_key {
        return Err(DocumentFault::new(pointer, LONE_SURROGATE));
    }
    Ok(members)
}

/// The raw elements of a JSON array. `text` must be valid JSON.
pub fn array<'a>(text: &'a [u8], pointer: &str) -> Result<Vec<&'a [u8]>, DocumentFault> {
    if first(text) != Some(b'[') {
        return Err(DocumentFault::new(pointer, format!("must be an array, not {}", kind(text))));
    }
    let mut elements = Vec::new();
    let scanned = Scanner::new(text, 0).array::<JsonFault>(|scanner| {
        elements.push(scanner.value()?.of(text));
        Ok(())
    });
    scanned.map_err(|fault| json_fault(pointer, fault))?;
    Ok(elements)
}

/// The text of a JSON string.
pub fn string<'a>(raw: &'a [u8], pointer: impl Fn() -> String) -> Result<Cow<'a, str>, DocumentFault> {
    let Some(inner) = raw.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return Err(DocumentFault::new(pointer(), format!("must be a string, not {}", kind(raw))));
    };
    let text = if inner.contains(&b'\\') {
        serde_json::from_slice::<String>(raw).ok().map(Cow::Owned)
    } else {
        std::str::from_utf8(inner).ok().map(Cow::Borrowed)
    };
    text.ok_or_else(|| DocumentFault::new(pointer(), LONE_SURROGATE))
}

/// The text of a JSON string that is not empty.
pub fn filled_string<'a>(raw: &'a [u8], pointer: impl Fn() -> String) -> Result<Cow<'a, str>, DocumentFault> {
    let text = string(raw, &pointer)?;
    if text.is_empty() {
        return Err(DocumentFault::new(pointer(), "must not be empty"));
    }
    Ok(text)
}

/// The value of a JSON number.
pub fn number(raw: &[u8], pointer: impl Fn() -> String) -> Result<f64, DocumentFault> {
    if !matches!(raw.first(), Some(b'-' | b'0'..=b'9')) {
        return Err(DocumentFault::new(pointer(), format!("must be a number, not {}", kind(raw))));
    }
    let value = std::str::from_utf8(raw).ok().and_then(|text| text.parse::<f64>().ok());
    let value = value.filter(|value| value.is_finite());
    value.ok_or_else(|| DocumentFault::new(pointer(), "the number is out of range"))
}

/// The value of a JSON number that counts something, as `of bytes`.
pub fn whole_number(raw: &[u8], unit: &str, pointer: impl Fn() -> String) -> Result<u64, DocumentFault> {
    let value = number(raw, &pointer)?;
    if value < 0.0 || value.fract() != 0.0 {
        return Err(DocumentFault::new(pointer(), format!("must be a whole number {unit}, 0 or more")));
    }
    // Digits alone are read exactly; 2e3 is a whole number too.
    let exact = std::str::from_utf8(raw).ok().and_then(|text| text.parse().ok());
    Ok(exact.unwrap_or(value as u64))
}

/// Appends the elements of a JSON array with commas between them, without the brackets. `append` gets each, and its
/// JSON Pointer, and writes it as it is published.
pub fn append_elements<'a>(
    out: &mut Vec<u8>,
    raw: &'a [u8],
    pointer: &str,
    mut append: impl FnMut(&mut Vec<u8>, &'a [u8], String) -> Result<(), DocumentFault>,
) -> Result<(), DocumentFault> {
    for (index, element) in array(raw, pointer)?.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        append(out, element, format!("{pointer}/{index}"))?;
    }
    Ok(())
}

/// Says that `text` is none of `choices`, and which was probably meant.
pub fn not_one_of(text: &str, choices: &[&str]) -> String {
    let hint = did_you_mean(text, choices.iter().copied());
    let quoted: Vec<String> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
    format!("\"{}\" is not one of {}{hint}", cut(text), quoted.join(", "))
}

/// The first part of a text that may be long, for a message.
pub fn cut(text: &str) -> Cow<'_, str> {
    cut_to(text, 80)
}

/// The first `length` characters of a text, with dots where more follows.
pub fn cut_to(text: &str, length: usize) -> Cow<'_, str> {
    match text.char_indices().nth(length) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
    }
}

const LONE_SURROGATE: &str = "a \\u escape stands for half a character (a lone surrogate)";

fn json_fault(pointer: &str, fault: JsonFault) -> DocumentFault {
    DocumentFault::new(pointer, format!("is not valid JSON: {} (byte {})", fault.what, fault.at))
}

fn first(text: &[u8]) -> Option<u8> {
    Scanner::new(text, 0).peek()
}

fn utf8(text: Cow<'_, [u8]>) -> Option<Cow<'_, str>> {
    match text {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

fn kind(raw: &[u8]) -> &'static str {
    match first(raw) {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const KNOWN: &[&str] = &["name", "size", "flag", "any"];

    fn fault_of(text: &str) -> String {
        match Document::read(text.as_bytes(), "/at", KNOWN) {
            Err(fault) => fault.to_string(),
            Ok(document) => {
                let checks = [
                    document.required_string("name").err(),
                    document.number("size").err(),
                    document.boolean("flag").err(),
                ];
                checks.into_iter().flatten().next().unwrap().to_string()
            }
        }
    }

    #[test]
    fn names_the_place_and_the_way_out() {
        for (text, wanted) in [
            ("[]", "/at: must be an object, not an array"),
            ("{", "/at: is not valid JSON: a member name in quotes was expected (byte 1)"),
            (r#"{"nmae":"x"}"#, r#"/at: unknown key "nmae"; did you mean "name"?"#),
            (r#"{"colour":"x"}"#, r#"/at: unknown key "colour"; known are name, size, flag, any"#),
            (r#"{"name":"x","n\u0061me":"y"}"#, r#"/at: the key "name" stands twice"#),
            (r#"{"name":null}"#, r#"/at: "name" is missing"#),
            (r#"{"name":5}"#, "/at/name: must be a string, not a number"),
            (r#"{"name":"\ud800"}"#, "/at/name: a \\u escape stands for half a character (a lone surrogate)"),
            (r#"{"name":"x","size":"1"}"#, "/at/size: must be a number, not a string"),
            (r#"{"name":"x","size":1e999}"#, "/at/size: the number is out of range"),
            (r#"{"name":"x","flag":1}"#, "/at/flag: must be true or false, not a number"),
        ] {
            assert_eq!(fault_of(text), wanted);
        }
    }

    #[test]
    fn writes_the_members_in_their_order_without_nulls() {
        let text = br#" { "size" : 1.50, "name":null, "any": [ 1, {"x": null} ] } "#;
        let document = Document::read(text, "", KNOWN).unwrap();
        let mut out = Vec::new();
        document.write(&mut out, |name| (name == "size").then_some(b"2".as_slice()));
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"size":2,"any":[1,{"x":null}]}"#);
    }

    #[test]
    fn counts_are_read_exactly() {
        let count = |raw: &str| whole_number(raw.as_bytes(), "of bytes", || "/size".into());
        for (raw, value) in
            [("0", 0), ("-0", 0), ("2e3", 2_000), ("18446744073709551615", u64::MAX), ("1e30", u64::MAX)]
        {
            assert_eq!(count(raw), Ok(value), "{raw}");
        }
        for (raw, wanted) in [
            ("-1", "/size: must be a whole number of bytes, 0 or more"),
            ("1.5", "/size: must be a whole number of bytes, 0 or more"),
            ("\"1\"", "/size: must be a number, not a string"),
        ] {
            assert_eq!(count(raw).unwrap_err().to_string(), wanted);
        }
    }

    #[test]
    fn keeps_null_where_it_is_a_value() {
        let document = Document::read_with_null(br#"{"any":null,"name":null}"#, "", KNOWN, "any").unwrap();
        assert_eq!((document.raw("any"), document.raw("name")), (Some(b"null".as_slice()), None));
    }
}
