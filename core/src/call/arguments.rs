//! The arguments of a call: the client's own bytes, and what they decode to.

use bytes::Bytes;
use serde_json::Value;

use crate::protocol::json_decode::{self, DecodeFault};
use crate::protocol::json_scan::{JsonFault, Scanner, Span};

/// Arguments, decoded once for the validator and the getters.
#[derive(Debug)]
pub struct Arguments {
    raw: Bytes,
    decoded: Value,
}

impl Arguments {
    /// Decodes `raw`, which was scanned as JSON before; absent arguments are an empty object.
    pub fn decode(raw: Option<Bytes>) -> Result<Arguments, DecodeFault> {
        let raw = raw.unwrap_or_else(|| Bytes::from_static(b"{}"));
        let decoded = json_decode::decode(&raw)?;
        Ok(Arguments { raw, decoded })
    }

    /// Arguments that the library made itself.
    pub fn from_value(value: Value) -> Arguments {
        Arguments { raw: value.to_string().into(), decoded: value }
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
        self.span(name).map(|span| self.raw.slice(span.start..span.end))
    }

    /// Where that text lies in [`Self::raw`].
    pub fn span(&self, name: &str) -> Option<Span> {
        self.get(name)?;
        let steps: Vec<String> = match name.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(|s| s.replace("~1", "/").replace("~0", "~")).collect(),
            None => vec![name.into()],
        };
        let mut place = Span { start: 0, end: self.raw.len() };
        for step in &steps {
            place = child(&self.raw, place, step)?;
        }
        Some(place)
    }
}

/// Where the member or element `step` of the container at `place` lies; the last one of its name, as decoding
/// takes it.
fn child(raw: &[u8], place: Span, step: &str) -> Option<Span> {
    let mut found = None;
    let mut scanner = Scanner::new(raw, place.start);
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
}
