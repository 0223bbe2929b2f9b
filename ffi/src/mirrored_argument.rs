//! Adds `x-mcp-header` to a property of an input schema, and leaves every other byte as its author wrote
//! it.

use mcp_core::protocol::document;
use mcp_core::protocol::json_write;
use mcp_core::protocol::nearest_name::did_you_mean;

/// The schema with the annotation on the property `argument`. `schema` is valid JSON.
pub fn annotate(schema: &[u8], argument: &str, header: &str) -> Result<Vec<u8>, String> {
    let no_argument = |hint: String| format!("there is no argument \"{argument}\" to mirror{hint}");
    let object = |text: &'_ [u8]| document::object(text, "").ok().map(|members| names(&members));
    let properties = member(schema, "properties").ok_or_else(|| no_argument(String::new()))?;
    let Some(property) = member(properties, argument) else {
        let known = object(properties).unwrap_or_default();
        return Err(no_argument(did_you_mean(argument, known.iter().map(String::as_str))));
    };
    let known = object(property)
        .ok_or_else(|| format!("argument \"{argument}\" cannot be mirrored: its schema is no object"))?;
    if known.iter().any(|name| name == "x-mcp-header") {
        return Err(format!("argument \"{argument}\" is mirrored in the input schema already"));
    }
    let mut annotation = b"\"x-mcp-header\":".to_vec();
    json_write::string(&mut annotation, header);
    if !known.is_empty() {
        annotation.push(b',');
    }
    // Both texts lie within the schema, and the property begins with its brace.
    let at = property.as_ptr() as usize - schema.as_ptr() as usize + 1;
    let (before, behind) = schema.split_at(at);
    Ok([before, &annotation, behind].concat())
}

/// The value of a member, a part of `object`; the last one of its name, as every reader takes it.
fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let members = document::object(object, "").ok()?;
    members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
}

fn names(members: &[document::Member<'_>]) -> Vec<String> {
    members.iter().map(|(key, _)| key.clone().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn adds_the_annotation_and_keeps_every_other_byte() {
        for (schema, annotated) in [
            (
                r#"{"x":1.0,"properties":{"b":{},"a":{"type":"string"}}}"#,
                r#"{"x":1.0,"properties":{"b":{},"a":{"x-mcp-header":"H","type":"string"}}}"#,
            ),
            (r#"{"properties":{"a":{}}}"#, r#"{"properties":{"a":{"x-mcp-header":"H"}}}"#),
            (
                r#"{"properties":{"a":{"t":1},"\u0061":{"u":2}}}"#,
                r#"{"properties":{"a":{"t":1},"\u0061":{"x-mcp-header":"H","u":2}}}"#,
            ),
        ] {
            let text = annotate(schema.as_bytes(), "a", "H").unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), annotated);
        }
    }

    #[test]
    fn says_why_an_argument_cannot_be_mirrored() {
        for (schema, wanted) in [
            ("{}", "there is no argument \"city\" to mirror"),
            (r#"{"properties":{"citi":{}}}"#, "did you mean \"citi\"?"),
            (r#"{"properties":{"city":true}}"#, "its schema is no object"),
            (r#"{"properties":{"city":{"x-mcp-header":"H"}}}"#, "is mirrored in the input schema already"),
        ] {
            let fault = annotate(schema.as_bytes(), "city", "H").unwrap_err();
            assert!(fault.contains(wanted), "{fault}");
        }
    }
}
