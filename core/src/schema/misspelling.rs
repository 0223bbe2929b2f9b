//! Keywords that are probably misspelt. JSON Schema takes no notice of keywords it does not know, so that
//! `requried` breaks nothing, and checks nothing either.

use serde_json::Value;

use super::subschemas::escaped;
use crate::protocol::nearest_name::did_you_mean;

/// Most suspicions collected for one schema.
const MOST: usize = 10;

/// Adds a sentence for each keyword of `schema`, which stands at `pointer`, that is unknown but near a known one.
/// Names that begin with `x-` are extensions, and let be.
pub(super) fn collect(schema: &Value, pointer: &str, suspicions: &mut Vec<String>) {
    for name in schema.as_object().into_iter().flatten().map(|(name, _)| name.as_str()) {
        if suspicions.len() >= MOST {
            return;
        }
        if name.starts_with("x-") || KEYWORDS.contains(&name) || OF_OTHERS.contains(&name) {
            continue;
        }
        let hint = did_you_mean(name, KEYWORDS.iter().copied());
        if !hint.is_empty() {
            suspicions.push(format!("{pointer}/{}: this keyword has no effect{hint}", escaped(name)));
        }
    }
}

/// The keywords of all supported dialects.
const KEYWORDS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

/// Names that look like a mistake, but are annotations of other vocabularies.
const OF_OTHERS: &[&str] = &["example", "id", "note"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn suspicions(schema: &Value) -> Vec<String> {
        let mut suspicions = Vec::new();
        collect(schema, "/properties/a", &mut suspicions);
        suspicions
    }

    #[test]
    fn suspects_what_is_near_a_keyword() {
        for (written, meant) in [
            ("propertis", "properties"),
            ("requried", "required"),
            ("minlength", "minLength"),
            ("additional_properties", "additionalProperties"),
            ("$def", "$defs"),
        ] {
            assert_eq!(
                suspicions(&json!({(written): {}, "type": "object"})),
                [format!("/properties/a/{written}: this keyword has no effect; did you mean \"{meant}\"?")]
            );
        }
    }

    #[test]
    fn lets_extensions_and_foreign_names_be() {
        let schema = json!({"x-required": 1, "nullable": true, "discriminator": {}, "example": 1, "xml": {},
            "propertyOrdering": [], "units": "m", "label": "", "id": "a", "note": ""});
        assert_eq!(suspicions(&schema), [""; 0]);
        assert_eq!(suspicions(&json!(true)), [""; 0]);
    }

    #[test]
    fn stops_at_a_bound() {
        let schema: serde_json::Map<String, Value> =
            (0..50).map(|n| (format!("title{n}"), json!(1))).collect();
        assert_eq!(suspicions(&Value::Object(schema)).len(), MOST);
    }
}
