//! The result of `prompts/get` (specification, server/prompts, "Getting a Prompt").

use super::document::{self, Document, DocumentFault};
use super::role::Role;
use super::{content, json_write, result_envelope};

/// A prompt's messages. Its parts are JSON texts as they are published: compact, and without null members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptResult {
    /// What the prompt is for, a JSON string.
    pub description: Option<Vec<u8>>,
    /// The messages with commas between them, without the brackets.
    pub messages: Vec<u8>,
    /// The `_meta` object.
    pub meta: Option<Vec<u8>>,
}

impl PromptResult {
    /// Checks `text`, a GetPromptResult, and takes it apart. `resultType` may stand there as `complete`.
    /// Unknown keys are refused by name.
    pub fn from_json(text: &[u8]) -> Result<Self, DocumentFault> {
        document::check_json(text, "")?;
        let result = Document::read(text, "", &["description", "messages", "_meta", "resultType"])?;
        let meta = result_envelope::check(&result)?;
        result.string("description")?;
        let description = result.raw("description").map(<[u8]>::to_vec);
        let Some(raw) = result.raw("messages") else {
            return Err(DocumentFault::new("", "\"messages\" is missing"));
        };
        let mut messages = Vec::with_capacity(raw.len());
        document::append_elements(&mut messages, raw, "/messages", append_checked)?;
        Ok(PromptResult { description, messages, meta })
    }

    /// Sets what the prompt is for.
    pub fn set_description(&mut self, text: &str) {
        let mut description = Vec::new();
        json_write::string(&mut description, text);
        self.description = Some(description);
    }

    /// Appends a message of one content block, which was checked or made by the library.
    pub fn append_message(&mut self, role: Role, block: &[u8]) {
        if !self.messages.is_empty() {
            self.messages.push(b',');
        }
        self.messages.extend_from_slice(b"{\"role\":\"");
        self.messages.extend_from_slice(role.name().as_bytes());
        self.messages.extend_from_slice(b"\",\"content\":");
        self.messages.extend_from_slice(block);
        self.messages.push(b'}');
    }
}

/// Checks one message given as JSON and appends it.
fn append_checked(out: &mut Vec<u8>, raw: &[u8], pointer: String) -> Result<(), DocumentFault> {
    let message = Document::read(raw, pointer, &["role", "content"])?;
    message.required_string("role")?;
    message.one_of("role", &Role::NAMES)?;
    let Some(raw) = message.raw("content") else {
        return Err(message.fault("content", "is missing; a message has one content block"));
    };
    let mut block = Vec::with_capacity(raw.len());
    content::append_checked(raw, &message.pointer_to("content"), &mut block)?;
    message.write(out, |name| (name == "content").then_some(&block));
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn takes_a_result_apart() {
        let result = PromptResult::from_json(
            br#"{"description":"a\u0062", "messages":[
                {"role":"user","content":{"type":"text","text":"hi","annotations":null}},
                {"content":{"type":"image","data":"","mimeType":"image/png"},"role":"assistant"}],
                "_meta":{"a": 1},"resultType":"complete"}"#,
        )
        .unwrap();
        assert_eq!(result.description.unwrap(), br#""a\u0062""#);
        assert_eq!(
            String::from_utf8(result.messages).unwrap(),
            r#"{"role":"user","content":{"type":"text","text":"hi"}},{"content":{"type":"image","data":"","mimeType":"image/png"},"role":"assistant"}"#
        );
        assert_eq!(result.meta.unwrap(), br#"{"a":1}"#);
    }

    #[test]
    fn builds_what_json_gives() {
        let mut built = PromptResult::default();
        built.set_description("d\"");
        built.append_message(Role::User, br#"{"type":"text","text":"a"}"#);
        built.append_message(Role::Assistant, br#"{"type":"text","text":"b"}"#);
        let text = br#"{"description":"d\"","messages":[{"role":"user","content":{"type":"text","text":"a"}},
            {"role":"assistant","content":{"type":"text","text":"b"}}]}"#;
        assert_eq!(built, PromptResult::from_json(text).unwrap());
        assert_eq!(PromptResult::from_json(br#"{"messages":[]}"#).unwrap(), PromptResult::default());
    }

    #[test]
    fn says_what_is_wrong_with_a_result() {
        for (text, wanted) in [
            ("{}", "\"messages\" is missing"),
            (r#"{"messages":{}}"#, "/messages: must be an array, not an object"),
            (r#"{"message":[]}"#, "unknown key \"message\"; did you mean \"messages\"?"),
            (r#"{"messages":[],"description":1}"#, "/description: must be a string, not a number"),
            (r#"{"messages":["hi"]}"#, "/messages/0: must be an object, not a string"),
            (r#"{"messages":[{"content":{}}]}"#, "/messages/0: \"role\" is missing"),
            (
                r#"{"messages":[{"role":"system","content":{}}]}"#,
                "/messages/0/role: \"system\" is not one of \"user\", \"assistant\"",
            ),
            (
                r#"{"messages":[{"role":"user"}]}"#,
                "/messages/0/content: is missing; a message has one content block",
            ),
            (
                r#"{"messages":[{"role":"user","content":[]}]}"#,
                "/messages/0/content: must be an object, not an array",
            ),
            (
                r#"{"messages":[{"role":"user","content":{"type":"text"}}]}"#,
                "/messages/0/content: \"text\" is missing",
            ),
            (
                r#"{"messages":[],"resultType":"input_required"}"#,
                "/resultType: only \"complete\" can be given as a result, not \"input_required\"",
            ),
        ] {
            assert_eq!(PromptResult::from_json(text.as_bytes()).unwrap_err().to_string(), wanted);
        }
    }
}
