//! Writes JSON texts by appending to a buffer: strings are escaped a block at a time, not a byte.

use super::special_bytes::append_replacing;

/// Appends `text` as a JSON string, quotes included.
pub fn string(out: &mut Vec<u8>, text: &str) {
    // Room for what prose usually needs in escapes, so that a large text is not moved when it grows.
    out.reserve(text.len() + text.len() / 8 + 2);
    out.push(b'"');
    string_part(out, text);
    out.push(b'"');
}

/// Appends `text` escaped, without the quotes around it.
pub fn string_part(out: &mut Vec<u8>, text: &str) {
    append_replacing(out, text.as_bytes(), escape);
}

/// Appends `,"name":` and `text`: a member behind others. `name` needs no escapes.
pub fn string_member(out: &mut Vec<u8>, name: &str, text: &str) {
    member_name(out, name);
    string(out, text);
}

/// The same where there is a text, or nothing.
pub fn optional_string_member(out: &mut Vec<u8>, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        string_member(out, name, text);
    }
}

/// Appends `,"name":`, to which the caller adds a value. `name` needs no escapes.
pub fn member_name(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Appends an integer in decimal.
pub fn integer(out: &mut Vec<u8>, value: i64) {
    use std::io::Write;
    let _ = write!(out, "{value}");
}

/// Appends a finite number in its shortest form; whole numbers have no fraction. The caller refuses
/// NaN and infinities, which JSON does not have; they are written as null.
pub fn number(out: &mut Vec<u8>, value: f64) {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        integer(out, value as i64);
    } else if let Ok(text) = serde_json::to_string(&value) {
        out.extend_from_slice(text.as_bytes());
    }
}

#[inline]
fn escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
            out.extend_from_slice(b"\\u00");
            return out.extend_from_slice(&digits);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn writes_strings_that_serde_json_reads_back() {
        let all_ascii: String = (0..128u8).map(char::from).collect();
        for text in ["", "plain", "a\"b\\c\nd\u{0}e", "é 世界 \u{2028}\u{feff}", &all_ascii] {
            let mut out = Vec::new();
            string(&mut out, text);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn writes_numbers_in_their_shortest_form() {
        let written = |value| {
            let mut out = Vec::new();
            number(&mut out, value);
            String::from_utf8(out).unwrap()
        };
        for (value, text) in [(50.0, "50"), (0.5, "0.5"), (-3.0, "-3"), (0.0, "0")] {
            assert_eq!(written(value), text);
        }
        for value in [1e300, 0.1 + 0.2, f64::MIN_POSITIVE, 9_007_199_254_740_993.0] {
            assert_eq!(written(value).parse::<f64>().unwrap(), value);
        }
    }
}
