//! Annotations of a tool: hints about what calling it does.

use super::document::{Document, DocumentFault};

/// Checks `raw`, the JSON object `annotations` of a tool at `pointer`, and returns it as it is published:
/// compact, without nulls.
pub fn check(raw: &[u8], pointer: &str) -> Result<Vec<u8>, DocumentFault> {
    let annotations = Document::read(raw, pointer, FIELDS)?;
    annotations.string("title")?;
    for hint in HINTS {
        annotations.boolean(hint)?;
    }
    let mut out = Vec::new();
    annotations.write(&mut out, |_| None);
    Ok(out)
}

const FIELDS: &[&str] = &["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
const HINTS: &[&str] = &["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn publishes_good_annotations() {
        let raw = br#"{ "readOnlyHint": true, "title": null, "openWorldHint":false }"#;
        assert_eq!(check(raw, "/annotations").unwrap(), br#"{"readOnlyHint":true,"openWorldHint":false}"#);
    }

    #[test]
    fn says_what_is_wrong_with_annotations() {
        for (raw, wanted) in [
            ("true", "/annotations: must be an object, not a boolean"),
            (
                r#"{"readOnly":true}"#,
                "/annotations: unknown key \"readOnly\"; known are title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint",
            ),
            (
                r#"{"readonlyHint":true}"#,
                "/annotations: unknown key \"readonlyHint\"; did you mean \"readOnlyHint\"?",
            ),
            (
                r#"{"idempotentHint":"yes"}"#,
                "/annotations/idempotentHint: must be true or false, not a string",
            ),
            (r#"{"title":1}"#, "/annotations/title: must be a string, not a number"),
        ] {
            assert_eq!(check(raw.as_bytes(), "/annotations").unwrap_err().to_string(), wanted);
        }
    }
}
