//! A whole `tools/call` result that an author gives as JSON (specification, server/tools, "Tool Result").

use super::content::{self, BlockKind};
use super::document::{self, Document, DocumentFault};
use super::json_compact::compact;
use super::result_envelope;

/// The parts of a checked result, each as it is published: compact, and without null members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// The content blocks with commas between them, without the brackets. `None` when the author gave no
    /// `content`.
    pub content: Option<Vec<u8>>,
    /// Whether one of the blocks is a text: the library then adds no text twin of `structured`.
    pub has_text: bool,
    /// The structured content, any JSON value; null is one too.
    pub structured: Option<Vec<u8>>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The `_meta` object.
    pub meta: Option<Vec<u8>>,
}

impl ToolResult {
    /// Checks `text`, a CallToolResult, and takes it apart. `resultType` may stand there as `complete`.
    /// Unknown keys are refused by name.
    pub fn from_json(text: &[u8]) -> Result<Self, DocumentFault> {
        document::check_json(text, "")?;
        let result = Document::read_with_null(text, "", FIELDS, "structuredContent")?;
        let meta = result_envelope::check(&result)?;
        let mut has_text = false;
        let content = result.raw("content").map(|raw| joined_blocks(raw, &mut has_text)).transpose()?;
        let structured = result.raw("structuredContent").map(compact);
        if content.is_none() && structured.is_none() {
            return Err(DocumentFault::new("", "a result needs \"content\" or \"structuredContent\""));
        }
        let is_error = result.boolean("isError")?.unwrap_or(false);
        Ok(ToolResult { content, has_text, structured, is_error, meta })
    }
}

const FIELDS: &[&str] = &["content", "structuredContent", "isError", "_meta", "resultType"];

fn joined_blocks(raw: &[u8], has_text: &mut bool) -> Result<Vec<u8>, DocumentFault> {
    let mut out = Vec::with_capacity(raw.len());
    document::append_elements(&mut out, raw, "/content", |out, block, pointer| {
        let kind = content::append_checked(block, &pointer, out)?;
        *has_text |= kind == BlockKind::Text;
        Ok(())
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn takes_a_result_apart() {
        let result = ToolResult::from_json(
            br#" {"content":[ {"type":"text","text":"a"}, {"type":"text","text":"b"} ],
                "structuredContent": { "a" : 12345678901234567890 }, "isError": true,
                "_meta": {"com.example/x": 1}, "resultType":"complete"} "#,
        )
        .unwrap();
        assert_eq!(result.content.unwrap(), br#"{"type":"text","text":"a"},{"type":"text","text":"b"}"#);
        assert_eq!(result.structured.unwrap(), br#"{"a":12345678901234567890}"#);
        assert!(result.is_error && result.has_text);
        assert_eq!(result.meta.unwrap(), br#"{"com.example/x":1}"#);
    }

    #[test]
    fn tells_absent_from_empty_and_null() {
        for (text, content, structured) in [
            (r#"{"content":[]}"#, Some(""), None),
            (r#"{"content":null,"structuredContent":null}"#, None, Some("null")),
            (r#"{"structuredContent":[1, 2],"isError":null,"_meta":null}"#, None, Some("[1,2]")),
        ] {
            let result = ToolResult::from_json(text.as_bytes()).unwrap();
            let wanted = ToolResult {
                content: content.map(|text| text.as_bytes().to_vec()),
                structured: structured.map(|text| text.as_bytes().to_vec()),
                ..ToolResult::default()
            };
            assert_eq!(result, wanted, "{text}");
        }
    }

    #[test]
    fn tells_whether_a_block_is_a_text() {
        let image = r#"{"type":"image","data":"","mimeType":"image/png"}"#;
        for (blocks, has_text) in [
            (String::new(), false),
            (image.to_owned(), false),
            (format!(r#"{image},{{"text":"","type":"te\u0078t"}}"#), true),
        ] {
            let result = ToolResult::from_json(format!("{{\"content\":[{blocks}]}}").as_bytes()).unwrap();
            assert_eq!(result.has_text, has_text, "{blocks}");
        }
    }

    #[test]
    fn says_what_is_wrong_with_a_result() {
        for (text, wanted) in [
            ("[]", "must be an object, not an array"),
            ("{}", "a result needs \"content\" or \"structuredContent\""),
            (r#"{"isError":true}"#, "a result needs \"content\" or \"structuredContent\""),
            (r#"{"content":"x"}"#, "/content: must be an array, not a string"),
            (r#"{"content":[],"is_error":true}"#, "unknown key \"is_error\"; did you mean \"isError\"?"),
            (r#"{"content":[],"isError":"no"}"#, "/isError: must be true or false, not a string"),
            (
                r#"{"content":[{"type":"text","text":"a"},{"type":"text"}]}"#,
                "/content/1: \"text\" is missing",
            ),
            (
                r#"{"content":[],"resultType":"input_required"}"#,
                "/resultType: only \"complete\" can be given as a result, not \"input_required\"",
            ),
            (
                r#"{"content":[],"_meta":{"a b":1}}"#,
                "/_meta: \"a b\" is no _meta key: its name is made of letters, digits, '-', '_' and '.'",
            ),
            ("{\"content\":[]", "is not valid JSON: ',' or '}' was expected in an object (byte 13)"),
        ] {
            assert_eq!(ToolResult::from_json(text.as_bytes()).unwrap_err().to_string(), wanted);
        }
        assert_eq!(ToolResult::from_json(b"\xff").unwrap_err().to_string(), "is not valid UTF-8 (byte 0)");
    }
}
