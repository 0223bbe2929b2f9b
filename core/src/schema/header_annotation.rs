//! `x-mcp-header`: arguments that clients mirror into HTTP headers (specification, streamable-http, "Custom
//! Headers from Tool Parameters").

use serde_json::Value;

use super::SchemaFault;
use super::subschemas::{escaped, walk};
use crate::protocol::document::cut;

/// An argument that a client sends in a header too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirroredArgument {
    /// The name of the header, in lower case: `mcp-param-region`.
    pub header: String,
    /// The names that lead from the arguments to the value.
    pub path: Vec<String>,
}

/// Finds the mirrored arguments of an input schema that compiles, given as JSON text. Annotations that break a
/// rule are refused: a client would have to drop the tool.
pub fn find(text: &[u8]) -> Result<Vec<MirroredArgument>, SchemaFault> {
    // An annotation can hide only behind an escape; a schema without both needs no second look.
    let shows = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
    if !shows(ANNOTATION.as_bytes()) && !text.contains(&b'\\') {
        return Ok(Vec::new());
    }
    let schema = serde_json::from_slice(text).map_err(|_| SchemaFault::new("", "is not valid JSON"))?;
    mirrored_arguments(&schema)
}

fn mirrored_arguments(schema: &Value) -> Result<Vec<MirroredArgument>, SchemaFault> {
    let mut found = Vec::new();
    let mut allowed = Vec::new();
    collect(schema, &mut Vec::new(), "", &mut found, &mut allowed)?;
    walk(schema, "", &mut |schema, pointer| {
        if schema.get(ANNOTATION).is_some() && !allowed.contains(&(schema as *const Value)) {
            return Err(fault(pointer, PLACE));
        }
        Ok(())
    })?;
    Ok(found)
}

/// The header that carries the argument annotated with `name`, in lower case.
pub(super) fn header_name(name: &str) -> String {
    format!("mcp-param-{}", name.to_ascii_lowercase())
}

const ANNOTATION: &str = "x-mcp-header";

const PLACE: &str = "can stand only on an argument, or on a property of one that is reached through \"properties\" \
    alone; not at the root, in items, in anyOf and its like, in if/then/else or behind $ref";

/// Goes down through `properties` alone, the only way on which an annotation may stand.
fn collect<'a>(
    schema: &'a Value,
    path: &mut Vec<&'a str>,
    pointer: &str,
    found: &mut Vec<MirroredArgument>,
    allowed: &mut Vec<*const Value>,
) -> Result<(), SchemaFault> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    for (name, property) in properties {
        let pointer = format!("{pointer}/properties/{}", escaped(name));
        path.push(name);
        if let Some(annotation) = property.get(ANNOTATION) {
            allowed.push(property);
            let header = header_of(annotation, &pointer)?;
            if let Some(other) = found.iter().find(|other| other.header == header) {
                let message = format!(
                    "\"{}\" names the header of the argument \"{}\" too; letter case counts for nothing",
                    annotation.as_str().unwrap_or_default(),
                    other.path.join(".")
                );
                return Err(fault(&pointer, message));
            }
            check_type(property, &pointer)?;
            found.push(MirroredArgument {
                header,
                path: path.iter().map(|name| (*name).to_owned()).collect(),
            });
        }
        collect(property, path, &pointer, found, allowed)?;
        path.pop();
    }
    Ok(())
}

fn header_of(annotation: &Value, pointer: &str) -> Result<String, SchemaFault> {
    let Some(name) = annotation.as_str() else {
        return Err(fault(pointer, "must be a string, the part of the header's name behind \"Mcp-Param-\""));
    };
    if name.is_empty() {
        return Err(fault(pointer, "must not be empty"));
    }
    if let Some(foreign) = name.chars().find(|c| !is_token_character(*c)) {
        let message = format!(
            "\"{}\" cannot be part of a header's name because of {foreign:?}; use letters, digits and '-'",
            cut(name)
        );
        return Err(fault(pointer, message));
    }
    Ok(header_name(name))
}

/// The `tchar` of RFC 9110, section 5.6.2.
fn is_token_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

/// Only values with one spelling can be mirrored.
fn check_type(property: &Value, pointer: &str) -> Result<(), SchemaFault> {
    match property.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "boolean") => Ok(()),
        Some("number") => {
            let message =
                "cannot stand on a number, whose spelling is not unique; make it an integer or a string";
            Err(fault(pointer, message))
        }
        _ => Err(fault(pointer, "can stand only where \"type\" is \"string\", \"integer\" or \"boolean\"")),
    }
}

fn fault(pointer: &str, message: impl Into<String>) -> SchemaFault {
    SchemaFault::new(format!("{pointer}/{ANNOTATION}"), message)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::json;

    #[test]
    fn finds_arguments_at_every_depth_of_properties() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "n": {"type": "integer", "x-mcp-header": "N_1"},
            "opts": {"type": "object", "properties": {
                "on": {"type": "boolean", "x-mcp-header": "On"},
                "x-mcp-header": {"type": "number"}}},
            "data": {"default": {"x-mcp-header": 5}, "enum": [{"x-mcp-header": ""}]}}});
        let mut found = mirrored_arguments(&schema).unwrap();
        found.sort_by(|a, b| a.header.cmp(&b.header));
        let argument = |header: &str, path: &[&str]| MirroredArgument {
            header: header.into(),
            path: path.iter().map(|name| (*name).into()).collect(),
        };
        assert_eq!(
            found,
            [
                argument("mcp-param-n_1", &["n"]),
                argument("mcp-param-on", &["opts", "on"]),
                argument("mcp-param-region", &["region"]),
            ]
        );
    }

    #[test]
    fn finds_an_annotation_behind_an_escape() {
        let text = br#"{"properties":{"a":{"type":"string","x\u002dmcp-header":"A"}}}"#;
        assert_eq!(find(text).unwrap().len(), 1);
        assert_eq!(find(br#"{"properties":{"a":{"type":"string"}}}"#), Ok(Vec::new()));
        assert!(find(br#"{"x-mcp-header":"A"}"#).is_err());
    }

    #[test]
    fn refuses_values_that_cannot_name_a_header() {
        for (value, part) in [
            (json!(""), "must not be empty"),
            (json!(null), "must be a string"),
            (json!(5), "must be a string"),
            (json!("a b"), "because of ' '"),
            (json!("a\r\n"), "because of '\\r'"),
            (json!("Région"), "because of 'é'"),
            (json!("a:b"), "because of ':'"),
        ] {
            let schema = json!({"properties": {"a/b": {"type": "string", "x-mcp-header": value}}});
            let fault = mirrored_arguments(&schema).unwrap_err();
            assert_eq!(fault.pointer, "/properties/a~1b/x-mcp-header");
            assert!(fault.message.contains(part), "{value}: {fault}");
        }
    }

    #[test]
    fn refuses_equal_names_in_any_letter_case() {
        let schema = json!({"properties": {
            "a": {"type": "string", "x-mcp-header": "Region"},
            "b": {"properties": {"c": {"type": "string", "x-mcp-header": "region"}}}}});
        let said = mirrored_arguments(&schema).unwrap_err().to_string();
        assert!(said.contains(
            "/properties/b/properties/c/x-mcp-header: \"region\" names the header of the argument \"a\""
        ));
    }

    #[test]
    fn refuses_types_without_one_spelling() {
        for kind in [
            json!("number"),
            json!("array"),
            json!("object"),
            json!("null"),
            json!(["string", "null"]),
            json!(null),
        ] {
            let schema = json!({"properties": {"a": {"type": kind, "x-mcp-header": "A"}}});
            assert!(mirrored_arguments(&schema).is_err(), "{kind}");
        }
        assert!(mirrored_arguments(&json!({"properties": {"a": {"x-mcp-header": "A"}}})).is_err());
    }

    #[test]
    fn refuses_annotations_in_any_other_place() {
        let annotated = json!({"type": "string", "x-mcp-header": "A"});
        for schema in [
            json!({"type": "object", "x-mcp-header": "A"}),
            json!({"properties": {"a": {"items": annotated}}}),
            json!({"properties": {"a": {"prefixItems": [annotated]}}}),
            json!({"properties": {"a": {"anyOf": [annotated]}}}),
            json!({"allOf": [{"properties": {"a": annotated}}]}),
            json!({"if": {"properties": {"a": annotated}}}),
            json!({"$defs": {"x": annotated}, "properties": {"a": {"$ref": "#/$defs/x"}}}),
            json!({"additionalProperties": annotated}),
            json!({"patternProperties": {"^a": annotated}}),
            json!({"properties": {"a": {"not": {"properties": {"b": annotated}}}}}),
        ] {
            let fault = mirrored_arguments(&schema).unwrap_err();
            assert!(fault.message.starts_with("can stand only on an argument"), "{schema}: {fault}");
        }
    }
}
