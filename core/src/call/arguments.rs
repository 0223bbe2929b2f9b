//! The arguments of a call: the client's own bytes, and what they decode to.

use bytes::Bytes;
use serde_json::Value;

use crate::protocol::json_scan::{JsonFault, Scanner};

/// Arguments, decoded once for the validator and the getters.
#[derive(Debug)]
pub struct Arguments {
    raw: Bytes,
    decoded: Value,
}

impl Arguments {
    /// Decodes `raw`, which was scanned as JSON before; absent arguments are an empty object. The error
    /// says which value cannot be represented, by its JSON Pointer.
    pub fn decode(raw: Option<Bytes>) -> Result<Arguments, String> {
        let raw = raw.unwrap_or_else(|| Bytes::from_static(b"{}"));
        match decode(&raw) {
            Some(decoded) => Ok(Arguments { raw, decoded }),
            None => Err(undecodable(&raw)),
        }
    }

    /// Whether they are an object, as they must be.
    pub fn is_object(&self) -> bool {
        self.decoded.is_object()
    }

    /// The client's own bytes.
    pub fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// What they decode to.
    pub fn decoded(&self) -> &Value {
        &self.decoded
    }

    /// The value called `name`: a member's name, or a JSON Pointer (RFC 6901).
    pub fn get(&self, name: &str) -> Option<&Value> {
        if name.starts_with('/') {
            return self.decoded.pointer(name);
        }
        self.decoded.get(name)
    }

    /// The client's own text of the value called `name`, as [`Self::get`] finds it.
    pub fn get_raw(&self, name: &str) -> Option<Bytes> {
        self.get(name)?;
        let steps: Vec<String> = match name.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(|s| s.replace("~1", "/").replace("~0", "~")).collect(),
            None => vec![name.into()],
        };
        let mut place = self.raw.clone();
        for step in &steps {
            place = child(&place, step)?;
        }
        Some(place)
    }
}

fn decode(raw: &[u8]) -> Option<Value> {
    // The whole message was checked to be UTF-8.
    serde_json::from_str(std::str::from_utf8(raw).ok()?).ok()
}

/// The text of the member or element `step` of the container in `raw`; the last one of its name, as
/// decoding takes it.
fn child(raw: &Bytes, step: &str) -> Option<Bytes> {
    let mut found = None;
    let mut scanner = Scanner::new(raw, 0);
    if scanner.peek() == Some(b'{') {
        scanner
            .object::<JsonFault>(|scanner, key| {
                let span = scanner.value()?;
                if key.text().as_deref() == Some(step.as_bytes()) {
                    found = Some(span);
                }
                Ok(())
            })
            .ok()?;
    } else {
        let wanted: usize = step.parse().ok()?;
        let mut index = 0;
        scanner
            .array::<JsonFault>(|scanner| {
                let span = scanner.value()?;
                if index == wanted {
                    found = Some(span);
                }
                index += 1;
                Ok(())
            })
            .ok()?;
    }
    found.map(|span| raw.slice(span.start..span.end))
}

/// Says which innermost value of `raw` does not decode. Its syntax is right, so it is a number that is too
/// large or a string that is not Unicode.
fn undecodable(raw: &Bytes) -> String {
    let mut pointer = String::new();
    let mut place = raw.clone();
    while let Some((step, inner)) = first_undecodable_child(&place) {
        pointer.push('/');
        pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        place = inner;
    }
    let what = match place.first() {
        Some(b'"') => "the string has half of a surrogate pair, which is not Unicode",
        Some(b'{') => "a member's name has half of a surrogate pair, which is not Unicode",
        _ => "the number is too large",
    };
    format!("{pointer}: {what}")
}

fn first_undecodable_child(raw: &Bytes) -> Option<(String, Bytes)> {
    let mut found = None;
    let mut scanner = Scanner::new(raw, 0);
    let mut consider = |step: String, inner: Bytes| {
        if found.is_none() && decode(&inner).is_none() {
            found = Some((step, inner));
        }
    };
    match scanner.peek() {
        Some(b'{') => {
            let visited = scanner.object::<JsonFault>(|scanner, key| {
                let span = scanner.value()?;
                let name = key.text().map(|t| String::from_utf8_lossy(&t).into_owned());
                consider(name.unwrap_or_default(), raw.slice(span.start..span.end));
                Ok(())
            });
            visited.ok()?;
        }
        Some(b'[') => {
            let mut index = 0;
            let visited = scanner.array::<JsonFault>(|scanner| {
                let span = scanner.value()?;
                consider(index.to_string(), raw.slice(span.start..span.end));
                index += 1;
                Ok(())
            });
            visited.ok()?;
        }
        _ => {}
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn arguments(text: &'static str) -> Arguments {
        Arguments::decode(Some(Bytes::from_static(text.as_bytes()))).unwrap()
    }

    #[test]
    fn gives_back_the_clients_own_bytes() {
        let arguments =
            arguments(r#"{"n": 123456789012345678901234567890, "a/b": {"c": [1.0, {"d~": 1e2}]}}"#);
        assert_eq!(arguments.get_raw("n").unwrap(), "123456789012345678901234567890");
        assert_eq!(arguments.get_raw("/a~1b/c/0").unwrap(), "1.0");
        assert_eq!(arguments.get_raw("/a~1b/c/1/d~0").unwrap(), "1e2");
        assert_eq!(arguments.get_raw("/a~1b/c/2"), None);
        assert_eq!(arguments.get_raw("missing"), None);
    }

    #[test]
    fn takes_absent_arguments_as_an_empty_object() {
        let arguments = Arguments::decode(None).unwrap();
        assert!(arguments.is_object());
        assert_eq!(arguments.raw(), "{}");
    }

    #[test]
    fn says_which_value_cannot_be_represented() {
        let cases = [
            (r#"{"a":[1,{"b/c":1e400}]}"#, "/a/1/b~1c: the number is too large"),
            (r#"{"x":"\ud800"}"#, "/x: the string has half of a surrogate pair, which is not Unicode"),
        ];
        for (text, message) in cases {
            let error = Arguments::decode(Some(Bytes::from_static(text.as_bytes()))).unwrap_err();
            assert_eq!(error, message);
        }
    }
}
