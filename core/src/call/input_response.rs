//! Whether what a client answers to a request for input is an answer to it. What is none counts as not answered: the
//! handler asks again, and nobody's code sees it.
//!
//! Specification: schema, `ElicitResult`, `CreateMessageResult`, `ListRootsResult`.

use serde_json::{Map, Value};

use super::form_content;
use crate::protocol::document::cut;
use crate::protocol::input_request::{InputKind, InputRequest};
use crate::protocol::json_decode;

/// Checks `response`, a client's JSON, against `request`. The fault names the place by JSON Pointer and the rule, for
/// a log: it quotes nothing of what a user or a model wrote. Members that the specification does not know are ignored,
/// and null is an absent member.
pub fn check_response(request: &InputRequest, response: &[u8]) -> Result<(), String> {
    let decoded = json_decode::decode(response).map_err(|fault| match &*fault.pointer {
        "" => fault.what.into(),
        pointer => format!("{}: {}", cut(pointer), fault.what),
    })?;
    let answer = decoded.as_object().ok_or("must be an object")?;
    match request.kind() {
        InputKind::Form => check_form(request, answer),
        InputKind::Url => check_visit(answer),
        InputKind::Sampling => check_message(answer),
        InputKind::Roots => check_roots(answer),
    }
}

fn check_form(request: &InputRequest, answer: &Map<String, Value>) -> Result<(), String> {
    if !is_accepted(answer)? {
        return Ok(());
    }
    let nothing = Map::new();
    let content = match present(answer, "content") {
        None => &nothing,
        Some(content) => content.as_object().ok_or("/content: must be an object")?,
    };
    let schema = request.requested_schema().and_then(|schema| json_decode::decode(schema).ok());
    form_content::check(&schema.unwrap_or_default(), content)
}

/// The page's own server learns what the user did there; the client says only whether it was opened.
fn check_visit(answer: &Map<String, Value>) -> Result<(), String> {
    let accepted = is_accepted(answer)?;
    match present(answer, "content").and_then(Value::as_object) {
        Some(content) if accepted && !content.is_empty() => {
            Err("/content: must be absent, as no form was asked for".into())
        }
        _ => Ok(()),
    }
}

fn is_accepted(answer: &Map<String, Value>) -> Result<bool, String> {
    match present(answer, "action").and_then(Value::as_str) {
        Some("accept") => Ok(true),
        Some("decline" | "cancel") => Ok(false),
        _ => Err("/action: must be \"accept\", \"decline\" or \"cancel\"".into()),
    }
}

fn check_message(answer: &Map<String, Value>) -> Result<(), String> {
    match present(answer, "role").and_then(Value::as_str) {
        Some("user" | "assistant") => {}
        _ => return Err("/role: must be \"user\" or \"assistant\"".into()),
    }
    check_string(answer, "", "model")?;
    check_optional_string(answer, "", "stopReason")?;
    match present(answer, "content") {
        Some(Value::Array(blocks)) => blocks
            .iter()
            .enumerate()
            .try_for_each(|(index, block)| check_block(block, &format!("/content/{index}"))),
        Some(block) => check_block(block, "/content"),
        None => Err("/content: must be a content block or an array of them".into()),
    }
}

fn check_block(block: &Value, at: &str) -> Result<(), String> {
    let members = block.as_object().ok_or_else(|| format!("{at}: must be a content block"))?;
    let check_kind = |name: &str, right: fn(&Value) -> bool, kind: &str| match present(members, name) {
        Some(value) if right(value) => Ok(()),
        _ => Err(format!("{at}/{name}: must be {kind}")),
    };
    match present(members, "type").and_then(Value::as_str) {
        Some("text") => check_string(members, at, "text"),
        Some("image" | "audio") => {
            check_string(members, at, "data")?;
            check_string(members, at, "mimeType")
        }
        Some("tool_use") => {
            check_string(members, at, "id")?;
            check_string(members, at, "name")?;
            check_kind("input", Value::is_object, "an object")
        }
        Some("tool_result") => {
            check_string(members, at, "toolUseId")?;
            check_kind("content", Value::is_array, "an array")
        }
        _ => {
            Err(format!("{at}/type: must be \"text\", \"image\", \"audio\", \"tool_use\" or \"tool_result\""))
        }
    }
}

fn check_roots(answer: &Map<String, Value>) -> Result<(), String> {
    let roots = present(answer, "roots").and_then(Value::as_array).ok_or("/roots: must be an array")?;
    for (index, root) in roots.iter().enumerate() {
        let at = format!("/roots/{index}");
        let root = root.as_object().ok_or_else(|| format!("{at}: must be an object"))?;
        let uri = present(root, "uri").and_then(Value::as_str).unwrap_or_default();
        if !uri.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("file://")) {
            return Err(format!("{at}/uri: must begin with file://"));
        }
        check_optional_string(root, &at, "name")?;
    }
    Ok(())
}

fn present<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

fn check_string(object: &Map<String, Value>, at: &str, name: &str) -> Result<(), String> {
    match present(object, name) {
        Some(Value::String(_)) => Ok(()),
        _ => Err(format!("{at}/{name}: must be a string")),
    }
}

fn check_optional_string(object: &Map<String, Value>, at: &str, name: &str) -> Result<(), String> {
    match present(object, name) {
        None => Ok(()),
        Some(_) => check_string(object, at, name),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}"#;
    const CONSENT: &str = r#"{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}"#;
    const URL: &str =
        r#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://e.example"}}"#;
    const SAMPLING: &str = r#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"a"}}],"maxTokens":9}}"#;
    const ROOTS: &str = r#"{"method":"roots/list"}"#;

    fn fault(request: &str, response: &str) -> Option<String> {
        let request = InputRequest::from_json(request.as_bytes()).unwrap();
        check_response(&request, response.as_bytes()).err()
    }

    #[test]
    fn knows_an_answer_to_each_kind_of_request() {
        let message = |content: &str| format!(r#"{{"role":"assistant","content":{content},"model":"m"}}"#);
        let text = r#"{"type":"text","text":""}"#;
        for (request, response) in [
            (FORM, r#"{"action":"accept","content":{"name":"Alice","more":[1]},"_meta":{}}"#.into()),
            (FORM, r#"{"action":"decline"}"#.into()),
            (FORM, r#"{"action":"cancel","content":{"name":5}}"#.into()),
            (CONSENT, r#"{"action":"accept"}"#.into()),
            (CONSENT, r#"{"action":"accept","content":null}"#.into()),
            (URL, r#"{"action":"accept"}"#.into()),
            (URL, r#"{"action":"accept","content":{}}"#.into()),
            (URL, r#"{"action":"decline","content":{"a":1}}"#.into()),
            (SAMPLING, message(text)),
            (SAMPLING, message(&format!("[{text},{text}]"))),
            (SAMPLING, message("[]")),
            (SAMPLING, message(r#"{"type":"image","data":"AA==","mimeType":"image/png","new":1}"#)),
            (SAMPLING, message(r#"[{"type":"tool_use","id":"1","name":"n","input":{}}]"#)),
            (SAMPLING, message(r#"{"type":"tool_result","toolUseId":"1","content":[]}"#)),
            (
                SAMPLING,
                format!(r#"{{"role":"user","content":{text},"model":"m","stopReason":"odd","_meta":null}}"#),
            ),
            (ROOTS, r#"{"roots":[]}"#.into()),
            (ROOTS, r#"{"roots":[{"uri":"file:///a","name":"A"},{"uri":"FILE://h/b","name":null}]}"#.into()),
        ] {
            assert_eq!(fault(request, &response), None, "{response}");
        }
    }

    #[test]
    fn says_why_something_is_no_answer_and_quotes_nothing_of_it() {
        let action = "/action: must be \"accept\", \"decline\" or \"cancel\"";
        let kinds = "/content/type: must be \"text\", \"image\", \"audio\", \"tool_use\" or \"tool_result\"";
        let message = |content: &str| format!(r#"{{"role":"assistant","content":{content},"model":"m"}}"#);
        for (request, response, wanted) in [
            (FORM, "12345".to_owned(), "must be an object"),
            (FORM, "null".into(), "must be an object"),
            (FORM, "{}".into(), action),
            (FORM, r#"{"action":"reject"}"#.into(), action),
            (
                FORM,
                r#"{"action":"accept","action":"cancel"}"#.into(),
                "/action: the member stands in its object twice",
            ),
            (FORM, r#"{"action":"accept"}"#.into(), "/content/name: required, but missing"),
            (FORM, r#"{"action":"accept","content":["x"]}"#.into(), "/content: must be an object"),
            (
                FORM,
                r#"{"action":"accept","content":{"name":["secret"]}}"#.into(),
                "/content/name: must be a string",
            ),
            (URL, r#"{"action":"accepted"}"#.into(), action),
            (
                URL,
                r#"{"action":"accept","content":{"a":1}}"#.into(),
                "/content: must be absent, as no form was asked for",
            ),
            (SAMPLING, r#"{"action":"accept"}"#.into(), "/role: must be \"user\" or \"assistant\""),
            (
                SAMPLING,
                r#"{"role":"assistant","content":{"type":"text","text":"a"}}"#.into(),
                "/model: must be a string",
            ),
            (
                SAMPLING,
                r#"{"role":"assistant","model":"m","stopReason":1}"#.into(),
                "/stopReason: must be a string",
            ),
            (
                SAMPLING,
                r#"{"role":"assistant","model":"m"}"#.into(),
                "/content: must be a content block or an array of them",
            ),
            (SAMPLING, message("\"hello\""), "/content: must be a content block"),
            (
                SAMPLING,
                message("[{}]"),
                "/content/0/type: must be \"text\", \"image\", \"audio\", \"tool_use\" or \"tool_result\"",
            ),
            (SAMPLING, message(r#"{"type":"video"}"#), kinds),
            (SAMPLING, message(r#"{"type":"text"}"#), "/content/text: must be a string"),
            (SAMPLING, message(r#"{"type":"audio","data":""}"#), "/content/mimeType: must be a string"),
            (
                SAMPLING,
                message(r#"{"type":"tool_use","id":"1","name":"n","input":"{}"}"#),
                "/content/input: must be an object",
            ),
            (
                SAMPLING,
                message(r#"{"type":"tool_result","toolUseId":"1"}"#),
                "/content/content: must be an array",
            ),
            (ROOTS, "{}".into(), "/roots: must be an array"),
            (ROOTS, r#"{"roots":["file:///a"]}"#.into(), "/roots/0: must be an object"),
            (
                ROOTS,
                r#"{"roots":[{"uri":"file:///a"},{"name":"b"}]}"#.into(),
                "/roots/1/uri: must begin with file://",
            ),
            (ROOTS, r#"{"roots":[{"uri":"https://a"}]}"#.into(), "/roots/0/uri: must begin with file://"),
            (ROOTS, r#"{"roots":[{"uri":"file:///a","name":1}]}"#.into(), "/roots/0/name: must be a string"),
            (ROOTS, "tru".into(), "the text is not JSON"),
            (
                ROOTS,
                format!("{{\"{}\":1e999}}", "a".repeat(1_000)),
                &format!("/{}...: the number is too large", "a".repeat(79)),
            ),
        ] {
            assert_eq!(fault(request, &response).as_deref(), Some(wanted), "{response}");
        }
    }
}
