//! Annotations of content blocks and resources: for whom, how important, how fresh.

use super::document::{self, Document, DocumentFault, not_one_of};
use super::json_members;
use super::revision::Revision;
use super::role::Role;

/// Checks `raw`, the JSON object `annotations` at `pointer`, and returns it as it is published: compact,
/// without nulls.
pub fn check(raw: &[u8], pointer: &str) -> Result<Vec<u8>, DocumentFault> {
    let annotations = Document::read(raw, pointer, FIELDS)?;
    if let Some(audience) = annotations.raw("audience") {
        let pointer = annotations.pointer_to("audience");
        for (index, role) in document::array(audience, &pointer)?.into_iter().enumerate() {
            let at = || format!("{pointer}/{index}");
            let role = document::string(role, at)?;
            if !Role::NAMES.contains(&&*role) {
                return Err(DocumentFault::new(at(), not_one_of(&role, &Role::NAMES)));
            }
        }
    }
    if annotations.number("priority")?.is_some_and(|priority| !(0.0..=1.0).contains(&priority)) {
        return Err(annotations.fault("priority", "must lie between 0 (optional) and 1 (required)"));
    }
    annotations.string("lastModified")?;
    let mut out = Vec::new();
    annotations.write(&mut out, |_| None);
    Ok(out)
}

/// Appends what [`check`] returned, as `revision` knows it.
pub fn write(published: &[u8], revision: Revision, out: &mut Vec<u8>) {
    if revision.has_last_modified() {
        out.extend_from_slice(published);
    } else {
        json_members::append_without(out, published, &["lastModified"]);
    }
}

const FIELDS: &[&str] = &["audience", "priority", "lastModified"];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn publishes_good_annotations() {
        for (raw, wanted) in [
            ("{}", "{}"),
            (r#"{"priority": 1, "lastModified":null}"#, r#"{"priority":1}"#),
            (
                r#"{"audience":["user", "assistant"],"priority":0.70,"lastModified":"2025-05-03T14:30:00Z"}"#,
                r#"{"audience":["user","assistant"],"priority":0.70,"lastModified":"2025-05-03T14:30:00Z"}"#,
            ),
        ] {
            assert_eq!(check(raw.as_bytes(), "/a").unwrap(), wanted.as_bytes());
        }
    }

    #[test]
    fn says_what_is_wrong_with_annotations() {
        for (raw, wanted) in [
            (r#"{"audience":"user"}"#, "/a/audience: must be an array, not a string"),
            (
                r#"{"audience":["users"]}"#,
                "/a/audience/0: \"users\" is not one of \"user\", \"assistant\"; did you mean \"user\"?",
            ),
            (r#"{"priority":1.01}"#, "/a/priority: must lie between 0 (optional) and 1 (required)"),
            (r#"{"priority":"high"}"#, "/a/priority: must be a number, not a string"),
            (r#"{"lastModified":1}"#, "/a/lastModified: must be a string, not a number"),
            (r#"{"prio":1}"#, "/a: unknown key \"prio\"; known are audience, priority, lastModified"),
        ] {
            assert_eq!(check(raw.as_bytes(), "/a").unwrap_err().to_string(), wanted);
        }
    }

    #[test]
    fn old_revisions_do_not_know_how_fresh_a_thing_is() {
        let published = br#"{"lastModified":"2025-05-03T14:30:00Z","priority":0.70}"#;
        for (revision, wanted) in [
            (Revision::V2025_06_18, str::from_utf8(published).unwrap()),
            (Revision::V2025_03_26, r#"{"priority":0.70}"#),
        ] {
            let mut out = Vec::new();
            write(published, revision, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
        }
    }
}
