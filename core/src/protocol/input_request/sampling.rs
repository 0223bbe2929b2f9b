//! The params of `sampling/createMessage`.
//!
//! Specification: client/sampling.

use super::super::definition_field::Field;
use super::super::document::{self, Document, DocumentFault};
use super::super::revision::Revision;
use super::super::tool_definition::ToolDefinition;
use super::{model_preferences, sampling_messages, text_of};

/// Checks `raw`, the params at `pointer`, and returns them as they are published.
pub fn published(raw: &[u8], pointer: &str) -> Result<Vec<u8>, DocumentFault> {
    let params = Document::read(raw, pointer, FIELDS)?;
    let mut replaced: Vec<(&str, Vec<u8>)> = Vec::new();
    for (name, value) in params.members() {
        let at = params.pointer_to(name);
        match name {
            "messages" => replaced.push((name, sampling_messages::published(value, &at)?)),
            "modelPreferences" => replaced.push((name, model_preferences::published(value, at)?)),
            "tools" => replaced.push((name, published_tools(value, &at)?)),
            "toolChoice" => replaced.push((name, published_choice(value, at)?)),
            "metadata" => drop(document::object(value, &at)?),
            "stopSequences" => check_strings(value, &at)?,
            _ => {}
        }
    }
    params.string("systemPrompt")?;
    params.one_of("includeContext", &["none", "thisServer", "allServers"])?;
    params.number("temperature")?;
    if params.raw("messages").is_none() {
        return Err(DocumentFault::new(
            pointer,
            "\"messages\" is missing: it is what the model goes on from",
        ));
    }
    match params.number("maxTokens")? {
        None => {
            return Err(DocumentFault::new(
                pointer,
                "\"maxTokens\" is missing; it bounds the answer, as 1000",
            ));
        }
        Some(tokens) if tokens < 1.0 || tokens.fract() != 0.0 => {
            return Err(params.fault("maxTokens", "must be a whole number, 1 or more"));
        }
        Some(_) => {}
    }
    let mut out = Vec::with_capacity(raw.len());
    params.write(&mut out, |name| {
        replaced.iter().find(|(key, _)| *key == name).map(|(_, text)| text.as_slice())
    });
    Ok(out)
}

const FIELDS: &[&str] = &[
    "messages",
    "modelPreferences",
    "systemPrompt",
    "includeContext",
    "temperature",
    "maxTokens",
    "stopSequences",
    "metadata",
    "tools",
    "toolChoice",
];

fn published_tools(raw: &[u8], pointer: &str) -> Result<Vec<u8>, DocumentFault> {
    let mut names: Vec<String> = Vec::new();
    let mut out = vec![b'['];
    for (index, tool) in document::array(raw, pointer)?.into_iter().enumerate() {
        let at = |place: &str| format!("{pointer}/{index}{place}");
        let tool = ToolDefinition::from_json(tool)
            .map_err(|fault| DocumentFault::new(at(&fault.fault.pointer), fault.fault.message))?;
        let schema = tool.raw(Field::InputSchema).unwrap_or_default();
        if text_of(schema, "type").as_deref() != Some("object") {
            let message = "must have \"type\": \"object\" at its root, as arguments come by name";
            return Err(DocumentFault::new(at("/inputSchema"), message));
        }
        if names.iter().any(|name| name == tool.name()) {
            return Err(DocumentFault::new(at("/name"), "another tool of the request has this name"));
        }
        if !names.is_empty() {
            out.push(b',');
        }
        tool.write(Revision::V2026_07_28, &mut out);
        names.push(tool.name().into());
    }
    out.push(b']');
    Ok(out)
}

fn published_choice(raw: &[u8], pointer: String) -> Result<Vec<u8>, DocumentFault> {
    let choice = Document::read(raw, pointer, &["mode"])?;
    choice.one_of("mode", &["auto", "required", "none"])?;
    let mut out = Vec::new();
    choice.write(&mut out, |_| None);
    Ok(out)
}

fn check_strings(raw: &[u8], pointer: &str) -> Result<(), DocumentFault> {
    for (index, element) in document::array(raw, pointer)?.into_iter().enumerate() {
        document::string(element, || format!("{pointer}/{index}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MESSAGES: &str = r#""messages":[{"role":"user","content":{"type":"text","text":"a"}}]"#;

    fn checked(rest: &str) -> Result<String, String> {
        let raw = format!("{{{MESSAGES}{rest}}}");
        let out = published(raw.as_bytes(), "/params").map_err(|fault| fault.to_string())?;
        let out = String::from_utf8(out).unwrap();
        Ok(out.strip_prefix(&format!("{{{MESSAGES}")).unwrap().strip_suffix('}').unwrap().into())
    }

    #[test]
    fn publishes_params_in_the_order_of_their_author() {
        for (rest, wanted) in [
            (r#","maxTokens":100"#, r#","maxTokens":100"#),
            (
                r#", "temperature": 0.10, "maxTokens": 1, "systemPrompt": "s", "includeContext": "none", "stopSequences": [ "a", "b" ], "metadata": { "a": null }, "modelPreferences": {"costPriority": 0.3, "hints": null}"#,
                r#","temperature":0.10,"maxTokens":1,"systemPrompt":"s","includeContext":"none","stopSequences":["a","b"],"metadata":{"a":null},"modelPreferences":{"costPriority":0.3}"#,
            ),
            (
                r#","maxTokens":9,"tools":[{"name":"t","title":null,"inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"}"#,
                r#","maxTokens":9,"tools":[{"name":"t","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"}"#,
            ),
        ] {
            assert_eq!(checked(rest), Ok(wanted.into()));
        }
    }

    #[test]
    fn says_what_is_wrong_with_params() {
        for (rest, wanted) in [
            ("", "/params: \"maxTokens\" is missing; it bounds the answer, as 1000"),
            (r#","maxTokens":0"#, "/params/maxTokens: must be a whole number, 1 or more"),
            (r#","maxTokens":1.5"#, "/params/maxTokens: must be a whole number, 1 or more"),
            (r#","maxTokens":"9""#, "/params/maxTokens: must be a number, not a string"),
            (r#","max_tokens":9"#, "/params: unknown key \"max_tokens\"; did you mean \"maxTokens\"?"),
            (r#","maxTokens":9,"systemPrompt":[]"#, "/params/systemPrompt: must be a string, not an array"),
            (
                r#","maxTokens":9,"includeContext":"all""#,
                "/params/includeContext: \"all\" is not one of \"none\", \"thisServer\", \"allServers\"",
            ),
            (
                r#","maxTokens":9,"stopSequences":"x""#,
                "/params/stopSequences: must be an array, not a string",
            ),
            (
                r#","maxTokens":9,"stopSequences":[1]"#,
                "/params/stopSequences/0: must be a string, not a number",
            ),
            (r#","maxTokens":9,"metadata":[]"#, "/params/metadata: must be an object, not an array"),
            (r#","maxTokens":9,"toolChoice":"auto""#, "/params/toolChoice: must be an object, not a string"),
            (
                r#","maxTokens":9,"toolChoice":{"mode":"any"}"#,
                "/params/toolChoice/mode: \"any\" is not one of \"auto\", \"required\", \"none\"",
            ),
            (r#","maxTokens":9,"tools":{}"#, "/params/tools: must be an array, not an object"),
            (
                r#","maxTokens":9,"tools":[{"name":"a b","inputSchema":{"type":"object"}}]"#,
                "/params/tools/0/name: \"a b\" is no tool name: a space must not stand in it; use A-Z, a-z, 0-9, '_', '-' and '.'",
            ),
            (
                r#","maxTokens":9,"tools":[{"name":"t","inputSchema":{}}]"#,
                "/params/tools/0/inputSchema: must have \"type\": \"object\" at its root, as arguments come by name",
            ),
            (
                r#","maxTokens":9,"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"t","inputSchema":{"type":"object"}}]"#,
                "/params/tools/1/name: another tool of the request has this name",
            ),
        ] {
            assert_eq!(checked(rest), Err(wanted.into()));
        }
        let fault = published(br#"{"maxTokens":9}"#, "/params").unwrap_err().to_string();
        assert_eq!(fault, "/params: \"messages\" is missing: it is what the model goes on from");
    }
}
