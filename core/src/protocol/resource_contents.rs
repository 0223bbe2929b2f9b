//! What a resource contains, as read results list it and content blocks embed it (specification, server/resources,
//! "Resource Contents"): checked when an author gives it as JSON, written when the library makes it.

use super::document::{Document, DocumentFault};
use super::json_write::{self, optional_string_member, string_member};
use super::{annotations, base64_text, meta_key, resource_uri};

/// What a resource contains.
#[derive(Clone, Copy, Debug)]
pub enum ResourceContents<'a> {
    /// Text.
    Text(&'a str),
    /// Raw bytes.
    Blob(&'a [u8]),
}

/// Appends the contents of the resource `uri` as JSON. `meta` is a `_meta` object that was checked.
pub fn write(
    uri: &str,
    mime_type: Option<&str>,
    contents: ResourceContents<'_>,
    meta: Option<&[u8]>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"uri\":");
    json_write::string(out, uri);
    optional_string_member(out, "mimeType", mime_type);
    match contents {
        ResourceContents::Text(text) => string_member(out, "text", text),
        ResourceContents::Blob(bytes) => base64_text::append_member(out, "blob", bytes),
    }
    if let Some(meta) = meta {
        json_write::member_name(out, "_meta");
        out.extend_from_slice(meta);
    }
    out.push(b'}');
}

/// Checks contents given as JSON (`raw`, valid JSON at `pointer`) and appends them as they are published: compact,
/// without null members.
pub fn append_checked(raw: &[u8], pointer: String, out: &mut Vec<u8>) -> Result<(), DocumentFault> {
    let resource = Document::read(raw, pointer.clone(), FIELDS)?;
    resource_uri::check(&resource)?;
    resource.string("mimeType")?;
    match (resource.raw("text"), resource.raw("blob")) {
        (Some(_), None) => drop(resource.string("text")?),
        (None, Some(_)) => base64_text::check(&resource, "blob")?,
        _ => return Err(DocumentFault::new(pointer, "must have either \"text\" or \"blob\"")),
    }
    let annotations = match resource.raw("annotations") {
        Some(raw) => Some(annotations::check(raw, &resource.pointer_to("annotations"))?),
        None => None,
    };
    if let Some(meta) = resource.raw("_meta") {
        meta_key::check_object(meta, &resource.pointer_to("_meta"))?;
    }
    resource.write(out, |name| annotations.as_deref().filter(|_| name == "annotations"));
    Ok(())
}

/// `annotations` is no field of the schema's ResourceContents, but server/tools shows it there.
const FIELDS: &[&str] = &["uri", "mimeType", "text", "blob", "annotations", "_meta"];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn writes_what_its_own_check_accepts() {
        for (contents, meta, wanted) in [
            (ResourceContents::Text("a\n"), None, r#"{"uri":"x:1","mimeType":"a/b","text":"a\n"}"#),
            (
                ResourceContents::Blob(b"abc"),
                Some(b"{\"ui\":{}}".as_slice()),
                r#"{"uri":"x:1","mimeType":"a/b","blob":"YWJj","_meta":{"ui":{}}}"#,
            ),
        ] {
            let mut out = Vec::new();
            write("x:1", Some("a/b"), contents, meta, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
            let mut checked = Vec::new();
            append_checked(wanted.as_bytes(), String::new(), &mut checked).unwrap();
            assert_eq!(checked, wanted.as_bytes());
        }
    }

    #[test]
    fn says_what_is_wrong_with_contents() {
        for (raw, wanted) in [
            (r#"{"text":""}"#, "/0: \"uri\" is missing"),
            (r#"{"uri":"x:1"}"#, "/0: must have either \"text\" or \"blob\""),
            (r#"{"uri":"x:1","text":"","blob":""}"#, "/0: must have either \"text\" or \"blob\""),
            (r#"{"uri":"x:1","text":5}"#, "/0/text: must be a string, not a number"),
            (
                r#"{"uri":"x:1","blob":"YQ"}"#,
                "/0/blob: not base64: its length is not a multiple of four; pad it with '='",
            ),
            (
                r#"{"uri":"x:1","text":"","mimetype":"a/b"}"#,
                "/0: unknown key \"mimetype\"; did you mean \"mimeType\"?",
            ),
        ] {
            let fault = append_checked(raw.as_bytes(), "/0".into(), &mut Vec::new()).unwrap_err();
            assert_eq!(fault.to_string(), wanted);
        }
    }
}
