//! How a call ends, free of any revision's way to write it.

use crate::protocol::content::ContentBlock;
use crate::protocol::error::ProtocolError;
use crate::protocol::tool_result::ToolResult;

/// What a call ends with.
#[derive(Debug)]
pub enum Outcome {
    /// A result, successful or with `isError`.
    Result(ToolResult),
    /// A JSON-RPC error.
    Error(ProtocolError),
}

impl Outcome {
    /// A tool error: `message` is for the model, which can mend what it says.
    pub fn tool_error(message: &str) -> Outcome {
        let mut content = Vec::with_capacity(message.len() + 32);
        ContentBlock::Text { text: message }.write(None, &mut content);
        Outcome::Result(ToolResult {
            content: Some(content),
            has_text: true,
            is_error: true,
            ..ToolResult::default()
        })
    }
}
