//! Takes the white space between the tokens of a JSON text away, and changes nothing else.

/// Appends `text`, which must be valid JSON, without the white space between its tokens: a text on several
/// lines then fits on one, as the stdio transport demands. Strings, numbers and the order of members stay
/// byte for byte.
pub fn append(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len());
    let mut kept = 0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => at = string_end(text, at),
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.extend_from_slice(&text[kept..at]);
                at += 1;
                kept = at;
            }
            _ => at += 1,
        }
    }
    out.extend_from_slice(&text[kept..]);
}

/// `text`, which must be valid JSON, without the white space between its tokens.
pub fn compact(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    append(&mut out, text);
    out
}

/// Offset behind the string whose opening quote stands at `at`.
fn string_end(text: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    loop {
        match text.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => return text.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_white_space_between_tokens_only() {
        for (text, wanted) in [
            (" {\r\n\t\"b\" : [ 1.50 , 2e3 ] ,\n \"a\":null }\n", r#"{"b":[1.50,2e3],"a":null}"#),
            (r#"{"a":"x  y\" z\\" , "b" : "\\\" "}"#, r#"{"a":"x  y\" z\\","b":"\\\" "}"#),
            (r#"["\u0020\n"]"#, r#"["\u0020\n"]"#),
            ("\"é 世\u{2028}\"", "\"é 世\u{2028}\""),
            (" 12345678901234567890 ", "12345678901234567890"),
        ] {
            assert_eq!(String::from_utf8_lossy(&compact(text.as_bytes())), wanted);
        }
    }
}
