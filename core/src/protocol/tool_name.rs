//! Which names a tool may have.

use super::document::cut;

/// Says which rule `name` breaks; `None` for a good name: 1 to 128 characters, each one of `A-Z`, `a-z`,
/// `0-9`, `_`, `-` and `.`. The specification says SHOULD; this library is strict, because hosts are.
pub fn fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("a tool name must not be empty".into());
    }
    let length = name.chars().count();
    if length > MAX_LENGTH {
        return Some(format!(
            "a tool name has at most {MAX_LENGTH} characters, \"{}\" has {length}",
            cut(name)
        ));
    }
    let foreign = name.chars().find(|c| !matches!(c, 'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' | '.'))?;
    let said = match foreign {
        ' ' => "a space".to_owned(),
        c if c.is_control() => format!("the control character U+{:04X}", u32::from(c)),
        c => format!("'{c}'"),
    };
    Some(format!(
        "\"{}\" is no tool name: {said} must not stand in it; use A-Z, a-z, 0-9, '_', '-' and '.'",
        cut(name)
    ))
}

/// Longest tool name, in characters (specification, server/tools, "Tool Names").
const MAX_LENGTH: usize = 128;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn accepts_the_names_of_the_specification() {
        let longest = "x".repeat(128);
        for name in ["getUser", "DATA_EXPORT_v2", "admin.tools.list", "a", "-", "0", &longest] {
            assert_eq!(fault(name), None, "{name}");
        }
    }

    #[test]
    fn names_the_broken_rule() {
        let long = "x".repeat(129);
        for (name, part) in [
            ("", "must not be empty"),
            ("my tool", "a space"),
            ("a,b", "','"),
            ("eché", "'é'"),
            ("a/b", "'/'"),
            ("a\n", "control character U+000A"),
            (long.as_str(), "at most 128 characters"),
        ] {
            assert!(fault(name).unwrap().contains(part), "{name:?}");
        }
    }
}
