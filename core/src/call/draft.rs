//! What a handler has put together of its result so far, by the kind of its call.

use super::outcome::CallResult;
use super::subject::Subject;
use super::text_twin::{append_block, append_text};
use crate::host_error::HostError;
use crate::protocol::cache_hint::CacheHint;
use crate::protocol::completion_result::CompletionResult;
use crate::protocol::content::{self, BlockKind, ContentBlock};
use crate::protocol::document::DocumentFault;
use crate::protocol::prompt_result::PromptResult;
use crate::protocol::read_result::ReadResult;
use crate::protocol::resource_contents::ResourceContents;
use crate::protocol::role::Role;
use crate::protocol::tool_result::ToolResult;

/// A result that grows.
#[derive(Debug)]
pub struct Draft {
    result: CallResult,
    /// Whose message the next block of a prompt is.
    role: Role,
}

impl Draft {
    /// An empty result of a call of `subject`.
    pub fn new(subject: &Subject) -> Self {
        let result = match subject {
            Subject::Tool(_) => CallResult::Tool(ToolResult::default()),
            Subject::Prompt(_) => CallResult::Prompt(PromptResult::default()),
            Subject::Resource(..) => CallResult::Read(ReadResult::default()),
            Subject::Completion(_) => CallResult::Completion(CompletionResult::default()),
        };
        Draft { result, role: Role::User }
    }

    /// The result, of which nothing stays here.
    pub fn take(&mut self) -> CallResult {
        match &mut self.result {
            CallResult::Tool(result) => CallResult::Tool(std::mem::take(result)),
            CallResult::Prompt(result) => CallResult::Prompt(std::mem::take(result)),
            CallResult::Read(result) => CallResult::Read(std::mem::take(result)),
            CallResult::Completion(result) => CallResult::Completion(std::mem::take(result)),
        }
    }

    /// Whose message the next block of a prompt is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Puts a result back that was refused.
    pub fn put_back(&mut self, result: CallResult) {
        self.result = result;
    }

    /// Adds a content block: to a tool's result, as a message of a prompt, or as contents of a resource.
    pub fn add(&mut self, subject: &Subject, block: ContentBlock<'_>) -> Result<(), HostError> {
        add_block(&mut self.result, subject, self.role, block)
    }

    /// Adds a content block given as JSON; to what a resource contains, an item of its `contents`.
    pub fn add_json(&mut self, subject: &Subject, json: &[u8]) -> Result<(), HostError> {
        let refused = |fault: DocumentFault| HostError::InvalidArgument(format!("content block: {fault}"));
        match &mut self.result {
            CallResult::Read(result) => result.append_json(json).map_err(refused),
            CallResult::Completion(_) => Err(subject.has_no("content")),
            CallResult::Tool(result) => {
                let mut block = Vec::new();
                let kind = content::append_checked(json, "", &mut block).map_err(refused)?;
                result.has_text |= kind == BlockKind::Text;
                append_block(result, block);
                Ok(())
            }
            CallResult::Prompt(result) => {
                let mut block = Vec::new();
                content::append_checked(json, "", &mut block).map_err(refused)?;
                result.append_message(self.role, &block);
                Ok(())
            }
        }
    }

    /// Sets whose messages the following blocks are.
    pub fn set_role(&mut self, subject: &Subject, role: Role) -> Result<(), HostError> {
        match &self.result {
            CallResult::Prompt(_) => self.role = role,
            _ => return Err(subject.has_no("roles")),
        }
        Ok(())
    }

    /// Sets a prompt's description.
    pub fn set_description(&mut self, subject: &Subject, text: &str) -> Result<(), HostError> {
        match &mut self.result {
            CallResult::Prompt(result) => result.set_description(text),
            _ => return Err(subject.has_no("description")),
        }
        Ok(())
    }

    /// Sets a tool's structured content, compact JSON.
    pub fn set_structured(&mut self, subject: &Subject, json: Vec<u8>) -> Result<(), HostError> {
        match &mut self.result {
            CallResult::Tool(result) => result.structured = Some(json),
            _ => return Err(subject.has_no("structured content")),
        }
        Ok(())
    }

    /// Sets the `_meta` of the result, a compact JSON object.
    pub fn set_meta(&mut self, json: Vec<u8>) {
        let meta = match &mut self.result {
            CallResult::Tool(result) => &mut result.meta,
            CallResult::Prompt(result) => &mut result.meta,
            CallResult::Read(result) => &mut result.meta,
            CallResult::Completion(result) => &mut result.meta,
        };
        *meta = Some(json);
    }

    /// Sets for how long a resource's contents count as fresh.
    pub fn set_cache(&mut self, subject: &Subject, cache: CacheHint) -> Result<(), HostError> {
        match &mut self.result {
            CallResult::Read(result) => result.cache = Some(cache),
            _ => return Err(subject.has_no("caching of its own")),
        }
        Ok(())
    }

    /// Adds a value to a completion.
    pub fn add_completion(&mut self, subject: &Subject, value: &str) -> Result<(), HostError> {
        match &mut self.result {
            CallResult::Completion(result) => result.append(value),
            _ => return Err(subject.has_no("values")),
        }
        Ok(())
    }

    /// Sets how many values there are in all.
    pub fn set_completion_total(&mut self, subject: &Subject, total: u64) -> Result<(), HostError> {
        match &mut self.result {
            CallResult::Completion(result) => result.set_total(total),
            _ => return Err(subject.has_no("total")),
        }
        Ok(())
    }
}

/// Reads a whole result of the kind of `subject`.
pub fn whole_result(subject: &Subject, json: &[u8]) -> Result<CallResult, DocumentFault> {
    match subject {
        Subject::Tool(_) => ToolResult::from_json(json).map(CallResult::Tool),
        Subject::Prompt(_) => PromptResult::from_json(json).map(CallResult::Prompt),
        Subject::Resource(..) => ReadResult::from_json(json).map(CallResult::Read),
        Subject::Completion(_) => CompletionResult::from_json(json).map(CallResult::Completion),
    }
}

/// Adds a block to `result`; to a prompt's, as a message of `role`.
pub fn add_block(
    result: &mut CallResult,
    subject: &Subject,
    role: Role,
    block: ContentBlock<'_>,
) -> Result<(), HostError> {
    match result {
        CallResult::Tool(result) => {
            if let ContentBlock::Text { text } = block {
                append_text(result, text);
                result.has_text = true;
            } else {
                let mut written = Vec::new();
                block.write(None, &mut written);
                append_block(result, written);
            }
        }
        CallResult::Prompt(result) => {
            let mut written = Vec::new();
            block.write(None, &mut written);
            result.append_message(role, &written);
        }
        CallResult::Read(result) => append_contents(result, subject, block)?,
        CallResult::Completion(_) => return Err(subject.has_no("content")),
    }
    Ok(())
}

/// Contents of a resource are those of the URI that was read, unless they say otherwise.
fn append_contents(
    result: &mut ReadResult,
    subject: &Subject,
    block: ContentBlock<'_>,
) -> Result<(), HostError> {
    let (own_uri, own_type, own_meta) = match subject {
        Subject::Resource(contract, uri) => {
            (&**uri, contract.mime_type.as_deref(), contract.contents_meta.as_deref())
        }
        _ => (subject.name(), None, None),
    };
    let (uri, mime_type, contents) = match block {
        ContentBlock::Text { text } => (own_uri, own_type, ResourceContents::Text(text)),
        ContentBlock::Image { data, mime_type } | ContentBlock::Audio { data, mime_type } => {
            (own_uri, Some(mime_type), ResourceContents::Blob(data))
        }
        ContentBlock::Resource { uri, mime_type, contents } => (uri, mime_type.or(own_type), contents),
        ContentBlock::ResourceLink { .. } => return Err(subject.has_no("links")),
    };
    let meta = own_meta.filter(|_| uri == own_uri);
    let appended = result.append(uri, mime_type, contents, meta);
    appended.map_err(|fault| HostError::InvalidArgument(format!("contents: {fault}")))
}
