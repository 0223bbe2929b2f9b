//! One spelling for every spelling of a JSON value, so that a digest knows the value again whatever the order of
//! its members, its white space and its escapes.

use super::json_decode::MAX_DEPTH;
use super::json_scan::{JsonFault, Scanner};
use super::json_write;

/// Appends the canonical form of `text`, one JSON value in UTF-8. The form is made for digests and is not JSON.
///
/// Numbers keep their spelling: 1 and 1.0 differ, and no two large numbers are taken for one. A fault where the
/// text is not JSON, or nested deeper than any text is decoded; `out` then holds a part of the form.
pub fn append(out: &mut Vec<u8>, text: &[u8]) -> Result<(), JsonFault> {
    let mut scanner = Scanner::new(text, 0);
    value(&mut scanner, text, out, 0)?;
    scanner.end()
}

fn value(scanner: &mut Scanner<'_>, text: &[u8], out: &mut Vec<u8>, depth: usize) -> Result<(), JsonFault> {
    match scanner.peek() {
        Some(b'{' | b'[') if depth == MAX_DEPTH => {
            Err(JsonFault { at: 0, what: "arrays and objects are nested too deep" })
        }
        Some(b'{') => object(scanner, text, out, depth + 1),
        Some(b'[') => {
            out.push(b'[');
            scanner.array::<JsonFault>(|scanner| {
                value(scanner, text, out, depth + 1)?;
                out.push(b',');
                Ok(())
            })?;
            out.push(b']');
            Ok(())
        }
        _ => {
            string_or_word(out, scanner.value()?.of(text));
            Ok(())
        }
    }
}

/// Writes the members, each with a comma behind it, and puts them in order where they are not.
fn object(scanner: &mut Scanner<'_>, text: &[u8], out: &mut Vec<u8>, depth: usize) -> Result<(), JsonFault> {
    out.push(b'{');
    let start = out.len();
    let mut starts = Vec::new();
    scanner.object::<JsonFault>(|scanner, key| {
        starts.push(out.len());
        match key.text().as_deref().map(std::str::from_utf8) {
            Some(Ok(key)) => json_write::string(out, key),
            // Half a surrogate pair: such a key is refused wherever it is read.
            _ => out.extend_from_slice(b"\"\\ud800\""),
        }
        out.push(b':');
        value(scanner, text, out, depth)?;
        out.push(b',');
        Ok(())
    })?;
    let ends = starts.iter().skip(1).copied().chain([out.len()]);
    let mut members: Vec<&[u8]> = starts.iter().zip(ends).map(|(start, end)| &out[*start..end]).collect();
    if !members.is_sorted() {
        members.sort_unstable();
        let sorted = members.concat();
        out.truncate(start);
        out.extend_from_slice(&sorted);
    }
    out.push(b'}');
    Ok(())
}

fn string_or_word(out: &mut Vec<u8>, raw: &[u8]) {
    if raw.contains(&b'\\')
        && let Ok(decoded) = serde_json::from_slice::<String>(raw)
    {
        return json_write::string(out, &decoded);
    }
    out.extend_from_slice(raw);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn form(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        append(&mut out, text.as_bytes()).unwrap();
        out
    }

    #[test]
    fn gives_every_spelling_of_a_value_one_form() {
        for (one, other) in [
            (
                r#"{"a":1,"b":[2,{"d":"x","c":null}]}"#,
                " { \"b\" : [2, {\"c\":null,\"d\":\"x\"}],\n \"a\" : 1 } ",
            ),
            (r#""A/\n""#, r#""\u0041\/\u000a""#),
            (r#"{"\u0062":1,"a":2}"#, r#"{"a":2,"b":1}"#),
            (r#"{"aa":1,"a":2}"#, r#"{"a":2,"aa":1}"#),
            (r#""é\ud83d\ude00""#, r#""\u00e9😀""#),
        ] {
            assert_eq!(form(one), form(other), "{one} {other}");
        }
    }

    #[test]
    fn tells_different_values_apart() {
        let texts = [
            "1",
            "1.0",
            "10",
            "\"1\"",
            "null",
            "true",
            "{}",
            "[]",
            "[[]]",
            "[{}]",
            "[1]",
            "[1,1]",
            "[\"1,1\"]",
            r#"{"a":1}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":1,"b":1}"#,
            r#"["a",1]"#,
            r#"{"a":[1,2]}"#,
            r#"{"a":[2,1]}"#,
            r#"{"a":{"c":1},"b":2}"#,
            r#"{"a":{"b":2,"c":1}}"#,
            r#""\ud800""#,
            r#""\\ud800""#,
            "123456789012345678901234567890",
            "123456789012345678901234567891",
        ];
        for (index, one) in texts.iter().enumerate() {
            for other in &texts[index + 1..] {
                assert_ne!(form(one), form(other), "{one} {other}");
            }
        }
    }

    #[test]
    fn refuses_what_is_not_json_or_nested_too_deep() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        for text in ["", "{", "[1", "1 2", &deep] {
            assert!(append(&mut Vec::new(), text.as_bytes()).is_err());
        }
        assert!(append(&mut Vec::new(), ("[".repeat(128) + &"]".repeat(128)).as_bytes()).is_ok());
    }
}
