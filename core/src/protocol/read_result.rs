//! The result of `resources/read` (specification, server/resources, "Reading Resources").

use super::cache_hint::{CacheHint, CacheScope};
use super::document::{self, Document, DocumentFault};
use super::resource_contents::{self, ResourceContents};
use super::{resource_uri, result_envelope};

/// The contents of a resource. Its parts are JSON texts as they are published: compact, and without null members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadResult {
    /// The contents with commas between them, without the brackets.
    pub contents: Vec<u8>,
    /// The `_meta` object.
    pub meta: Option<Vec<u8>>,
    /// How long clients may keep it. `None` where the author said nothing.
    pub cache: Option<CacheHint>,
}

impl ReadResult {
    /// Checks `text`, a ReadResourceResult, and takes it apart. `resultType` may stand there as `complete`, and
    /// `ttlMs` with `cacheScope`. Unknown keys are refused by name.
    pub fn from_json(text: &[u8]) -> Result<Self, DocumentFault> {
        document::check_json(text, "")?;
        let result = Document::read(text, "", FIELDS)?;
        let meta = result_envelope::check(&result)?;
        let Some(raw) = result.raw("contents") else {
            return Err(DocumentFault::new("", "\"contents\" is missing"));
        };
        let mut contents = Vec::with_capacity(raw.len());
        document::append_elements(&mut contents, raw, "/contents", |out, raw, pointer| {
            resource_contents::append_checked(raw, pointer, out)
        })?;
        Ok(ReadResult { contents, meta, cache: cache(&result)? })
    }

    /// Appends contents given as JSON.
    pub fn append_json(&mut self, json: &[u8]) -> Result<(), DocumentFault> {
        let mut contents = Vec::with_capacity(json.len());
        resource_contents::append_checked(json, String::new(), &mut contents)?;
        if !self.contents.is_empty() {
            self.contents.push(b',');
        }
        self.contents.append(&mut contents);
        Ok(())
    }

    /// Appends contents of the resource `uri`. `meta` is a `_meta` object that was checked.
    pub fn append(
        &mut self,
        uri: &str,
        mime_type: Option<&str>,
        contents: ResourceContents<'_>,
        meta: Option<&[u8]>,
    ) -> Result<(), DocumentFault> {
        if let Some(message) = resource_uri::fault(uri) {
            return Err(DocumentFault::new("/uri", message));
        }
        if !self.contents.is_empty() {
            self.contents.push(b',');
        }
        resource_contents::write(uri, mime_type, contents, meta, &mut self.contents);
        Ok(())
    }
}

const FIELDS: &[&str] = &["contents", "ttlMs", "cacheScope", "_meta", "resultType"];

/// One of the two alone is refused: what stood for the other could make public what is private.
fn cache(result: &Document<'_>) -> Result<Option<CacheHint>, DocumentFault> {
    result.one_of("cacheScope", &CacheScope::NAMES)?;
    let scope = result.string("cacheScope")?.and_then(|name| CacheScope::named(&name));
    match (result.whole_number("ttlMs", "of milliseconds")?, scope) {
        (Some(ttl_ms), Some(scope)) => Ok(Some(CacheHint { ttl_ms, scope })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(DocumentFault::new("", "\"cacheScope\" is missing beside \"ttlMs\"")),
        (None, Some(_)) => Err(DocumentFault::new("", "\"ttlMs\" is missing beside \"cacheScope\"")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn takes_a_result_apart() {
        let result = ReadResult::from_json(
            br#"{"contents":[ {"uri":"x:1","text":"a","mimeType":null}, {"uri":"x:2","blob":"YQ=="} ],
                "_meta":{"a": 1},"ttlMs":60000,"cacheScope":"private","resultType":"complete"}"#,
        )
        .unwrap();
        assert_eq!(
            String::from_utf8(result.contents).unwrap(),
            r#"{"uri":"x:1","text":"a"},{"uri":"x:2","blob":"YQ=="}"#
        );
        assert_eq!(result.meta.unwrap(), br#"{"a":1}"#);
        assert_eq!(result.cache, Some(CacheHint { ttl_ms: 60_000, scope: CacheScope::Private }));
    }

    #[test]
    fn builds_what_json_gives() {
        let mut built = ReadResult::default();
        built.append("x:1", Some("a/b"), ResourceContents::Text("a"), None).unwrap();
        built.append("x:2", None, ResourceContents::Blob(b"a"), Some(br#"{"ui":{}}"#)).unwrap();
        let fault = built.append("a", None, ResourceContents::Text(""), None).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "/uri: \"a\" is no URI: it must begin with a scheme, as in \"file:///a\""
        );
        let text = br#"{"contents":[{"uri":"x:1","mimeType":"a/b","text":"a"},
            {"uri":"x:2","blob":"YQ==","_meta":{"ui":{}}}]}"#;
        assert_eq!(built, ReadResult::from_json(text).unwrap());
    }

    #[test]
    fn says_what_is_wrong_with_a_result() {
        for (text, wanted) in [
            ("{}", "\"contents\" is missing"),
            (r#"{"content":[]}"#, "unknown key \"content\"; did you mean \"contents\"?"),
            (r#"{"contents":"a"}"#, "/contents: must be an array, not a string"),
            (r#"{"contents":[{"text":"a"}]}"#, "/contents/0: \"uri\" is missing"),
            (r#"{"contents":[{"uri":"x:1"}]}"#, "/contents/0: must have either \"text\" or \"blob\""),
            (
                r#"{"contents":[],"ttlMs":-1,"cacheScope":"public"}"#,
                "/ttlMs: must be a whole number of milliseconds, 0 or more",
            ),
            (
                r#"{"contents":[],"ttlMs":1,"cacheScope":"Public"}"#,
                "/cacheScope: \"Public\" is not one of \"public\", \"private\"; did you mean \"public\"?",
            ),
            (r#"{"contents":[],"ttlMs":1}"#, "\"cacheScope\" is missing beside \"ttlMs\""),
            (r#"{"contents":[],"cacheScope":"public"}"#, "\"ttlMs\" is missing beside \"cacheScope\""),
        ] {
            assert_eq!(ReadResult::from_json(text.as_bytes()).unwrap_err().to_string(), wanted);
        }
    }
}
