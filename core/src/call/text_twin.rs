//! Structured content is repeated as text, for clients that know no better.
//!
//! Specification: server/tools, "Structured Content".

use crate::protocol::content::ContentBlock;
use crate::protocol::tool_result::ToolResult;

/// Adds a text block that holds the structured content, if there is any. For results to which the author gave
/// no text.
pub fn add_text_twin(result: &mut ToolResult) {
    let Some(structured) = result.structured.take() else { return };
    if let Ok(text) = std::str::from_utf8(&structured) {
        append_text(result, text);
    }
    result.structured = Some(structured);
}

/// Appends a text block to those of a result.
pub fn append_text(result: &mut ToolResult, text: &str) {
    let mut block = Vec::new();
    ContentBlock::Text { text }.write(None, &mut block);
    append_block(result, block);
}

/// Appends a content block, given as JSON, to those of a result.
pub fn append_block(result: &mut ToolResult, block: Vec<u8>) {
    match &mut result.content {
        Some(content) if !content.is_empty() => {
            content.push(b',');
            content.extend_from_slice(&block);
        }
        // The first block, which may be large, is not copied.
        content => *content = Some(block),
    }
}
