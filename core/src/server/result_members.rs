//! What results have in every revision, as JSON members without braces.

use crate::protocol::completion_result::CompletionResult;
use crate::protocol::prompt_result::PromptResult;

/// Appends the members of a prompt's result, with `messages` as the client's revision has them.
pub fn prompt(prompt: &PromptResult, messages: &[u8], out: &mut Vec<u8>) {
    if let Some(description) = &prompt.description {
        out.extend_from_slice(b"\"description\":");
        out.extend_from_slice(description);
        out.push(b',');
    }
    out.extend_from_slice(b"\"messages\":[");
    out.extend_from_slice(messages);
    out.push(b']');
}

/// Appends what a resource contains, as the client's revision has it.
pub fn contents(contents: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"contents\":[");
    out.extend_from_slice(contents);
    out.push(b']');
}

/// Appends a completion.
pub fn completion(completion: &CompletionResult, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"completion\":");
    completion.write(out);
}
