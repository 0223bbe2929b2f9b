//! The `requestedSchema` of a form: a flat object whose properties are simple fields.
//!
//! Specification: client/elicitation, "Requested Schema".

use super::super::document::{self, Document, DocumentFault, cut};
use super::super::json_write;
use super::super::nearest_name::did_you_mean;
use super::form_field;

/// Checks `raw`, the schema at `pointer`, and returns it as it is published.
pub fn published(raw: &[u8], pointer: &str) -> Result<Vec<u8>, DocumentFault> {
    let schema = Document::read(raw, pointer, &["$schema", "type", "properties", "required"])?;
    schema.string("$schema")?;
    if schema.required_string("type")? != "object" {
        return Err(schema.fault("type", "a form is an object: write \"type\": \"object\""));
    }
    let Some(properties) = schema.raw("properties") else {
        return Err(DocumentFault::new(
            pointer,
            "\"properties\" is missing: it has the form's fields by name",
        ));
    };
    let (names, properties) = published_fields(properties, &schema.pointer_to("properties"))?;
    if let Some(required) = schema.raw("required") {
        check_required(required, &schema.pointer_to("required"), &names)?;
    }
    let mut out = Vec::new();
    schema.write(&mut out, |name| (name == "properties").then_some(properties.as_slice()));
    Ok(out)
}

fn published_fields(raw: &[u8], pointer: &str) -> Result<(Vec<String>, Vec<u8>), DocumentFault> {
    let mut names: Vec<String> = Vec::new();
    let mut out = vec![b'{'];
    for (name, field) in document::object(raw, pointer)? {
        if names.iter().any(|known| *known == name) {
            return Err(DocumentFault::new(pointer, format!("the key \"{}\" stands twice", cut(&name))));
        }
        if !names.is_empty() {
            out.push(b',');
        }
        json_write::string(&mut out, &name);
        out.push(b':');
        let step = name.replace('~', "~0").replace('/', "~1");
        form_field::append_published(field, format!("{pointer}/{step}"), &mut out)?;
        names.push(name.into_owned());
    }
    out.push(b'}');
    Ok((names, out))
}

fn check_required(raw: &[u8], pointer: &str, fields: &[String]) -> Result<(), DocumentFault> {
    let mut seen: Vec<String> = Vec::new();
    for (index, name) in document::array(raw, pointer)?.into_iter().enumerate() {
        let at = || format!("{pointer}/{index}");
        let name = document::string(name, at)?;
        if !fields.iter().any(|field| *field == name) {
            let hint = did_you_mean(&name, fields.iter().map(String::as_str));
            return Err(DocumentFault::new(at(), format!("the form has no field \"{}\"{hint}", cut(&name))));
        }
        if seen.iter().any(|known| *known == name) {
            return Err(DocumentFault::new(at(), format!("\"{}\" stands there twice", cut(&name))));
        }
        seen.push(name.into_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn checked(raw: &str) -> Result<String, String> {
        published(raw.as_bytes(), "/s")
            .map(|out| String::from_utf8(out).unwrap())
            .map_err(|fault| fault.to_string())
    }

    #[test]
    fn publishes_a_form_compact_and_without_nulls() {
        for (raw, wanted) in [
            (r#"{"type":"object","properties":{}}"#, r#"{"type":"object","properties":{}}"#),
            (
                " { \"required\" : [ \"b\" ], \"type\":\"object\", \"properties\": { \"b\": {\"type\":\"string\", \"title\":null},\n \"a/~\": {\"type\":\"boolean\"} }, \"$schema\": \"https://json-schema.org/draft/2020-12/schema\" } ",
                r#"{"required":["b"],"type":"object","properties":{"b":{"type":"string"},"a/~":{"type":"boolean"}},"$schema":"https://json-schema.org/draft/2020-12/schema"}"#,
            ),
        ] {
            assert_eq!(checked(raw), Ok(wanted.into()));
        }
    }

    #[test]
    fn says_what_is_wrong_with_a_form() {
        for (raw, wanted) in [
            ("[]", "/s: must be an object, not an array"),
            ("{}", "/s: \"type\" is missing"),
            (r#"{"type":"array"}"#, "/s/type: a form is an object: write \"type\": \"object\""),
            (r#"{"type":"object"}"#, "/s: \"properties\" is missing: it has the form's fields by name"),
            (r#"{"type":"object","properties":[]}"#, "/s/properties: must be an object, not an array"),
            (
                r#"{"type":"object","properties":{},"additionalProperties":false}"#,
                "/s: unknown key \"additionalProperties\"; known are $schema, type, properties, required",
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":"string"},"\u0061":{"type":"string"}}}"#,
                "/s/properties: the key \"a\" stands twice",
            ),
            (
                r#"{"type":"object","properties":{"a/b":{"type":"string","titel":"x"}}}"#,
                "/s/properties/a~1b: unknown key \"titel\"; did you mean \"title\"?",
            ),
            (
                r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["citty"]}"#,
                "/s/required/0: the form has no field \"citty\"; did you mean \"city\"?",
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a","a"]}"#,
                "/s/required/1: \"a\" stands there twice",
            ),
            (
                r#"{"type":"object","properties":{},"required":true}"#,
                "/s/required: must be an array, not a boolean",
            ),
        ] {
            assert_eq!(checked(raw), Err(wanted.into()));
        }
    }
}
