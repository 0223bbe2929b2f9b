//! How the keys of a `_meta` object are formed (specification, basic, "`_meta`").

use super::document::{self, DocumentFault, cut};

/// Checks that `raw`, valid JSON at `pointer`, is an object whose keys all have the form of a `_meta` key.
/// Keys under the prefixes reserved for MCP are let through: official extensions define some.
pub fn check_object(raw: &[u8], pointer: &str) -> Result<(), DocumentFault> {
    for (key, _) in document::object(raw, pointer)? {
        if let Some(message) = fault(&key) {
            return Err(DocumentFault::new(pointer, message));
        }
    }
    Ok(())
}

/// Says which rule `key` breaks; `None` for a good key.
pub fn fault(key: &str) -> Option<String> {
    let broken = |rule: &str| Some(format!("\"{}\" is no _meta key: {rule}", cut(key)));
    let name = match key.split_once('/') {
        Some((prefix, name)) => {
            if !prefix.split('.').all(is_label) {
                return broken(
                    "before the '/' stand labels with dots between them, each a letter, then letters, digits or \
                     '-', and no '-' at the end, as in \"com.example/key\"",
                );
            }
            name
        }
        None => key,
    };
    if !name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')) {
        return broken("its name is made of letters, digits, '-', '_' and '.'");
    }
    if !(name.is_empty() || has_alphanumeric_ends(name)) {
        return broken("its name begins and ends with a letter or a digit");
    }
    None
}

fn is_label(label: &str) -> bool {
    label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && label.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
        && label.bytes().next_back().is_some_and(|b| b.is_ascii_alphanumeric())
}

fn has_alphanumeric_ends(name: &str) -> bool {
    name.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
        && name.bytes().next_back().is_some_and(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn knows_good_keys_from_bad_ones() {
        for key in [
            "a",
            "traceparent",
            "com.example/a_b-c.d",
            "io.modelcontextprotocol/ui",
            "x/",
            "",
            "a-b.c1/9",
            "v1/x",
        ] {
            assert_eq!(fault(key), None, "{key:?}");
        }
        for key in
            ["/x", "a./x", ".a/x", "1a/x", "a-/x", "a b", "_x", "x_", "é", "a/b/c", "ex ample/x", "ui:icon"]
        {
            assert!(fault(key).is_some(), "{key:?}");
        }
    }

    #[test]
    fn refuses_what_is_not_an_object() {
        assert_eq!(
            check_object(b"[]", "/_meta").unwrap_err().to_string(),
            "/_meta: must be an object, not an array"
        );
        assert!(check_object(br#"{"com.example/x":null}"#, "/_meta").is_ok());
    }
}
