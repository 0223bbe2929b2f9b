//! Which model a server would like (specification, client/sampling, "Model Preferences").

use super::super::document::{self, Document, DocumentFault};

/// Checks `raw`, the object at `pointer`, and returns it as it is published.
pub fn published(raw: &[u8], pointer: String) -> Result<Vec<u8>, DocumentFault> {
    let preferences = Document::read(raw, pointer, FIELDS)?;
    for priority in &FIELDS[1..] {
        if preferences.number(priority)?.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
            return Err(
                preferences.fault(priority, "must lie between 0 (does not count) and 1 (counts most)")
            );
        }
    }
    let hints = match preferences.raw("hints") {
        Some(hints) => Some(published_hints(hints, &preferences.pointer_to("hints"))?),
        None => None,
    };
    let mut out = Vec::new();
    preferences.write(&mut out, |name| hints.as_deref().filter(|_| name == "hints"));
    Ok(out)
}

const FIELDS: &[&str] = &["hints", "costPriority", "speedPriority", "intelligencePriority"];

fn published_hints(raw: &[u8], pointer: &str) -> Result<Vec<u8>, DocumentFault> {
    let mut out = vec![b'['];
    for (index, hint) in document::array(raw, pointer)?.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let hint = Document::read(hint, format!("{pointer}/{index}"), &["name"])?;
        hint.string("name")?;
        hint.write(&mut out, |_| None);
    }
    out.push(b']');
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn checks_hints_and_priorities() {
        for (raw, wanted) in [
            ("{}", Ok("{}")),
            (
                r#"{ "hints":[ {"name":"sonnet"}, {"name":null} ],"costPriority":0.30,"speedPriority":null,"intelligencePriority":1 }"#,
                Ok(r#"{"hints":[{"name":"sonnet"},{}],"costPriority":0.30,"intelligencePriority":1}"#),
            ),
            (
                r#"{"speedPriority":1.5}"#,
                Err("/p/speedPriority: must lie between 0 (does not count) and 1 (counts most)"),
            ),
            (r#"{"hints":["sonnet"]}"#, Err("/p/hints/0: must be an object, not a string")),
            (r#"{"hints":[{"nmae":"x"}]}"#, Err("/p/hints/0: unknown key \"nmae\"; did you mean \"name\"?")),
            (
                r#"{"models":[]}"#,
                Err(
                    "/p: unknown key \"models\"; known are hints, costPriority, speedPriority, intelligencePriority",
                ),
            ),
        ] {
            let checked = published(raw.as_bytes(), "/p".into()).map_err(|fault| fault.to_string());
            assert_eq!(
                checked.map(|out| String::from_utf8(out).unwrap()),
                wanted.map(String::from).map_err(String::from)
            );
        }
    }
}
