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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use serde_json::{Value, json};

    use crate::call::handler::Dispatch;
    use crate::call::invocation::Call;
    use crate::protocol::content::ContentBlock;
    use crate::protocol::revision::Revision;
    use crate::server::conversation::{add_defined, add_prompt, add_resource, server};
    use crate::server::legacy::conversation::{Client, LEGACY};

    /// What each legacy revision gets of a tool that returns `structured`, the oldest first.
    fn structured(output_schema: Value, structured: &'static str) -> Vec<Value> {
        let server = server();
        let definition =
            json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": output_schema});
        add_defined(&server, definition, Dispatch::Inline, move |call: &Arc<Call>| {
            call.set_structured(structured.as_bytes()).unwrap();
            call.finish().unwrap();
        });
        let results =
            LEGACY.map(|revision| Client::begin(&server, revision).call("t", json!({}))["result"].clone());
        for result in &results {
            assert_eq!(result["content"], json!([{"type": "text", "text": structured}]), "its text twin");
        }
        results.iter().map(|result| result["structuredContent"].clone()).collect()
    }

    #[test]
    fn structured_content_is_an_object_and_is_told_from_2025_06_18_on() {
        let (object, array) = (json!({"type": "object"}), json!({"type": "array"}));
        for (schema, value, wanted) in [
            (Value::Null, r#"{"a":1}"#, json!({"a": 1})),
            (Value::Null, "[1,2]", json!({"result": [1, 2]})),
            (Value::Null, "\"text\"", json!({"result": "text"})),
            (object, r#"{"a":1}"#, json!({"a": 1})),
            (array, "[1,2]", json!({"result": [1, 2]})),
            // By the schema, not by the value.
            (json!({}), r#"{"a":1}"#, json!({"result": {"a": 1}})),
            (json!({}), "null", json!({"result": null})),
        ] {
            let told = structured(schema.clone(), value);
            assert_eq!(told, [Value::Null, Value::Null, wanted.clone(), wanted], "{schema} {value}");
        }
    }

    #[test]
    fn content_is_told_as_each_revision_knows_it() {
        let server = server();
        let definition = json!({"name": "t", "inputSchema": {"type": "object"}});
        add_defined(&server, definition, Dispatch::Inline, |call: &Arc<Call>| {
            call.add_content(ContentBlock::Audio { data: b"s", mime_type: "audio/wav" }).unwrap();
            call.add_content_json(br#"{"type": "resource_link", "uri": "x:1", "name": "one"}"#).unwrap();
            call.finish().unwrap();
        });
        add_prompt(&server, json!({"name": "p"}), |call: &Arc<Call>| {
            call.add_content_json(br#"{"type": "resource_link", "uri": "x:1", "name": "one"}"#).unwrap();
            call.finish().unwrap();
        });
        add_resource(&server, json!({"uri": "x:1", "name": "one"}), |call: &Arc<Call>| {
            call.add_content_json(br#"{"uri": "x:1", "text": "a", "_meta": {"com.x/y": 1}}"#).unwrap();
            call.finish().unwrap();
        });
        for revision in LEGACY {
            let client = Client::begin(&server, revision);
            let content = client.call("t", json!({}))["result"]["content"].clone();
            let audio = if revision >= Revision::V2025_03_26 { "audio" } else { "resource" };
            let link = if revision >= Revision::V2025_06_18 { "resource_link" } else { "text" };
            let types = (&content[0]["type"], &content[1]["type"]);
            assert_eq!(types, (&json!(audio), &json!(link)), "{}", revision.name());
            let prompt = client.ask("prompts/get", json!({"name": "p"}));
            assert_eq!(prompt["result"]["messages"][0]["content"]["type"], link);
            let read = client.ask("resources/read", json!({"uri": "x:1"}));
            let has_meta = read["result"]["contents"][0].get("_meta").is_some();
            assert_eq!(has_meta, revision >= Revision::V2025_06_18);
        }
    }
}
