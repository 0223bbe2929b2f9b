//! Results as the revisions of the legacy era have them.
//!
//! Specification: 2025-11-25 and before, the schema of each.

use std::borrow::Cow;

use super::answering;
use crate::call::contract::ToolContract;
use crate::call::outcome::CallResult;
use crate::protocol::content_by_revision;
use crate::protocol::message::Message;
use crate::protocol::request_id::RequestId;
use crate::protocol::revision::Revision;
use crate::protocol::tool_result::ToolResult;
use crate::schema::object_wrapping;
use crate::server::result_members;

/// The answer to `id` with `result`; of a tool, as its `contract` says.
pub fn write(
    revision: Revision,
    id: &RequestId,
    contract: Option<&ToolContract>,
    mut result: CallResult,
) -> Message {
    let mut out = answering::open(id, 64 + result.length());
    out.push(b'{');
    match &mut result {
        CallResult::Tool(tool) => write_tool(revision, contract, tool, &mut out),
        CallResult::Prompt(prompt) => {
            let messages = content_by_revision::messages(std::mem::take(&mut prompt.messages), revision);
            result_members::prompt(prompt, &messages, &mut out);
        }
        CallResult::Read(read) => {
            let contents = content_by_revision::resources(std::mem::take(&mut read.contents), revision);
            result_members::contents(&contents, &mut out);
        }
        CallResult::Completion(completion) => result_members::completion(completion, &mut out),
    }
    if let Some(meta) = result.meta() {
        out.extend_from_slice(b",\"_meta\":");
        out.extend_from_slice(meta);
    }
    out.extend_from_slice(b"}}");
    Message::whole(out)
}

fn write_tool(revision: Revision, contract: Option<&ToolContract>, tool: &mut ToolResult, out: &mut Vec<u8>) {
    let content = content_by_revision::blocks(tool.content.take().unwrap_or_default(), revision);
    out.extend_from_slice(b"\"content\":[");
    out.extend_from_slice(&content);
    out.push(b']');
    if let Some(structured) = &tool.structured
        && revision.has_structured_content()
    {
        out.extend_from_slice(b",\"structuredContent\":");
        out.extend_from_slice(&as_object(contract, structured));
    }
    if tool.is_error {
        out.extend_from_slice(b",\"isError\":true");
    }
}

/// Structured content must be an object here. Where the tool's output schema was wrapped for these clients, every
/// value is; where it has none, what is no object.
fn as_object<'a>(contract: Option<&ToolContract>, structured: &'a [u8]) -> Cow<'a, [u8]> {
    let wraps = match contract {
        Some(contract) if contract.output.is_some() => contract.wraps_output,
        _ => !structured.starts_with(b"{"),
    };
    if wraps {
        let mut wrapped = Vec::new();
        object_wrapping::wrap_value(structured, &mut wrapped);
        return wrapped.into();
    }
    structured.into()
}
