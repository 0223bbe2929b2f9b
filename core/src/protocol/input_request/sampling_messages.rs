//! The messages that a language model is to go on from, and the order that uses of tools and their results keep.
//!
//! Specification: client/sampling, "Messages" and "Message Content Constraints".

use super::super::document::{self, Document, DocumentFault, cut};
use super::super::meta_key;
use super::sampling_content::{self, Block};

/// Checks `raw`, the array at `pointer`, and returns it as it is published.
pub fn published(raw: &[u8], pointer: &str) -> Result<Vec<u8>, DocumentFault> {
    let messages = document::array(raw, pointer)?;
    if messages.is_empty() {
        return Err(DocumentFault::new(pointer, "must hold at least one message"));
    }
    let mut out = vec![b'['];
    let mut used = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let at = format!("{pointer}/{index}");
        let (role, blocks) = append_published(message, &at, &mut out)?;
        used = check_order(&role, &blocks, &used).map_err(|message| DocumentFault::new(at, message))?;
    }
    if !used.is_empty() {
        let at = format!("{pointer}/{}", messages.len() - 1);
        let message = format!("a message with the results of {} must follow", listed(&used));
        return Err(DocumentFault::new(at, message));
    }
    out.push(b']');
    Ok(out)
}

/// Checks one message and appends it; returns its role and what it holds.
fn append_published(raw: &[u8], at: &str, out: &mut Vec<u8>) -> Result<(String, Vec<Block>), DocumentFault> {
    let message = Document::read(raw, at, &["role", "content", "_meta"])?;
    let role = message.required_string("role")?.into_owned();
    message.one_of("role", &["user", "assistant"])?;
    if let Some(meta) = message.raw("_meta") {
        meta_key::check_object(meta, &message.pointer_to("_meta"))?;
    }
    let Some(content) = message.raw("content") else {
        return Err(DocumentFault::new(
            at,
            "\"content\" is missing; it is a content block or an array of them",
        ));
    };
    let pointer = message.pointer_to("content");
    let mut published = Vec::new();
    let mut blocks = Vec::new();
    if content.first() == Some(&b'[') {
        published.push(b'[');
        for (index, block) in document::array(content, &pointer)?.into_iter().enumerate() {
            if index > 0 {
                published.push(b',');
            }
            let at = format!("{pointer}/{index}");
            blocks.push(sampling_content::append_published(block, &at, &mut published)?);
        }
        published.push(b']');
    } else {
        blocks.push(sampling_content::append_published(content, &pointer, &mut published)?);
    }
    if blocks.is_empty() {
        return Err(DocumentFault::new(pointer, "must hold at least one content block"));
    }
    message.write(out, |name| (name == "content").then_some(published.as_slice()));
    Ok((role, blocks))
}

/// Checks a message against the uses of tools in the one before it, `used`, and returns the uses in this one.
fn check_order(role: &str, blocks: &[Block], used: &[String]) -> Result<Vec<String>, String> {
    let mut uses: Vec<String> = Vec::new();
    let mut results: Vec<String> = Vec::new();
    for block in blocks {
        let (ids, id) = match block {
            Block::Plain => continue,
            Block::ToolUse(id) => (&mut uses, id),
            Block::ToolResult(id) => (&mut results, id),
        };
        if ids.contains(id) {
            return Err(format!("the tool use \"{}\" stands twice in it", cut(id)));
        }
        ids.push(id.clone());
    }
    if !uses.is_empty() && role != "assistant" {
        return Err("only the assistant uses tools: its role must be \"assistant\"".into());
    }
    if !results.is_empty() && role != "user" {
        return Err("results of tools come from the user: its role must be \"user\"".into());
    }
    if !results.is_empty() && results.len() != blocks.len() {
        return Err("a message with results of tools must hold nothing else".into());
    }
    if let Some(other) = results.iter().find(|id| !used.contains(id)) {
        return Err(format!("the message before it has no tool use \"{}\"", cut(other)));
    }
    let open: Vec<String> = used.iter().filter(|id| !results.contains(id)).cloned().collect();
    if !open.is_empty() {
        return Err(format!("must hold the results of {}, which the message before it has", listed(&open)));
    }
    Ok(uses)
}

fn listed(ids: &[String]) -> String {
    let quoted: Vec<String> = ids.iter().take(5).map(|id| format!("\"{}\"", cut(id))).collect();
    let plural = if ids.len() == 1 { "" } else { "s" };
    let rest = if ids.len() > 5 { " and more" } else { "" };
    format!("the tool use{plural} {}{rest}", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const TEXT: &str = r#"{"type":"text","text":"a"}"#;

    fn message(role: &str, content: &str) -> String {
        format!(r#"{{"role":"{role}","content":{content}}}"#)
    }

    fn uses(ids: &[&str]) -> String {
        let blocks: Vec<_> = ids
            .iter()
            .map(|id| format!(r#"{{"type":"tool_use","id":"{id}","name":"n","input":{{}}}}"#))
            .collect();
        message("assistant", &format!("[{}]", blocks.join(",")))
    }

    fn results(ids: &[&str]) -> String {
        let blocks: Vec<_> = ids
            .iter()
            .map(|id| format!(r#"{{"type":"tool_result","toolUseId":"{id}","content":[]}}"#))
            .collect();
        message("user", &format!("[{}]", blocks.join(",")))
    }

    fn fault(messages: &[String]) -> Option<String> {
        let raw = format!("[{}]", messages.join(","));
        match published(raw.as_bytes(), "/m") {
            Ok(out) => {
                assert_eq!(String::from_utf8(out).unwrap(), raw);
                None
            }
            Err(fault) => Some(fault.to_string()),
        }
    }

    #[test]
    fn publishes_messages_as_they_were_written() {
        for messages in [
            vec![message("user", TEXT)],
            vec![message("user", &format!("[{TEXT},{TEXT}]")), message("assistant", TEXT)],
            vec![message("user", TEXT), uses(&["1", "2"]), results(&["2", "1"]), message("assistant", TEXT)],
            vec![uses(&["1"]), results(&["1"]), uses(&["1"]), results(&["1"])],
        ] {
            assert_eq!(fault(&messages), None);
        }
        let raw =
            r#"[{"role":"user","_meta":null, "content":{"text":"a","type":"text","annotations":null}}]"#;
        let wanted = r#"[{"role":"user","content":{"text":"a","type":"text"}}]"#;
        assert_eq!(String::from_utf8(published(raw.as_bytes(), "/m").unwrap()).unwrap(), wanted);
    }

    #[test]
    fn says_what_is_wrong_with_messages() {
        let mixed = format!(r#"[{{"type":"tool_result","toolUseId":"1","content":[]}},{TEXT}]"#);
        for (messages, wanted) in [
            (vec![], "/m: must hold at least one message"),
            (vec!["5".to_owned()], "/m/0: must be an object, not a number"),
            (vec![message("system", TEXT)], "/m/0/role: \"system\" is not one of \"user\", \"assistant\""),
            (
                vec![r#"{"role":"user"}"#.into()],
                "/m/0: \"content\" is missing; it is a content block or an array of them",
            ),
            (vec![message("user", "\"hello\"")], "/m/0/content: must be an object, not a string"),
            (vec![message("user", "[]")], "/m/0/content: must hold at least one content block"),
            (vec![message("user", "[5]")], "/m/0/content/0: must be an object, not a number"),
            (
                vec![uses(&["1"]).replace("assistant", "user")],
                "/m/0: only the assistant uses tools: its role must be \"assistant\"",
            ),
            (
                vec![uses(&["1"]), results(&["1"]).replace("user", "assistant")],
                "/m/1: results of tools come from the user: its role must be \"user\"",
            ),
            (
                vec![uses(&["1"]), message("user", &mixed)],
                "/m/1: a message with results of tools must hold nothing else",
            ),
            (vec![results(&["1"])], "/m/0: the message before it has no tool use \"1\""),
            (vec![uses(&["1"])], "/m/0: a message with the results of the tool use \"1\" must follow"),
            (
                vec![uses(&["1", "2", "3"]), results(&["2"])],
                "/m/1: must hold the results of the tool uses \"1\", \"3\", which the message before it has",
            ),
            (
                vec![uses(&["1"]), message("user", TEXT)],
                "/m/1: must hold the results of the tool use \"1\", which the message before it has",
            ),
            (vec![uses(&["1", "1"])], "/m/0: the tool use \"1\" stands twice in it"),
        ] {
            assert_eq!(fault(&messages).as_deref(), Some(wanted));
        }
    }
}
