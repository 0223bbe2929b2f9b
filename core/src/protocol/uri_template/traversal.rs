//! Which values could lead out of the place where a handler looks for them.

/// Whether a handler that takes `value` for a path, on any system, could be led elsewhere. With `one_segment`, that
/// it is a path at all is enough.
pub(super) fn is_dangerous(value: &str, one_segment: bool) -> bool {
    let mut segments = value.split(['/', '\\']);
    let first = segments.next().unwrap_or_default();
    let is_path = first.len() < value.len();
    let is_drive = matches!(first.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic());
    let from_the_root = is_path && (first.is_empty() || is_drive);
    let is_relative = |segment: &str| segment == "." || segment == "..";
    from_the_root || is_path && one_segment || is_relative(first) || segments.any(is_relative)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_paths_that_lead_elsewhere() {
        for value in [
            "..",
            ".",
            "../a",
            "a/..",
            "a/../b",
            "a/./b",
            "./a",
            "/",
            "/etc/passwd",
            "//host/share",
            "..\\a",
            "a\\..\\b",
            "a\\../b",
            "\\a",
            "\\\\host\\share",
            "C:/a",
            "c:\\a",
            "C:/",
        ] {
            assert!(is_dangerous(value, false), "{value}");
            assert!(is_dangerous(value, true), "{value}");
        }
    }

    #[test]
    fn takes_what_only_looks_like_it() {
        for value in ["", "a", "...", "..a", "a..", ".git", "a.b", "C:", "a:b", "%2e%2e", "~", "caf\u{e9}"] {
            assert!(!is_dangerous(value, false), "{value}");
            assert!(!is_dangerous(value, true), "{value}");
        }
        for value in ["a/b", "a//b", "a/", "a\\b", ".git/config", "a/...", "http://x/y", "a/C:/b"] {
            assert!(!is_dangerous(value, false), "{value}");
            assert!(is_dangerous(value, true), "{value}");
        }
    }
}
