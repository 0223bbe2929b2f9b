//! Results as the modern era has them.
//!
//! Specification: basic, "Results"; server/tools, server/prompts, server/resources, server/utilities/completion.

use crate::call::outcome::CallResult;
use crate::protocol::cache_hint::CacheHint;
use crate::protocol::json_scan::{JsonFault, Scanner};
use crate::protocol::tool_result::ToolResult;
use crate::server::identity::Identity;
use crate::server::result_members;

/// `resultType` of a result that is all there is.
pub const COMPLETE: &str = "complete";

/// `resultType` of a result that asks for input.
pub const INPUT_REQUIRED: &str = "input_required";

/// Appends what is the result's own, JSON members without braces. `cache` is for what a resource contains, unless its
/// handler said otherwise.
pub fn write_members(result: &CallResult, cache: CacheHint, out: &mut Vec<u8>) {
    match result {
        CallResult::Tool(tool) => {
            out.extend_from_slice(b"\"content\":[");
            out.extend_from_slice(tool.content.as_deref().unwrap_or_default());
            out.push(b']');
            write_behind_content(tool, out);
        }
        CallResult::Prompt(prompt) => result_members::prompt(prompt, &prompt.messages, out),
        CallResult::Read(read) => {
            result_members::contents(&read.contents, out);
            out.push(b',');
            read.cache.unwrap_or(cache).write(out);
        }
        CallResult::Completion(completion) => result_members::completion(completion, out),
    }
}

/// Appends the members of a tool's result that stand behind its content.
pub fn write_behind_content(tool: &ToolResult, out: &mut Vec<u8>) {
    if let Some(structured) = &tool.structured {
        out.extend_from_slice(b",\"structuredContent\":");
        out.extend_from_slice(structured);
    }
    if tool.is_error {
        out.extend_from_slice(b",\"isError\":true");
    }
}

/// Appends what every result has: `resultType`, and `_meta` where there is any.
pub fn close(out: &mut Vec<u8>, meta: Option<&[u8]>, kind: &str, identity: Option<&Identity>) {
    out.extend_from_slice(b",\"resultType\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.push(b'"');
    write_meta(out, meta, identity);
}

/// Appends `,"_meta":{...}` with the author's members and the server's name, or nothing where both lack.
fn write_meta(out: &mut Vec<u8>, author: Option<&[u8]>, identity: Option<&Identity>) {
    const SERVER_INFO: &[u8] = b"io.modelcontextprotocol/serverInfo";
    match (author, identity) {
        (None, None) => {}
        (None, Some(identity)) => {
            out.push(b',');
            identity.write_meta(out);
        }
        (Some(author), Some(identity)) if !has_member(author, SERVER_INFO) => {
            out.extend_from_slice(b",\"_meta\":{");
            identity.write_member(out);
            let members = author.trim_ascii().strip_prefix(b"{").unwrap_or_default();
            if members.trim_ascii_start() != b"}" {
                out.push(b',');
            }
            out.extend_from_slice(members);
        }
        (Some(author), _) => {
            out.extend_from_slice(b",\"_meta\":");
            out.extend_from_slice(author);
        }
    }
}

fn has_member(object: &[u8], name: &[u8]) -> bool {
    let mut found = false;
    let visited = Scanner::new(object, 0).object::<JsonFault>(|scanner, key| {
        found |= key.text().as_deref() == Some(name);
        scanner.value().map(drop)
    });
    visited.is_ok() && found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn meta(author: Option<&str>, named: bool) -> String {
        let identity = Identity::new("s", "1").unwrap();
        let mut out = Vec::new();
        write_meta(&mut out, author.map(str::as_bytes), named.then_some(&identity));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn names_the_server_beside_the_authors_own_meta() {
        let server = r#""io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}"#;
        let own = r#"{"io.modelcontextprotocol/serverInfo":{"name":"mine","version":"2"}}"#;
        assert_eq!(meta(None, false), "");
        assert_eq!(meta(None, true), format!(",\"_meta\":{{{server}}}"));
        assert_eq!(meta(Some("{}"), true), format!(",\"_meta\":{{{server}}}"));
        assert_eq!(meta(Some("{\"a/b\":1}"), true), format!(",\"_meta\":{{{server},\"a/b\":1}}"));
        assert_eq!(meta(Some("{\"a/b\":1}"), false), ",\"_meta\":{\"a/b\":1}");
        assert_eq!(meta(Some(own), true), format!(",\"_meta\":{own}"));
    }
}
