//! How a call ends, free of any revision's way to write it.

use super::rounds::InputRequired;
use super::text_twin::add_text_twin;
use crate::protocol::completion_result::CompletionResult;
use crate::protocol::content::ContentBlock;
use crate::protocol::error::ProtocolError;
use crate::protocol::prompt_result::PromptResult;
use crate::protocol::read_result::ReadResult;
use crate::protocol::tool_result::ToolResult;

/// What a call ends with.
#[derive(Debug)]
pub enum Outcome {
    /// A result, successful or with `isError`.
    Result(CallResult),
    /// A JSON-RPC error.
    Error(ProtocolError),
    /// The client must answer questions first.
    InputRequired(Box<InputRequired>),
}

/// A result, of the kind of its call.
#[derive(Clone, Debug)]
pub enum CallResult {
    /// `tools/call`
    Tool(ToolResult),
    /// `prompts/get`
    Prompt(PromptResult),
    /// `resources/read`
    Read(ReadResult),
    /// `completion/complete`
    Completion(CompletionResult),
}

impl From<Result<CallResult, ProtocolError>> for Outcome {
    fn from(ended: Result<CallResult, ProtocolError>) -> Self {
        ended.map_or_else(Outcome::Error, Outcome::Result)
    }
}

impl CallResult {
    /// Adds what a client expects of a whole result: the text twin of a tool's structured content, unless its author
    /// gave a text.
    pub fn complete(&mut self) {
        if let CallResult::Tool(tool) = self
            && !tool.has_text
        {
            add_text_twin(tool);
        }
    }

    /// Its size in bytes, about.
    pub fn length(&self) -> usize {
        match self {
            CallResult::Tool(tool) => {
                tool.content.as_ref().map_or(0, Vec::len) + tool.structured.as_ref().map_or(0, Vec::len)
            }
            CallResult::Prompt(prompt) => prompt.messages.len(),
            CallResult::Read(read) => read.contents.len(),
            CallResult::Completion(_) => 1024,
        }
    }

    /// Its `_meta`, a JSON object.
    pub fn meta(&self) -> Option<&[u8]> {
        match self {
            CallResult::Tool(result) => result.meta.as_deref(),
            CallResult::Prompt(result) => result.meta.as_deref(),
            CallResult::Read(result) => result.meta.as_deref(),
            CallResult::Completion(result) => result.meta.as_deref(),
        }
    }

    /// A tool error: `message` is for the model, which can mend what it says.
    pub fn tool_error(message: &str) -> CallResult {
        let mut content = Vec::with_capacity(message.len() + 32);
        ContentBlock::Text { text: message }.write(None, &mut content);
        CallResult::Tool(ToolResult {
            content: Some(content),
            has_text: true,
            is_error: true,
            ..ToolResult::default()
        })
    }
}
