//! Says what makes a schema invalid, in words for its author.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::SchemaFault;
use super::problem::Problems;
use super::wording::{self, brief};
use crate::protocol::nearest_name::did_you_mean;

/// Turns what the validator says about `schema`, on refusing to compile it, into a fault.
pub(super) fn fault(error: &ValidationError<'_>, schema: &Value) -> SchemaFault {
    let at = error.instance_path().as_str();
    let value: &Value = error.instance();
    let keyword = at.rsplit('/').next().unwrap_or_default();
    if keyword == "type" && !is_property(at) {
        return type_fault(at, value);
    }
    let message = match (keyword, error.kind()) {
        (_, Kind::Format { format }) if format == "regex" => {
            format!("the pattern {} is not valid, or too large when compiled", brief(value))
        }
        ("items", Kind::Type { .. }) if value.is_array() => {
            "must be one schema; an array of schemas is written as \"prefixItems\" in this dialect".into()
        }
        ("required", Kind::Type { .. }) if value.is_boolean() => {
            "must be an array of names, and stands beside \"properties\", not inside a property".into()
        }
        (_, Kind::Type { kind: TypeKind::Multiple(_) }) => {
            format!("a schema must be an object, true or false, not {}", wording::sort(value))
        }
        (_, Kind::Referencing(cause)) => format!("a reference cannot be followed: {cause}"),
        _ => return described(error, schema),
    };
    SchemaFault::new(at, message)
}

const TYPES: &[&str] = &["string", "integer", "number", "boolean", "object", "array", "null"];

/// What other languages call the types.
const FOREIGN_TYPES: &[(&str, &str)] = &[
    ("int", "integer"),
    ("int32", "integer"),
    ("int64", "integer"),
    ("long", "integer"),
    ("uint", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("decimal", "number"),
    ("str", "string"),
    ("text", "string"),
    ("char", "string"),
    ("date", "string"),
    ("bool", "boolean"),
    ("list", "array"),
    ("tuple", "array"),
    ("set", "array"),
    ("dict", "object"),
    ("map", "object"),
    ("struct", "object"),
    ("none", "null"),
    ("nil", "null"),
    ("undefined", "null"),
];

/// Whether the last step of the pointer names a property, not a keyword.
fn is_property(at: &str) -> bool {
    at.rsplit('/').nth(1) == Some("properties")
}

fn type_fault(at: &str, value: &Value) -> SchemaFault {
    let known = |value: &Value| value.as_str().is_some_and(|text| TYPES.contains(&text));
    let (at, value) = match value.as_array() {
        Some(items) => match items.iter().position(|item| !known(item)) {
            Some(index) => (format!("{at}/{index}"), &items[index]),
            None => return SchemaFault::new(at, "must name at least one type, and none twice"),
        },
        None => (at.to_owned(), value),
    };
    let Some(text) = value.as_str() else {
        let message =
            format!("must be the name of a type or an array of names, not {}", wording::sort(value));
        return SchemaFault::new(at, message);
    };
    let lower = text.to_ascii_lowercase();
    let hint = match FOREIGN_TYPES.iter().find(|(foreign, _)| *foreign == lower) {
        Some((_, meant)) => format!("; did you mean \"{meant}\"?"),
        None => did_you_mean(text, TYPES.iter().copied()),
    };
    let hint = if hint.is_empty() { format!("; the types are {}", TYPES.join(", ")) } else { hint };
    SchemaFault::new(at, format!("{} is not a JSON Schema type{hint}", brief(value)))
}

/// The words for values serve for schemas too: a schema is a value of its meta-schema.
fn described(error: &ValidationError<'_>, schema: &Value) -> SchemaFault {
    let mut problems = Problems::default();
    wording::describe(error, schema, &mut problems);
    match problems.list.into_iter().next() {
        Some(problem) => SchemaFault::new(problem.pointer, problem.message),
        None => SchemaFault::new(error.instance_path().as_str(), "is not a valid schema"),
    }
}
