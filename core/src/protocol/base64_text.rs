//! Standard base64 with padding (RFC 4648 section 4), as image, audio and blob contents carry it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::document::{Document, DocumentFault};
use super::json_write;

/// Appends the base64 of `bytes`, without quotes.
pub fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    // The room is exact, so nothing can be wanting; a shorter text would be cut to its length.
    let written = STANDARD.encode_slice(bytes, &mut out[start..]).unwrap_or(0);
    out.truncate(start + written);
}

/// Appends `,"name":` and the base64 of `bytes`: a member behind others. `name` needs no escapes.
pub fn append_member(out: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    json_write::member_name(out, name);
    out.push(b'"');
    append(out, bytes);
    out.push(b'"');
}

/// Checks the member `name` of `document`, which must be there.
pub fn check(document: &Document<'_>, name: &str) -> Result<(), DocumentFault> {
    let text = document.required_string(name)?;
    fault(text.as_bytes()).map_or(Ok(()), |message| Err(document.fault(name, message)))
}

/// Says why `text` is not base64; `None` when it is.
pub fn fault(text: &[u8]) -> Option<String> {
    let body = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let foreign =
        body.iter().position(|b| !matches!(b, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/'));
    if let Some(at) = foreign {
        let way_out = match body[at] {
            b'-' | b'_' => "use the standard alphabet, with '+' and '/'",
            b' ' | b'\n' | b'\r' | b'\t' | b'\\' => "write it on one line, without white space",
            _ => "only A-Z, a-z, 0-9, '+' and '/' may stand there, and '=' at the end",
        };
        return Some(format!("not base64 at character {at}: {way_out}"));
    }
    if !text.len().is_multiple_of(4) {
        return Some("not base64: its length is not a multiple of four; pad it with '='".into());
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn encodes_what_its_own_check_accepts() {
        for length in 0..70usize {
            let bytes: Vec<u8> = (0..length).map(|i| (i * 37) as u8).collect();
            let mut out = b"x".to_vec();
            append(&mut out, &bytes);
            assert_eq!(fault(&out[1..]), None, "{length}");
            assert_eq!(STANDARD.decode(&out[1..]).unwrap(), bytes);
        }
    }

    #[test]
    fn names_what_is_wrong_with_a_text() {
        for (text, part) in [
            ("YQ", "multiple of four"),
            ("YQ=", "multiple of four"),
            ("Y-8=", "character 1: use the standard alphabet"),
            ("YQ==\n", "character 2"),
            ("YWJj\nYWJj", "without white space"),
            ("@@@@", "character 0"),
            ("=", "multiple of four"),
            ("YQ=a", "character 2"),
        ] {
            let said = fault(text.as_bytes()).unwrap();
            assert!(said.contains(part), "{text:?}: {said}");
        }
    }
}
