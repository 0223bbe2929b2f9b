//! Which characters may stand in the literals of a template.

/// Whether `character` has no place in a URI. Characters outside ASCII have: authors write them, and they count as
/// their percent-encoding.
pub(super) fn is_foreign(character: char) -> bool {
    character.is_control()
        || character.is_whitespace()
        || matches!(character, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
}

/// Says where a `%` stands without two hexadecimal digits behind it.
pub(super) fn broken_encoding(text: &str) -> Option<String> {
    let broken = text.split('%').skip(1).find(|rest| {
        let digits = rest.as_bytes().get(..2);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })?;
    let shown: String = broken.chars().take(2).collect();
    Some(format!("\"%{shown}\" is no percent-encoding; for a percent sign write %25"))
}

/// `character` as a URI holds it.
pub(super) fn percent_encoded(character: char) -> String {
    let mut buffer = [0; 4];
    character.encode_utf8(&mut buffer).bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_must_be_encoded() {
        for (character, encoded) in [
            (' ', "%20"),
            ('\n', "%0A"),
            ('\0', "%00"),
            ('\u{2028}', "%E2%80%A8"),
            ('|', "%7C"),
            ('\\', "%5C"),
        ] {
            assert!(is_foreign(character), "{character:?}");
            assert_eq!(percent_encoded(character), encoded);
        }
        for character in "aZ09-._~:/?#[]@!$&'()*+,;=%\u{e9}".chars() {
            assert!(!is_foreign(character), "{character:?}");
        }
    }

    #[test]
    fn finds_an_encoding_without_its_digits() {
        for (text, shown) in
            [("50%", "\"%\""), ("%41%zz", "\"%zz\""), ("%1", "\"%1\""), ("%\u{e9}1", "\"%\u{e9}1\"")]
        {
            assert!(broken_encoding(text).is_some_and(|said| said.contains(shown)), "{text}");
        }
        assert_eq!(broken_encoding("a%20b%Ff"), None);
    }
}
