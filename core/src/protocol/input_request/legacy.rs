//! A request for input in the words of older revisions.
//!
//! What an older revision merely does not know, as a `mode` or the titles of choices, is taken away or said otherwise.
//! What it has no words for, as several choices, makes the request one that its clients cannot be asked.

use std::borrow::Cow;

use super::super::definition_field::Field;
use super::super::revision::Revision;
use super::super::tool_definition::ToolDefinition;
use super::super::{document, json_members, json_write};
use super::{InputKind, text_of};

/// The params for a client of `revision`, from those of the newest, which were checked.
pub fn params(
    kind: InputKind,
    params: &[u8],
    revision: Revision,
    elicitation_id: Option<&str>,
) -> Result<Vec<u8>, String> {
    match kind {
        InputKind::Form | InputKind::Url if !revision.has_elicitation() => lacks(revision, "elicitation"),
        InputKind::Form if !revision.has_url_elicitation() => old_form(params, revision),
        InputKind::Url if !revision.has_url_elicitation() => lacks(revision, "elicitation by URL"),
        InputKind::Url => {
            let id = elicitation_id.ok_or("a page to visit needs an elicitation id in this revision")?;
            let mut raw = Vec::new();
            json_write::string(&mut raw, id);
            Ok(json_members::with(params, "elicitationId", &raw))
        }
        InputKind::Sampling => sampling(params, revision),
        InputKind::Form | InputKind::Roots => Ok(params.to_vec()),
    }
}

fn lacks<T>(revision: Revision, what: &str) -> Result<T, String> {
    Err(format!("revision {} has no {what}, and the client speaks no newer one", revision.name()))
}

/// A form without `mode` and `$schema`, whose choices are named by `enumNames`. Defaults stay: to a client that does
/// not know them they are annotations.
fn old_form(params: &[u8], revision: Revision) -> Result<Vec<u8>, String> {
    let schema = json_members::get(params, "requestedSchema").unwrap_or_default();
    let fields = json_members::get(schema, "properties").unwrap_or_default();
    let is_of_several = |field: &[u8]| text_of(field, "type").as_deref() == Some("array");
    if document::object(fields, "").unwrap_or_default().iter().any(|(_, field)| is_of_several(field)) {
        return lacks(revision, "form fields with several choices");
    }
    let mut old_fields = Vec::new();
    json_members::append_changed(&mut old_fields, fields, |_, field| Some(old_field(field)));
    let mut old_schema = Vec::new();
    json_members::append_changed(&mut old_schema, schema, |name, value| match name {
        "$schema" => None,
        "properties" => Some(Cow::Borrowed(old_fields.as_slice())),
        _ => Some(Cow::Borrowed(value)),
    });
    let mut out = Vec::new();
    json_members::append_changed(&mut out, params, |name, value| match name {
        "mode" => None,
        "requestedSchema" => Some(Cow::Borrowed(old_schema.as_slice())),
        _ => Some(Cow::Borrowed(value)),
    });
    Ok(out)
}

/// A field with `enum` and `enumNames` where it has titled choices.
fn old_field(field: &[u8]) -> Cow<'_, [u8]> {
    let Some(choices) = json_members::get(field, "oneOf") else { return Cow::Borrowed(field) };
    let all = |name: &str| {
        let values: Vec<&[u8]> =
            elements(choices).into_iter().filter_map(|choice| json_members::get(choice, name)).collect();
        array(&values)
    };
    let mut out = Vec::new();
    json_members::append_without(&mut out, field, &["oneOf"]);
    let out = json_members::with(&out, "enum", &all("const"));
    Cow::Owned(json_members::with(&out, "enumNames", &all("title")))
}

fn sampling(params: &[u8], revision: Revision) -> Result<Vec<u8>, String> {
    let tools = json_members::get(params, "tools");
    if tools.or(json_members::get(params, "toolChoice")).is_some() && !revision.has_sampling_tools() {
        return lacks(revision, "tools in sampling");
    }
    let mut messages = Vec::new();
    for message in elements(json_members::get(params, "messages").unwrap_or_default()) {
        if revision.has_sampling_tools() {
            messages.push(with_object_results(message));
        } else {
            split_message(message, revision, &mut messages)?;
        }
    }
    let messages = array(&messages);
    let tools = tools.map(|tools| {
        let tools: Vec<Vec<u8>> = elements(tools).into_iter().map(|tool| old_tool(tool, revision)).collect();
        array(&tools)
    });
    let mut out = Vec::new();
    json_members::append_changed(&mut out, params, |name, value| match name {
        "messages" => Some(Cow::Borrowed(messages.as_slice())),
        "tools" => tools.as_deref().map(Cow::Borrowed),
        _ => Some(Cow::Borrowed(value)),
    });
    Ok(out)
}

/// A message whose results of tools have structured content only where that is an object, as it had to be once.
fn with_object_results(message: &[u8]) -> Vec<u8> {
    let content = json_members::get(message, "content").unwrap_or_default();
    let is_array = content.first() == Some(&b'[');
    let blocks = if is_array { elements(content) } else { vec![content] };
    let blocks: Vec<Cow<'_, [u8]>> = blocks
        .into_iter()
        .map(|block| match json_members::get(block, "structuredContent") {
            Some(value) if value.first() != Some(&b'{') => without(block, &["structuredContent"]).into(),
            _ => Cow::Borrowed(block),
        })
        .collect();
    let content = if is_array { array(&blocks) } else { blocks.concat() };
    json_members::with(message, "content", &content)
}

/// Appends a message as several, as messages once had one content block each.
fn split_message(message: &[u8], revision: Revision, out: &mut Vec<Vec<u8>>) -> Result<(), String> {
    let content = json_members::get(message, "content").unwrap_or_default();
    let blocks = if content.first() == Some(&b'[') { elements(content) } else { vec![content] };
    for block in blocks {
        match text_of(block, "type").as_deref() {
            Some("tool_use" | "tool_result") => return lacks(revision, "tools in sampling"),
            Some("audio") if !revision.has_audio() => return lacks(revision, "audio"),
            _ => {}
        }
        let mut block =
            if revision.has_meta_everywhere() { block.to_vec() } else { without(block, &["_meta"]) };
        if let Some(annotations) =
            json_members::get(&block, "annotations").filter(|_| !revision.has_last_modified())
        {
            let known = without(annotations, &["lastModified"]);
            block = json_members::with(&block, "annotations", &known);
        }
        let message = without(message, &["_meta"]);
        out.push(json_members::with(&message, "content", &block));
    }
    Ok(())
}

/// A tool as the revision lists it, with an output schema only where that is one of objects, as it had to be once.
fn old_tool(text: &[u8], revision: Revision) -> Vec<u8> {
    let Ok(mut tool) = ToolDefinition::from_json(text) else { return text.to_vec() };
    let output = tool.raw(Field::OutputSchema);
    if output.is_some_and(|schema| text_of(schema, "type").as_deref() != Some("object")) {
        // Taking a member away never fails: nothing else depends on it.
        let _ = tool.set_json(Field::OutputSchema, b"null");
    }
    let mut out = Vec::new();
    tool.write(revision, &mut out);
    out
}

fn elements(array: &[u8]) -> Vec<&[u8]> {
    document::array(array, "").unwrap_or_default()
}

fn array(elements: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let mut out = vec![b'['];
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(element.as_ref());
    }
    out.push(b']');
    out
}

fn without(object: &[u8], names: &[&str]) -> Vec<u8> {
    let mut out = Vec::with_capacity(object.len());
    json_members::append_without(&mut out, object, names);
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::InputRequest;
    use super::*;

    const ALL: [Revision; 4] = Revision::NEGOTIATED;
    const NEWEST: Revision = Revision::V2025_11_25;
    const MIDDLE: Revision = Revision::V2025_06_18;
    const SECOND: Revision = Revision::V2025_03_26;
    const FIRST: Revision = Revision::V2024_11_05;

    /// The params of a request with these, in the words of `revision`.
    fn old(method: &str, params: &str, revision: Revision, id: Option<&str>) -> Result<String, String> {
        let request =
            InputRequest::from_json(format!(r#"{{"method":"{method}","params":{params}}}"#).as_bytes())
                .unwrap();
        request.legacy_params(revision, id).map(|out| String::from_utf8(out).unwrap())
    }

    #[test]
    fn says_a_form_in_the_words_of_each_revision_that_has_forms() {
        let form = |field: &str, schema: &str, mode: &str| {
            format!(
                r#"{{{mode}"message":"m","requestedSchema":{{{schema}"type":"object","properties":{{"a":{field}}},"required":["a"]}}}}"#
            )
        };
        let (mode, schema) =
            (r#""mode":"form","#, r#""$schema":"https://json-schema.org/draft/2020-12/schema","#);
        for (field, wanted) in [
            (
                r#"{"type":"string","format":"date","default":"x"}"#,
                r#"{"type":"string","format":"date","default":"x"}"#,
            ),
            (r#"{"type":"boolean"}"#, r#"{"type":"boolean"}"#),
            (
                r#"{"type":"string","enum":["a"],"enumNames":["A"]}"#,
                r#"{"type":"string","enum":["a"],"enumNames":["A"]}"#,
            ),
            (
                r#"{"type":"string","oneOf":[{"const":"a","title":"A"},{"title":"B\"","const":"b"}],"default":"b"}"#,
                r#"{"type":"string","default":"b","enum":["a","b"],"enumNames":["A","B\""]}"#,
            ),
        ] {
            let params = form(field, schema, mode);
            assert_eq!(old("elicitation/create", &params, NEWEST, None), Ok(params.clone()));
            assert_eq!(old("elicitation/create", &params, MIDDLE, None), Ok(form(wanted, "", "")));
            for revision in [SECOND, FIRST] {
                let fault = old("elicitation/create", &params, revision, None).unwrap_err();
                assert!(fault.ends_with("has no elicitation, and the client speaks no newer one"), "{fault}");
            }
        }
        let several = form(r#"{"type":"arr\u0061y","items":{"type":"string","enum":["a"]}}"#, "", "");
        assert_eq!(old("elicitation/create", &several, NEWEST, None), Ok(several.clone()));
        assert_eq!(
            old("elicitation/create", &several, MIDDLE, None).unwrap_err(),
            "revision 2025-06-18 has no form fields with several choices, and the client speaks no newer one"
        );
    }

    #[test]
    fn gives_a_page_to_visit_its_id_where_there_are_pages() {
        let params = r#"{"mode":"url","message":"m","url":"https://e.example"}"#;
        let wanted = r#"{"mode":"url","message":"m","url":"https://e.example","elicitationId":"i\"1"}"#;
        assert_eq!(old("elicitation/create", params, NEWEST, Some("i\"1")), Ok(wanted.into()));
        assert!(old("elicitation/create", params, NEWEST, None).unwrap_err().contains("elicitation id"));
        for revision in [MIDDLE, SECOND, FIRST] {
            assert!(old("elicitation/create", params, revision, Some("1")).is_err());
        }
    }

    #[test]
    fn says_messages_in_the_words_of_each_revision() {
        let params = |messages: &str| {
            format!(r#"{{"messages":[{messages}],"includeContext":"thisServer","maxTokens":9}}"#)
        };
        let message = |content: &str, rest: &str| format!(r#"{{"role":"user","content":{content}{rest}}}"#);
        let sound = r#"{"type":"audio","data":"","mimeType":"audio/wav"}"#;
        let (text, image) =
            (r#"{"type":"text","text":"a"}"#, r#"{"type":"image","data":"","mimeType":"a/b"}"#);
        let with_meta = r#"{"type":"text","text":"a","_meta":{"x":1}}"#;
        for (given, revisions, wanted) in [
            (message(text, ""), &ALL[..], message(text, "")),
            (message(text, r#","_meta":{"x":1}"#), &[NEWEST], message(text, r#","_meta":{"x":1}"#)),
            (message(text, r#","_meta":{"x":1}"#), &[MIDDLE, FIRST], message(text, "")),
            (message(with_meta, ""), &[NEWEST, MIDDLE], message(with_meta, "")),
            (message(with_meta, ""), &[SECOND, FIRST], message(text, "")),
            (message(sound, ""), &[NEWEST, MIDDLE, SECOND], message(sound, "")),
            (message(&format!("[{text},{image}]"), ""), &[NEWEST], message(&format!("[{text},{image}]"), "")),
            (
                message(&format!("[{text},{image}]"), ""),
                &[MIDDLE, SECOND, FIRST],
                format!("{},{}", message(text, ""), message(image, "")),
            ),
        ] {
            for revision in revisions {
                let said = old("sampling/createMessage", &params(&given), *revision, None);
                assert_eq!(said, Ok(params(&wanted)), "{revision:?}");
            }
        }
        let fault = old("sampling/createMessage", &params(&message(sound, "")), FIRST, None).unwrap_err();
        assert_eq!(fault, "revision 2024-11-05 has no audio, and the client speaks no newer one");
    }

    #[test]
    fn offers_tools_where_sampling_has_them() {
        let uses = r#"{"role":"assistant","content":{"type":"tool_use","id":"1","name":"t","input":{}}}"#;
        let result = |structured: &str| {
            format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","toolUseId":"1","content":[]{structured}}}]}}"#
            )
        };
        let tool = |output: &str| format!(r#"[{{"name":"t","inputSchema":{{"type":"object"}}{output}}}]"#);
        let params = |structured: &str, output: &str| {
            format!(
                r#"{{"messages":[{uses},{}],"maxTokens":9,"tools":{},"toolChoice":{{}}}}"#,
                result(structured),
                tool(output)
            )
        };
        for (given, wanted) in [
            (("", ""), ("", "")),
            (
                (r#","structuredContent":{"a":1}"#, r#","outputSchema":{"type":"object"}"#),
                (r#","structuredContent":{"a":1}"#, r#","outputSchema":{"type":"object"}"#),
            ),
            ((r#","structuredContent":[1]"#, r#","outputSchema":{"type":"array"}"#), ("", "")),
            ((r#","structuredContent":null"#, r#","outputSchema":{}"#), ("", "")),
        ] {
            let said = old("sampling/createMessage", &params(given.0, given.1), NEWEST, None);
            assert_eq!(said, Ok(params(wanted.0, wanted.1)));
        }
        let messages = format!(r#"{{"messages":[{uses},{}],"maxTokens":9}}"#, result(""));
        let text = r#"{"role":"user","content":{"type":"text","text":"a"}}"#;
        let choice = format!(r#"{{"messages":[{text}],"maxTokens":9,"toolChoice":{{}}}}"#);
        for params in [params("", ""), messages, choice] {
            for revision in [MIDDLE, SECOND, FIRST] {
                let fault = old("sampling/createMessage", &params, revision, None).unwrap_err();
                assert!(fault.contains("has no tools in sampling"), "{fault}");
            }
        }
    }

    #[test]
    fn asks_every_client_for_its_roots() {
        for revision in ALL {
            let request = InputRequest::from_json(br#"{"method":"roots/list"}"#).unwrap();
            assert_eq!(request.legacy_params(revision, None), Ok(b"{}".to_vec()));
        }
    }
}
