//! Says in our own words what the validator found. Values are quoted shortened, and only in `message`; the
//! `rule` beside it is drawn from the schema alone.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::alternatives;
use super::problem::Problems;
use super::subschemas::escaped;

/// Adds what `error` says to `problems`. `schema` is the whole schema, where names can be looked up.
pub(super) fn describe(error: &ValidationError<'_>, schema: &Value, problems: &mut Problems) {
    if problems.is_full() {
        problems.more += told_by(error);
        return;
    }
    let at = error.instance_path().as_str();
    let value: &Value = error.instance();
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unknown_properties(error, unexpected, schema, problems);
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            alternatives::describe(error, context, schema, problems);
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            problems.push(
                &format!("{at}/{}", escaped(name)),
                "required, but missing",
                "required, but missing",
            );
        }
        Kind::Type { kind } => {
            wrong_type(at, value, types(kind), problems);
        }
        Kind::Enum { options } => {
            let listed = listed_options(options);
            let hint = match (value.as_str(), options.as_array()) {
                (Some(text), Some(options)) => problems.hint(text, options.iter().filter_map(Value::as_str)),
                _ => String::new(),
            };
            problems.push(
                at,
                format!("{} is not one of {listed}{hint}", brief(value)),
                format!("must be one of {listed}"),
            );
        }
        Kind::PropertyNames { error: inner } => {
            let found = problems.aside(|found| describe(inner, schema, found));
            let name = inner.instance().as_str().unwrap_or_default();
            let place = format!("{at}/{}", escaped(name));
            for problem in found {
                let (message, rule) = (problem.message, problem.rule);
                problems.push(
                    &place,
                    format!("this name is not allowed: {message}"),
                    format!("the name {rule}"),
                );
            }
        }
        other => {
            let (message, rule) = simple(other, value);
            problems.push(at, message, rule);
        }
    }
}

/// How many problems an error is about.
fn told_by(error: &ValidationError<'_>) -> usize {
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.len()
        }
        _ => 1,
    }
}

/// A value for a message: scalars as JSON, long strings cut, containers by their size.
pub(super) fn brief(value: &Value) -> String {
    const SHOWN: usize = 60;
    match value {
        Value::String(text) => match text.char_indices().nth(SHOWN) {
            None => value.to_string(),
            Some((end, _)) => {
                format!("{}... ({} characters)", Value::from(&text[..end]), text.chars().count())
            }
        },
        Value::Array(items) => format!("an array of {}", counted(items.len(), "item")),
        Value::Object(_) => "an object".into(),
        scalar => scalar.to_string(),
    }
}

/// Adds that the value at `at` has none of the types that were expected.
pub(super) fn wrong_type(at: &str, value: &Value, mut expected: Vec<JsonType>, problems: &mut Problems) {
    expected.sort_by_key(|kind| *kind == JsonType::Null);
    let hint = quoted_json_hint(value, &expected);
    let listed = join_or(expected.iter().map(|kind| kind.as_str().to_owned()).collect());
    problems.push(at, format!("expected {listed}, got {}{hint}", sort(value)), format!("must be {listed}"));
}

/// The types that a `type` keyword names.
pub(super) fn types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(one) => vec![*one],
        TypeKind::Multiple(several) => several.iter().collect(),
    }
}

/// A value with the name of its type where that is not plain to see.
pub(super) fn sort(value: &Value) -> String {
    match value {
        Value::String(_) => format!("string {}", brief(value)),
        Value::Bool(_) => format!("boolean {value}"),
        _ => brief(value),
    }
}

/// `a`, `a or b`, `a, b or c`.
fn join_or(mut words: Vec<String>) -> String {
    match words.pop() {
        Some(last) if !words.is_empty() => format!("{} or {last}", words.join(", ")),
        Some(only) => only,
        None => String::new(),
    }
}

/// For a value that arrived as JSON text inside a string, as models like to send it.
fn quoted_json_hint(value: &Value, expected: &[JsonType]) -> &'static str {
    let Some(text) = value.as_str() else { return "" };
    let inner = match text.trim_start().as_bytes().first() {
        Some(b'[') => JsonType::Array,
        Some(b'{') => JsonType::Object,
        Some(b'-' | b'0'..=b'9') if text.parse::<i64>().is_ok() => JsonType::Integer,
        Some(b'-' | b'0'..=b'9') if text.parse::<f64>().is_ok() => JsonType::Number,
        Some(b't' | b'f') if matches!(text, "true" | "false") => JsonType::Boolean,
        _ => return "",
    };
    let fits = |one: &JsonType| *one == inner || (*one == JsonType::Number && inner == JsonType::Integer);
    match inner {
        _ if !expected.iter().any(fits) => "",
        JsonType::Array | JsonType::Object => "; send it as JSON, not as text",
        _ => "; send it without quotes",
    }
}

/// One problem for each property that no schema knows, with the name that was probably meant.
fn unknown_properties(
    error: &ValidationError<'_>,
    unexpected: &[String],
    schema: &Value,
    problems: &mut Problems,
) {
    const LISTED: usize = 12;
    let at = error.instance_path().as_str();
    let noun = if at.is_empty() { "argument" } else { "property" };
    let outer = error.schema_path().as_str().rsplit_once('/').map_or("", |(outer, _)| outer);
    let known: Vec<&str> = schema
        .pointer(outer)
        .and_then(|outer| outer.get("properties"))
        .and_then(Value::as_object)
        .map_or_else(Vec::new, |properties| properties.keys().map(String::as_str).collect());
    for (index, name) in unexpected.iter().enumerate() {
        if problems.is_full() {
            problems.more += unexpected.len() - index;
            return;
        }
        let mut hint = problems.hint(name, known.iter().copied());
        if hint.is_empty() && (1..=LISTED).contains(&known.len()) {
            hint = format!("; known are {}", known.join(", "));
        }
        problems.push(
            &format!("{at}/{}", escaped(name)),
            format!("unknown {noun}{hint}"),
            "not allowed by the schema",
        );
    }
}

fn listed_options(options: &Value) -> String {
    const LISTED: usize = 20;
    let Some(options) = options.as_array() else { return brief(options) };
    let shown: Vec<String> = options.iter().take(LISTED).map(brief).collect();
    let rest = options.len().saturating_sub(LISTED);
    let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    format!("{}{rest}", shown.join(", "))
}

/// Message and rule for the kinds that need no more than a sentence.
fn simple(kind: &Kind, value: &Value) -> (String, String) {
    let v = brief(value);
    match kind {
        Kind::Constant { expected_value } => {
            let expected = brief(expected_value);
            (format!("{v} is not {expected}, the only value allowed"), format!("must be {expected}"))
        }
        Kind::Pattern { pattern } => {
            let pattern = brief(&Value::from(pattern.as_str()));
            (format!("{v} does not match the pattern {pattern}"), format!("must match the pattern {pattern}"))
        }
        Kind::Format { format } => {
            (format!("{v} is not a valid {format}"), format!("must be a valid {format}"))
        }
        Kind::ContentEncoding { content_encoding: name }
        | Kind::ContentMediaType { content_media_type: name } => {
            (format!("the text is not valid {name}"), format!("must be valid {name}"))
        }
        Kind::FromUtf8 { .. } => same("must hold UTF-8 text"),
        Kind::UnevaluatedItems { .. } => same("has items that the schema does not allow"),
        Kind::UniqueItems => same("has equal items, but each must be different"),
        Kind::Contains => same("lacks the items that it must contain, or has too many of them"),
        Kind::FalseSchema => same("nothing is allowed here"),
        Kind::Not { .. } => same("matches what is not allowed here"),
        Kind::OneOfMultipleValid { .. } => {
            same("matches more than one of the alternatives, but must match exactly one")
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            same("too costly to hold against its pattern; try a shorter or simpler text")
        }
        Kind::Custom { message, .. } => same(message),
        _ => number(kind, &v)
            .or_else(|| size(kind, value))
            .unwrap_or_else(|| same("does not match the schema")),
    }
}

/// Message and rule for a number `v` out of bounds.
fn number(kind: &Kind, v: &str) -> Option<(String, String)> {
    Some(match kind {
        Kind::Maximum { limit } => {
            (format!("{v} is more than the maximum of {limit}"), format!("must be at most {limit}"))
        }
        Kind::Minimum { limit } => {
            (format!("{v} is less than the minimum of {limit}"), format!("must be at least {limit}"))
        }
        Kind::ExclusiveMaximum { limit } => {
            (format!("{v} must be less than {limit}"), format!("must be less than {limit}"))
        }
        Kind::ExclusiveMinimum { limit } => {
            (format!("{v} must be more than {limit}"), format!("must be more than {limit}"))
        }
        Kind::MultipleOf { multiple_of } => (
            format!("{v} is not a multiple of {multiple_of}"),
            format!("must be a multiple of {multiple_of}"),
        ),
        _ => return None,
    })
}

fn same(text: &str) -> (String, String) {
    (text.to_owned(), text.to_owned())
}

/// Message and rule for too much or too little of something.
fn size(kind: &Kind, value: &Value) -> Option<(String, String)> {
    let (limit, at_most, noun) = match kind {
        Kind::MinLength { limit } => (*limit, false, "character"),
        Kind::MaxLength { limit } => (*limit, true, "character"),
        Kind::MinItems { limit } => (*limit, false, "item"),
        Kind::MaxItems { limit } => (*limit, true, "item"),
        Kind::AdditionalItems { limit } => (*limit as u64, true, "item"),
        Kind::MinProperties { limit } => (*limit, false, "member"),
        Kind::MaxProperties { limit } => (*limit, true, "member"),
        _ => return None,
    };
    let has = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    };
    let bound = format!("{} {}", if at_most { "at most" } else { "at least" }, counted(limit as usize, noun));
    if has == 0 && limit == 1 {
        return Some(("must not be empty".into(), format!("must have {bound}")));
    }
    Some((format!("has {}, but must have {bound}", counted(has, noun)), format!("must have {bound}")))
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::schema::compile::{CompiledSchema, SchemaLimits};
    use serde_json::json;

    fn problems(schema: &Value, value: &Value) -> Problems {
        let schema =
            CompiledSchema::compile(schema.to_string().as_bytes(), &SchemaLimits::default()).unwrap();
        schema.validate(value).unwrap_err()
    }

    fn said(schema: &Value, value: &Value) -> Vec<String> {
        let problems = problems(schema, value);
        let mut said: Vec<String> =
            problems.list.iter().map(|p| format!("{}: {}", p.pointer, p.message)).collect();
        said.sort();
        said
    }

    #[test]
    fn tells_all_problems_of_arguments_at_once() {
        let schema = json!({"type": "object", "required": ["city"], "additionalProperties": false, "properties": {
            "city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 7},
            "units": {"enum": ["metric", "imperial"]}}});
        assert_eq!(
            said(&schema, &json!({"days": 9, "dayz": 1, "units": "metrik", "wind": true})),
            [
                "/city: required, but missing",
                "/days: 9 is more than the maximum of 7",
                "/dayz: unknown argument; did you mean \"days\"?",
                "/units: \"metrik\" is not one of \"metric\", \"imperial\"; did you mean \"metric\"?",
                "/wind: unknown argument; known are city, days, units",
            ]
        );
    }

    /// B067: the name of the argument and the expected type are there, and nothing is converted.
    #[test]
    fn tells_a_model_that_it_sent_json_as_text() {
        let schema = json!({"properties": {
            "tags": {"type": "array"}, "user": {"type": "object"}, "n": {"type": ["integer", "null"]},
            "on": {"type": "boolean"}, "x": {"type": "number"}}});
        assert_eq!(
            said(&schema, &json!({"tags": "[\"a\"]", "user": " {}", "n": "5", "on": "true", "x": "1.5"})),
            [
                "/n: expected integer or null, got string \"5\"; send it without quotes",
                "/on: expected boolean, got string \"true\"; send it without quotes",
                "/tags: expected array, got string \"[\\\"a\\\"]\"; send it as JSON, not as text",
                "/user: expected object, got string \" {}\"; send it as JSON, not as text",
                "/x: expected number, got string \"1.5\"; send it without quotes",
            ]
        );
        assert_eq!(
            said(&schema, &json!({"tags": "{}", "n": "a,b", "on": "yes"})),
            [
                "/n: expected integer or null, got string \"a,b\"",
                "/on: expected boolean, got string \"yes\"",
                "/tags: expected array, got string \"{}\"",
            ]
        );
    }

    #[test]
    fn has_words_for_every_keyword() {
        for (schema, value, wanted) in [
            (json!({"type": "integer"}), json!(1.5), ": expected integer, got 1.5"),
            (json!({"type": "integer"}), json!(true), ": expected integer, got boolean true"),
            (json!({"type": "string"}), json!(null), ": expected string, got null"),
            (json!({"type": "string"}), json!([1]), ": expected string, got an array of 1 item"),
            (json!({"minimum": 1}), json!(0), ": 0 is less than the minimum of 1"),
            (json!({"exclusiveMaximum": 1}), json!(1), ": 1 must be less than 1"),
            (json!({"exclusiveMinimum": 1}), json!(1), ": 1 must be more than 1"),
            (json!({"multipleOf": 2}), json!(3), ": 3 is not a multiple of 2"),
            (json!({"const": "a"}), json!(1), ": 1 is not \"a\", the only value allowed"),
            (json!({"pattern": "^a$"}), json!("b"), ": \"b\" does not match the pattern \"^a$\""),
            (json!({"minLength": 1}), json!(""), ": must not be empty"),
            (json!({"minLength": 2}), json!("é"), ": has 1 character, but must have at least 2 characters"),
            (json!({"maxLength": 2}), json!("abc"), ": has 3 characters, but must have at most 2 characters"),
            (json!({"minItems": 2}), json!([1]), ": has 1 item, but must have at least 2 items"),
            (json!({"maxItems": 1}), json!([1, 2]), ": has 2 items, but must have at most 1 item"),
            (json!({"prefixItems": [{}], "items": false}), json!([1, 2]), "/1: nothing is allowed here"),
            (json!({"minProperties": 1}), json!({}), ": must not be empty"),
            (json!({"maxProperties": 0}), json!({"a": 1}), ": has 1 member, but must have at most 0 members"),
            (json!({"uniqueItems": true}), json!([1, 1]), ": has equal items, but each must be different"),
            (
                json!({"contains": {"const": 1}}),
                json!([2]),
                ": lacks the items that it must contain, or has too many of them",
            ),
            (json!({"not": {}}), json!(1), ": matches what is not allowed here"),
            (
                json!({"oneOf": [{}, {}]}),
                json!(1),
                ": matches more than one of the alternatives, but must match exactly one",
            ),
            (json!({"properties": {"a": false}}), json!({"a": 1}), "/a: nothing is allowed here"),
            (
                json!({"propertyNames": {"maxLength": 1}}),
                json!({"ab": 1}),
                "/ab: this name is not allowed: has 2 characters, but must have at most 1 character",
            ),
            (
                json!({"properties": {"o": {"properties": {"good": {}}, "additionalProperties": false}}}),
                json!({"o": {"god": 1}}),
                "/o/god: unknown property; did you mean \"good\"?",
            ),
            (
                json!({"properties": {"good": {}}, "unevaluatedProperties": false}),
                json!({"god": 1}),
                "/god: unknown argument; did you mean \"good\"?",
            ),
            (json!({"dependentRequired": {"a": ["b/c"]}}), json!({"a": 1}), "/b~1c: required, but missing"),
        ] {
            assert_eq!(said(&schema, &value), [wanted], "{schema}");
        }
    }

    /// B074: null and unions.
    #[test]
    fn tells_of_the_alternative_that_was_meant() {
        let nullable = json!({"anyOf": [{"type": "integer", "maximum": 7}, {"type": "null"}]});
        let tagged = json!({"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "string"}}, "required": ["kind", "y"]}]});
        let either = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
        for (schema, value, wanted) in [
            (&nullable, json!(9), ": 9 is more than the maximum of 7"),
            (&nullable, json!("null"), ": expected integer or null, got string \"null\""),
            (
                &tagged,
                json!({"kind": "a", "x": "1"}),
                "/x: expected integer, got string \"1\"; send it without quotes",
            ),
            (&tagged, json!({"kind": "b"}), "/y: required, but missing"),
            (&tagged, json!(5), ": expected object, got 5"),
            (
                &either,
                json!({}),
                ": matches none of 2 alternatives: /a: required, but missing; /b: required, but missing",
            ),
        ] {
            assert_eq!(said(schema, &value), [wanted], "{schema} {value}");
        }
        let nullable =
            CompiledSchema::compile(nullable.to_string().as_bytes(), &SchemaLimits::default()).unwrap();
        assert!(nullable.validate(&json!(null)).is_ok() && nullable.validate(&json!(3)).is_ok());
    }

    #[test]
    fn cuts_long_values_and_names() {
        let long = "x".repeat(100_000);
        let schema = json!({"additionalProperties": false, "properties": {"a": {"type": "integer"}}});
        let report = problems(&schema, &json!({"a": long, (long.clone()): 1})).describe_input("x");
        assert!(report.len() < 1_500, "{report}");
        let schema = json!({"items": {"type": "string"}});
        let found = problems(&schema, &Value::from(vec![1; 80]));
        assert_eq!((found.list.len(), found.more, found.count()), (50, 30, 80));
    }

    #[test]
    fn looks_for_the_meant_name_in_the_first_problems_only() {
        let schema = json!({"additionalProperties": false, "properties": {"days": {}}});
        let unknown: serde_json::Map<String, Value> =
            (10..90).map(|n| (format!("days{n}"), json!(1))).collect();
        let found = problems(&schema, &Value::Object(unknown));
        assert_eq!((found.list.len(), found.more), (50, 30));
        let hints =
            |found: &Problems| found.list.iter().filter(|p| p.message.contains("did you mean")).count();
        assert_eq!(hints(&found), 10);
        let choice = json!({"items": {"anyOf": [{"enum": ["days"]}, {"enum": ["hours"]}]}});
        let found = problems(&choice, &Value::from(vec!["day"; 80]));
        assert!(hints(&found) <= 10, "{found:?}");
        assert_eq!((found.list.len(), found.more), (50, 30));
    }

    #[test]
    fn rules_say_nothing_of_the_value() {
        let schema = json!({"type": "object", "required": ["r"], "additionalProperties": false, "properties": {
            "a": {"type": "integer"}, "b": {"enum": ["x"]}, "c": {"pattern": "^q$"}, "d": {"maxLength": 1},
            "e": {"anyOf": [{"const": 1}, {"const": 2}]}, "f": {"maximum": 1}, "g": {"const": 0},
            "h": {"anyOf": [{"type": "null"}, {"type": "integer"}]}, "i": {"propertyNames": {"maxLength": 1}},
            "j": {"oneOf": [{"minimum": 90000000}, {"multipleOf": 7}]}}});
        let secret = "secret77";
        let value = json!({"a": secret, "b": secret, "c": secret, "d": secret, "e": secret, "f": 77, "g": secret,
            "h": secret, "i": {"zz": secret}, "j": 77000001});
        let found = problems(&schema, &value);
        assert!(found.list.len() >= 10);
        for problem in &found.list {
            assert!(!problem.rule.contains("77"), "{problem:?}");
        }
    }
}
