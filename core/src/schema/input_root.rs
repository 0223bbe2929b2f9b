//! The root of an input schema: arguments are always an object, and the schema must say so (specification,
//! server/tools, `inputSchema`). Hosts drop tools, or whole servers, where it does not.

use serde_json::Value;

use super::SchemaFault;

/// Checks that `schema` has `"type": "object"` at its root.
pub(super) fn check(schema: &Value) -> Result<(), SchemaFault> {
    let found = match schema.get("type") {
        Some(Value::String(kind)) if kind == "object" => return Ok(()),
        Some(other) => format!("its type is {other}"),
        None if schema.is_object() => "it has no type".to_owned(),
        None => format!("it is {}", named(schema)),
    };
    let way_out = match schema.as_object() {
        Some(members) if members.contains_key("type") => {
            "arguments come by name, so describe them as properties of an object"
        }
        Some(members) if !members.is_empty() => "write \"type\": \"object\" beside what is there",
        _ => "for a tool without arguments write {\"type\": \"object\", \"additionalProperties\": false}",
    };
    let message =
        format!("an input schema must have \"type\": \"object\" at its root, but {found}; {way_out}");
    Err(SchemaFault::new("", message))
}

/// Checks that `schema` is a JSON object at all, as input and output schemas must be.
pub(super) fn check_object(schema: &Value) -> Result<(), SchemaFault> {
    if schema.is_object() {
        return Ok(());
    }
    let message = format!("a schema must be a JSON object, not {}; {{}} lets everything pass", named(schema));
    Err(SchemaFault::new("", message))
}

fn named(schema: &Value) -> &'static str {
    match schema {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::json;

    #[test]
    fn asks_for_an_object_and_says_what_to_write() {
        assert_eq!(check(&json!({"type": "object"})), Ok(()));
        assert_eq!(check(&json!({"type": "object", "anyOf": [{}]})), Ok(()));
        for (schema, found, way_out) in [
            (json!(null), "it is null", "{\"type\": \"object\", \"additionalProperties\": false}"),
            (json!(true), "it is true", "{\"type\": \"object\", \"additionalProperties\": false}"),
            (json!([]), "it is an array", "{\"type\": \"object\", \"additionalProperties\": false}"),
            (json!({}), "it has no type", "{\"type\": \"object\", \"additionalProperties\": false}"),
            (json!({"anyOf": [{"type": "object"}]}), "it has no type", "write \"type\": \"object\" beside"),
            (json!({"properties": {}}), "it has no type", "write \"type\": \"object\" beside"),
            (json!({"type": "array"}), "its type is \"array\"", "as properties of an object"),
            (
                json!({"type": ["object", "null"]}),
                "its type is [\"object\",\"null\"]",
                "as properties of an object",
            ),
        ] {
            let message = check(&schema).unwrap_err().message;
            assert!(message.contains(found) && message.contains(way_out), "{message}");
        }
    }
}
