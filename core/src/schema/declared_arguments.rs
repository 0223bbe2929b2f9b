//! Input schemas from arguments declared one by one, for authors who would rather not write JSON.

use serde_json::Value;

use super::header_annotation::header_name;
use crate::protocol::document::cut;
use crate::protocol::json_write;
use crate::protocol::nearest_name::did_you_mean;

/// The JSON type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentType {
    /// A string.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// true or false.
    Boolean,
    /// An object of any members.
    Object,
    /// An array of any items.
    Array,
}

impl ArgumentType {
    /// The name of the type in JSON Schema.
    pub fn name(self) -> &'static str {
        match self {
            ArgumentType::String => "string",
            ArgumentType::Integer => "integer",
            ArgumentType::Number => "number",
            ArgumentType::Boolean => "boolean",
            ArgumentType::Object => "object",
            ArgumentType::Array => "array",
        }
    }
}

/// An argument of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredArgument {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: ArgumentType,
    /// Whether a call must have it.
    pub required: bool,
    /// What it means, for the model.
    pub description: Option<String>,
    /// The `x-mcp-header` name under which clients mirror it into an HTTP header.
    pub mirrored_as: Option<String>,
}

/// The text of an input schema that has exactly these arguments, in this order, and allows no others.
pub fn input_schema(arguments: &[DeclaredArgument]) -> Vec<u8> {
    let mut out = b"{\"type\":\"object\"".to_vec();
    if !arguments.is_empty() {
        out.extend_from_slice(b",\"properties\":");
        write_list(&mut out, b"{}", arguments, write_property);
    }
    if arguments.iter().any(|argument| argument.required) {
        out.extend_from_slice(b",\"required\":");
        let required = arguments.iter().filter(|argument| argument.required);
        write_list(&mut out, b"[]", required, |out, argument| json_write::string(out, &argument.name));
    }
    out.extend_from_slice(b",\"additionalProperties\":false}");
    out
}

/// Compares declared arguments with an input schema given beside them, valid JSON: names the first argument
/// that the two do not agree on, and what differs. Where the schema does not say a type plainly, any will do.
pub fn disagreement(arguments: &[DeclaredArgument], schema: &[u8]) -> Option<String> {
    let schema: Value = serde_json::from_slice(schema).ok()?;
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    for argument in arguments {
        let name = &argument.name;
        let Some(property) = properties.and_then(|properties| properties.get(name)) else {
            let hint = did_you_mean(name, properties.into_iter().flatten().map(|(name, _)| name.as_str()));
            return Some(said(name, &format!("the input schema has no such property{hint}")));
        };
        if !may_be(property, argument.kind) {
            let kind = &property["type"];
            let declared = argument.kind.name();
            return Some(said(name, &format!("it is declared as {declared}, the input schema says {kind}")));
        }
        let demanded = required.is_some_and(|names| names.iter().any(|demanded| demanded == name.as_str()));
        if demanded != argument.required {
            let (one, other) =
                if demanded { ("optional", "requires it") } else { ("required", "does not require it") };
            return Some(said(name, &format!("it is declared {one}, the input schema {other}")));
        }
        let header = property.get("x-mcp-header").and_then(Value::as_str).map(header_name);
        if argument.mirrored_as.as_deref().is_some_and(|declared| header != Some(header_name(declared))) {
            return Some(said(
                name,
                "it is declared as mirrored, the input schema lacks that \"x-mcp-header\"",
            ));
        }
    }
    None
}

/// Says what is wrong with the declaration itself; `None` for a good one.
pub fn declaration_fault(arguments: &[DeclaredArgument]) -> Option<String> {
    for (index, argument) in arguments.iter().enumerate() {
        if argument.name.is_empty() {
            return Some("an argument needs a name".into());
        }
        if arguments[..index].iter().any(|other| other.name == argument.name) {
            return Some(said(&argument.name, "it is declared twice"));
        }
    }
    None
}

fn said(name: &str, what: &str) -> String {
    format!("argument \"{}\": {what}", cut(name))
}

fn may_be(property: &Value, kind: ArgumentType) -> bool {
    match property.get("type") {
        Some(Value::String(name)) => name == kind.name(),
        Some(Value::Array(names)) => names.iter().any(|name| name == kind.name()),
        _ => true,
    }
}

fn write_property(out: &mut Vec<u8>, argument: &DeclaredArgument) {
    json_write::string(out, &argument.name);
    out.extend_from_slice(b":{\"type\":");
    json_write::string(out, argument.kind.name());
    for (key, text) in [("description", &argument.description), ("x-mcp-header", &argument.mirrored_as)] {
        if let Some(text) = text {
            out.push(b',');
            json_write::string(out, key);
            out.push(b':');
            json_write::string(out, text);
        }
    }
    out.push(b'}');
}

fn write_list<'a>(
    out: &mut Vec<u8>,
    brackets: &[u8; 2],
    arguments: impl IntoIterator<Item = &'a DeclaredArgument>,
    write: impl Fn(&mut Vec<u8>, &DeclaredArgument),
) {
    out.push(brackets[0]);
    for (index, argument) in arguments.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, argument);
    }
    out.push(brackets[1]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::schema::compile::{CompiledSchema, SchemaLimits};
    use crate::schema::header_annotation;

    fn argument(name: &str, kind: ArgumentType, required: bool) -> DeclaredArgument {
        DeclaredArgument { name: name.into(), kind, required, description: None, mirrored_as: None }
    }

    #[test]
    fn builds_a_schema_in_the_order_of_declaration() {
        let mut city = argument("city", ArgumentType::String, true);
        city.description = Some("City \"name\"".into());
        city.mirrored_as = Some("City".into());
        let text = input_schema(&[
            city,
            argument("a", ArgumentType::Integer, false),
            argument("b", ArgumentType::Array, true),
        ]);
        assert_eq!(
            std::str::from_utf8(&text).unwrap(),
            r#"{"type":"object","properties":{"city":{"type":"string","description":"City \"name\"","x-mcp-header":"City"},"a":{"type":"integer"},"b":{"type":"array"}},"required":["city","b"],"additionalProperties":false}"#
        );
        assert!(CompiledSchema::compile_input(&text, &SchemaLimits::default()).is_ok());
        assert_eq!(header_annotation::find(&text).unwrap().len(), 1);
        assert_eq!(input_schema(&[]), br#"{"type":"object","additionalProperties":false}"#);
        assert_eq!(
            input_schema(&[argument("a", ArgumentType::Number, false)]),
            br#"{"type":"object","properties":{"a":{"type":"number"}},"additionalProperties":false}"#
        );
    }

    #[test]
    fn agrees_with_a_schema_that_says_the_same_or_more() {
        for schema in [
            r#"{"properties":{"days":{"type":"integer","maximum":7},"other":{}}}"#,
            r#"{"properties":{"days":{"type":["integer","null"]}},"required":["other"]}"#,
            r##"{"properties":{"days":{"$ref":"#/$defs/x"}}}"##,
            r#"{"properties":{"days":true}}"#,
        ] {
            let arguments = [argument("days", ArgumentType::Integer, false)];
            assert_eq!(disagreement(&arguments, schema.as_bytes()), None, "{schema}");
        }
    }

    #[test]
    fn names_the_argument_and_what_differs() {
        let mut mirrored = argument("days", ArgumentType::Integer, true);
        mirrored.mirrored_as = Some("Days".into());
        let plain = argument("days", ArgumentType::Integer, true);
        for (declared, schema, wanted) in [
            (
                &plain,
                r#"{"properties":{"day":{}}}"#,
                r#"argument "days": the input schema has no such property; did you mean "day"?"#,
            ),
            (&plain, "{}", r#"argument "days": the input schema has no such property"#),
            (
                &plain,
                r#"{"properties":{"days":{"type":"number"}},"required":["days"]}"#,
                r#"argument "days": it is declared as integer, the input schema says "number""#,
            ),
            (
                &plain,
                r#"{"properties":{"days":{"type":"integer"}}}"#,
                r#"argument "days": it is declared required, the input schema does not require it"#,
            ),
            (
                &mirrored,
                r#"{"properties":{"days":{"type":"integer"}},"required":["days"]}"#,
                r#"argument "days": it is declared as mirrored, the input schema lacks that "x-mcp-header""#,
            ),
        ] {
            assert_eq!(disagreement(std::slice::from_ref(declared), schema.as_bytes()).unwrap(), wanted);
        }
        let optional = argument("days", ArgumentType::Integer, false);
        let said = disagreement(&[optional], br#"{"properties":{"days":{}},"required":["days"]}"#).unwrap();
        assert_eq!(said, r#"argument "days": it is declared optional, the input schema requires it"#);
        let schema =
            br#"{"properties":{"days":{"type":"integer","x-mcp-header":"dAYS"}},"required":["days"]}"#;
        assert_eq!(disagreement(&[mirrored], schema), None);
    }

    #[test]
    fn refuses_declarations_without_sense() {
        let a = argument("a", ArgumentType::String, true);
        assert_eq!(declaration_fault(std::slice::from_ref(&a)), None);
        assert_eq!(declaration_fault(&[a.clone(), a]).unwrap(), "argument \"a\": it is declared twice");
        assert!(declaration_fault(&[argument("", ArgumentType::String, true)]).is_some());
    }
}
