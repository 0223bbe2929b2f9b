//! Icons of whatever has a definition, of resource links and of the server (specification, basic, "`icons`").

use super::document::{self, Document, DocumentFault, cut};

/// Checks `raw`, a JSON array of icons at `pointer`, and returns it as it is published: compact, without nulls.
pub fn check_list(raw: &[u8], pointer: &str) -> Result<Vec<u8>, DocumentFault> {
    let mut out = vec![b'['];
    document::append_elements(&mut out, raw, pointer, |out, icon, pointer| check(icon, pointer, out))?;
    out.push(b']');
    Ok(out)
}

const FIELDS: &[&str] = &["src", "mimeType", "sizes", "theme"];
const THEMES: &[&str] = &["light", "dark"];
/// The schemes of `src` that the specification names. Clients should load an icon only from `https:` or `data:`;
/// `http:` is for servers on the same machine.
const SCHEMES: &[&str] = &["https://", "http://", "data:"];

fn check(raw: &[u8], pointer: String, out: &mut Vec<u8>) -> Result<(), DocumentFault> {
    let icon = Document::read(raw, pointer, FIELDS)?;
    let src = icon.required_string("src")?;
    let known =
        |scheme: &&str| src.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if !SCHEMES.iter().any(known) {
        let message = format!("an icon is an https:, http: or data: URI, not \"{}\"", cut(&src));
        return Err(icon.fault("src", message));
    }
    icon.string("mimeType")?;
    icon.one_of("theme", THEMES)?;
    if let Some(sizes) = icon.raw("sizes") {
        let pointer = icon.pointer_to("sizes");
        for (index, size) in document::array(sizes, &pointer)?.into_iter().enumerate() {
            document::string(size, || format!("{pointer}/{index}"))?;
        }
    }
    icon.write(out, |_| None);
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn publishes_icons_compact_and_without_nulls() {
        let raw = br#"[ {"src":"HTTPS://example.com/a.png", "mimeType":null, "sizes": ["48x48", "any"],
            "theme":"dark"}, {"src":"data:image/png;base64,AA=="} ]"#;
        assert_eq!(
            String::from_utf8(check_list(raw, "/icons").unwrap()).unwrap(),
            r#"[{"src":"HTTPS://example.com/a.png","sizes":["48x48","any"],"theme":"dark"},{"src":"data:image/png;base64,AA=="}]"#
        );
        assert_eq!(check_list(b"[]", "/icons").unwrap(), b"[]");
    }

    #[test]
    fn says_what_is_wrong_with_an_icon() {
        for (raw, wanted) in [
            ("{}", "/icons: must be an array, not an object"),
            ("[{}]", "/icons/0: \"src\" is missing"),
            (r#"[{"src":5}]"#, "/icons/0/src: must be a string, not a number"),
            (
                r#"[{"src":"javascript:x"}]"#,
                "/icons/0/src: an icon is an https:, http: or data: URI, not \"javascript:x\"",
            ),
            (r#"[{"src":"a.png"}]"#, "/icons/0/src: an icon is an https:, http: or data: URI, not \"a.png\""),
            (
                r#"[{"src":"data:,x","theme":"drak"}]"#,
                "/icons/0/theme: \"drak\" is not one of \"light\", \"dark\"; did you mean \"dark\"?",
            ),
            (r#"[{"src":"data:,x","sizes":"48x48"}]"#, "/icons/0/sizes: must be an array, not a string"),
            (r#"[{"src":"data:,x","sizes":[48]}]"#, "/icons/0/sizes/0: must be a string, not a number"),
            (
                r#"[{"src":"data:,x","mime_type":"a/b"}]"#,
                "/icons/0: unknown key \"mime_type\"; did you mean \"mimeType\"?",
            ),
        ] {
            assert_eq!(check_list(raw.as_bytes(), "/icons").unwrap_err().to_string(), wanted);
        }
    }
}
