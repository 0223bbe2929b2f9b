//! The content blocks of a sampling message: text, image and sound, uses of tools and their results.
//!
//! Specification: schema, `SamplingMessageContentBlock`.

use super::super::document::{self, Document, DocumentFault, not_one_of};
use super::super::json_compact::compact;
use super::super::{content, meta_key};

/// What a block is, as far as the order of messages depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Text, image or sound.
    Plain,
    /// The use of a tool, with its id.
    ToolUse(String),
    /// The result of a tool, with the id of its use.
    ToolResult(String),
}

/// Checks `raw`, the block at `pointer`, and appends it as it is published.
pub fn append_published(raw: &[u8], pointer: &str, out: &mut Vec<u8>) -> Result<Block, DocumentFault> {
    match &*kind_of(raw, pointer)? {
        "tool_use" => tool_use(raw, pointer, out),
        "tool_result" => tool_result(raw, pointer, out),
        _ => content::append_checked(raw, pointer, out).map(|_| Block::Plain),
    }
}

const KINDS: &[&str] = &["text", "image", "audio", "tool_use", "tool_result"];

fn kind_of(raw: &[u8], pointer: &str) -> Result<String, DocumentFault> {
    let members = document::object(raw, pointer)?;
    let Some((_, kind)) = members.iter().find(|(key, _)| key == "type") else {
        let message = format!("\"type\" is missing; it is one of {}", KINDS.join(", "));
        return Err(DocumentFault::new(pointer, message));
    };
    let at = || format!("{pointer}/type");
    let kind = document::string(kind, at)?;
    if !KINDS.contains(&&*kind) {
        return Err(DocumentFault::new(at(), not_one_of(&kind, KINDS)));
    }
    Ok(kind.into_owned())
}

fn tool_use(raw: &[u8], pointer: &str, out: &mut Vec<u8>) -> Result<Block, DocumentFault> {
    let block = Document::read(raw, pointer, &["type", "id", "name", "input", "_meta"])?;
    let id = filled(&block, "id")?;
    filled(&block, "name")?;
    let Some(input) = block.raw("input") else {
        return Err(DocumentFault::new(
            pointer,
            "\"input\" is missing; a tool without arguments is used with {}",
        ));
    };
    document::object(input, &block.pointer_to("input"))?;
    check_meta(&block)?;
    block.write(out, |_| None);
    Ok(Block::ToolUse(id))
}

fn tool_result(raw: &[u8], pointer: &str, out: &mut Vec<u8>) -> Result<Block, DocumentFault> {
    const FIELDS: &[&str] = &["type", "toolUseId", "content", "structuredContent", "isError", "_meta"];
    let block = Document::read_with_null(raw, pointer, FIELDS, "structuredContent")?;
    let id = filled(&block, "toolUseId")?;
    block.boolean("isError")?;
    check_meta(&block)?;
    let at = block.pointer_to("content");
    let Some(blocks) = block.raw("content") else {
        return Err(DocumentFault::new(pointer, "\"content\" is missing; it is an array of content blocks"));
    };
    let mut published = vec![b'['];
    for (index, inner) in document::array(blocks, &at)?.into_iter().enumerate() {
        if index > 0 {
            published.push(b',');
        }
        content::append_checked(inner, &format!("{at}/{index}"), &mut published)?;
    }
    published.push(b']');
    let structured = block.raw("structuredContent").map(compact);
    block.write(out, |name| match name {
        "content" => Some(&published),
        "structuredContent" => structured.as_deref(),
        _ => None,
    });
    Ok(Block::ToolResult(id))
}

fn filled(block: &Document<'_>, name: &str) -> Result<String, DocumentFault> {
    let text = block.required_string(name)?;
    if text.is_empty() {
        return Err(block.fault(name, "must not be empty"));
    }
    Ok(text.into_owned())
}

fn check_meta(block: &Document<'_>) -> Result<(), DocumentFault> {
    block.raw("_meta").map_or(Ok(()), |meta| meta_key::check_object(meta, &block.pointer_to("_meta")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn published(raw: &str) -> Result<(Block, String), String> {
        let mut out = Vec::new();
        let block = append_published(raw.as_bytes(), "/c", &mut out).map_err(|fault| fault.to_string())?;
        Ok((block, String::from_utf8(out).unwrap()))
    }

    #[test]
    fn publishes_every_kind_of_block_compact_and_without_nulls() {
        for (raw, block, wanted) in [
            (r#"{"type":"text", "text":"a","_meta":null}"#, Block::Plain, r#"{"type":"text","text":"a"}"#),
            (
                r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#,
                Block::Plain,
                r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#,
            ),
            (
                r#"{"type":"audio","data":"","mimeType":"audio/wav"}"#,
                Block::Plain,
                r#"{"type":"audio","data":"","mimeType":"audio/wav"}"#,
            ),
            (
                r#"{"type":"tool_use","id":"c1","name":"get","input":{ "a": null },"_meta":{"x":1}}"#,
                Block::ToolUse("c1".into()),
                r#"{"type":"tool_use","id":"c1","name":"get","input":{"a":null},"_meta":{"x":1}}"#,
            ),
            (
                r#"{"type":"tool_result","toolUseId":"c1","content":[ {"type":"text","text":"a","annotations":null}, {"type":"resource_link","uri":"x:1","name":"n"} ],"structuredContent": null,"isError":true}"#,
                Block::ToolResult("c1".into()),
                r#"{"type":"tool_result","toolUseId":"c1","content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"x:1","name":"n"}],"structuredContent":null,"isError":true}"#,
            ),
            (
                r#"{"type":"tool_result","toolUseId":"c1","content":[],"isError":null}"#,
                Block::ToolResult("c1".into()),
                r#"{"type":"tool_result","toolUseId":"c1","content":[]}"#,
            ),
        ] {
            assert_eq!(published(raw), Ok((block, wanted.into())));
        }
    }

    #[test]
    fn says_what_is_wrong_with_a_block() {
        for (raw, wanted) in [
            (r#""hello""#, "/c: must be an object, not a string"),
            (
                r#"{"text":"a"}"#,
                "/c: \"type\" is missing; it is one of text, image, audio, tool_use, tool_result",
            ),
            (
                r#"{"type":"resource_link","uri":"x:1","name":"n"}"#,
                "/c/type: \"resource_link\" is not one of \"text\", \"image\", \"audio\", \"tool_use\", \"tool_result\"",
            ),
            (r#"{"type":"text"}"#, "/c: \"text\" is missing"),
            (r#"{"type":"tool_use","name":"n","input":{}}"#, "/c: \"id\" is missing"),
            (r#"{"type":"tool_use","id":"","name":"n","input":{}}"#, "/c/id: must not be empty"),
            (
                r#"{"type":"tool_use","id":"1","name":"n"}"#,
                "/c: \"input\" is missing; a tool without arguments is used with {}",
            ),
            (
                r#"{"type":"tool_use","id":"1","name":"n","input":[]}"#,
                "/c/input: must be an object, not an array",
            ),
            (
                r#"{"type":"tool_result","id":"1","content":[]}"#,
                "/c: unknown key \"id\"; known are type, toolUseId, content, structuredContent, isError, _meta",
            ),
            (
                r#"{"type":"tool_result","toolUseId":"1"}"#,
                "/c: \"content\" is missing; it is an array of content blocks",
            ),
            (
                r#"{"type":"tool_result","toolUseId":"1","content":[{"type":"tool_use"}]}"#,
                "/c/content/0/type: \"tool_use\" is not one of \"text\", \"image\", \"audio\", \"resource_link\", \"resource\"",
            ),
            (
                r#"{"type":"tool_result","toolUseId":"1","content":[],"isError":"no"}"#,
                "/c/isError: must be true or false, not a string",
            ),
        ] {
            assert_eq!(published(raw), Err(wanted.into()));
        }
    }
}
