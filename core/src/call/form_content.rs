//! Holds what a user filled in against the form that was asked for.
//!
//! A form's schema knows only flat fields, so that this is quicker than a validator made for one answer. `format` is
//! an annotation here as in all schemas of the library: a client that lets a field stay blank, or sends a date as its
//! form control has it, would ask its user the same question for ever without a word why. A handler to which the
//! format matters checks it.

use serde_json::{Map, Value};

/// Checks `content` against `schema`, the `requestedSchema` of a checked request. Members that the schema does not
/// know are let through, and null in a field that is not required is a field left blank.
pub fn check(schema: &Value, content: &Map<String, Value>) -> Result<(), String> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|required| required == name));
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let told = |rule: String| format!("/content/{}: {rule}", name.replace('~', "~0").replace('/', "~1"));
        match content.get(name).filter(|value| !value.is_null()) {
            Some(value) => check_field(field, value).map_err(told)?,
            None if is_required(name) => return Err(told("required, but missing".into())),
            None => {}
        }
    }
    Ok(())
}

/// Checks one value against its field, and says which rule it breaks.
fn check_field(field: &Value, value: &Value) -> Result<(), String> {
    match field.get("type").and_then(Value::as_str).unwrap_or_default() {
        "string" => check_text(field, value.as_str().ok_or("must be a string")?),
        "number" => check_number(field, value.as_f64().ok_or("must be a number")?),
        "integer" => match value.as_f64() {
            Some(number) if number.fract() == 0.0 => check_number(field, number),
            _ => Err("must be a whole number".into()),
        },
        "boolean" => value.as_bool().map(drop).ok_or_else(|| "must be true or false".into()),
        _ => check_several(field, value.as_array().ok_or("must be an array of choices")?),
    }
}

fn check_text(field: &Value, text: &str) -> Result<(), String> {
    if !is_choice(field, text) {
        return Err("must be one of the choices".into());
    }
    check_count(field, text.chars().count(), ["minLength", "maxLength"], "characters")
}

fn check_number(field: &Value, number: f64) -> Result<(), String> {
    let bound = |name: &str| field.get(name).and_then(Value::as_f64);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), _) if number < least => Err(format!("must be at least {least}")),
        (_, Some(most)) if number > most => Err(format!("must be at most {most}")),
        _ => Ok(()),
    }
}

fn check_several(field: &Value, chosen: &[Value]) -> Result<(), String> {
    let items = &field["items"];
    if !chosen.iter().all(|choice| choice.as_str().is_some_and(|text| is_choice(items, text))) {
        return Err("must be an array of the choices".into());
    }
    check_count(field, chosen.len(), ["minItems", "maxItems"], "choices")
}

/// Whether `text` is one of the choices in `place`; any text is, where there are none.
fn is_choice(place: &Value, text: &str) -> bool {
    if let Some(choices) = place.get("enum").and_then(Value::as_array) {
        return choices.iter().any(|choice| choice == text);
    }
    match place.get("oneOf").or_else(|| place.get("anyOf")).and_then(Value::as_array) {
        Some(choices) => choices.iter().any(|choice| choice["const"] == text),
        None => true,
    }
}

fn check_count(field: &Value, count: usize, bounds: [&str; 2], what: &str) -> Result<(), String> {
    let [least, most] = bounds.map(|name| field.get(name).and_then(Value::as_f64));
    match (least, most) {
        (Some(least), _) if (count as f64) < least => {
            Err(format!("has too few {what}; the least is {least}"))
        }
        (_, Some(most)) if (count as f64) > most => Err(format!("has too many {what}; the most is {most}")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::json;

    fn fault(field: &Value, value: &Value) -> Option<String> {
        let schema = json!({"type": "object", "properties": {"a/b": field}});
        check(&schema, json!({"a/b": value}).as_object().unwrap()).err()
    }

    #[test]
    fn takes_what_the_fields_allow() {
        let colours = json!({"type": "string", "oneOf": [{"const": "#F00", "title": "Red"}]});
        for (field, value) in [
            (json!({"type": "string", "minLength": 2, "maxLength": 3}), json!("äöü")),
            (json!({"type": "string", "format": "email"}), json!("")),
            (json!({"type": "string", "format": "date-time"}), json!("2026-07-28T10:00")),
            (json!({"type": "string", "minLength": 2}), json!(null)),
            (json!({"type": "number", "minimum": -0.5, "maximum": 1}), json!(-0.5)),
            (json!({"type": "number"}), json!(3)),
            (json!({"type": "integer", "maximum": 30}), json!(30.0)),
            (json!({"type": "boolean"}), json!(false)),
            (json!({"type": "string", "enum": ["a", "b"]}), json!("b")),
            (json!({"type": "string", "enum": ["a"], "enumNames": ["A"]}), json!("a")),
            (colours, json!("#F00")),
            (
                json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 2}),
                json!(["b", "a"]),
            ),
            (json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}), json!([])),
        ] {
            assert_eq!(fault(&field, &value), None, "{field} {value}");
        }
    }

    #[test]
    fn says_which_rule_is_broken() {
        let several = json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1, "maxItems": 1});
        let titled = json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}});
        for (field, value, rule) in [
            (json!({"type": "string"}), json!(5), "must be a string"),
            (json!({"type": "string", "minLength": 1}), json!(""), "has too few characters; the least is 1"),
            (
                json!({"type": "string", "maxLength": 2}),
                json!("äöü"),
                "has too many characters; the most is 2",
            ),
            (json!({"type": "string", "enum": ["a"]}), json!("A"), "must be one of the choices"),
            (
                json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}),
                json!("A"),
                "must be one of the choices",
            ),
            (json!({"type": "number"}), json!("5"), "must be a number"),
            (json!({"type": "number", "minimum": 0.5}), json!(0), "must be at least 0.5"),
            (json!({"type": "integer", "maximum": 7}), json!(8), "must be at most 7"),
            (json!({"type": "integer"}), json!(1.5), "must be a whole number"),
            (json!({"type": "integer"}), json!(true), "must be a whole number"),
            (json!({"type": "boolean"}), json!("true"), "must be true or false"),
            (several.clone(), json!("a"), "must be an array of choices"),
            (several.clone(), json!(["c"]), "must be an array of the choices"),
            (several.clone(), json!([1]), "must be an array of the choices"),
            (several.clone(), json!([]), "has too few choices; the least is 1"),
            (several, json!(["a", "b"]), "has too many choices; the most is 1"),
            (titled, json!(["A"]), "must be an array of the choices"),
        ] {
            assert_eq!(fault(&field, &value), Some(format!("/content/a~1b: {rule}")), "{field} {value}");
        }
    }

    #[test]
    fn demands_the_required_fields_and_lets_others_pass() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string"}, "b": {"type": "boolean"}}});
        let told = |content: Value| check(&schema, content.as_object().unwrap());
        let missing = Err("/content/a: required, but missing".to_owned());
        assert_eq!(told(json!({"a": "", "c": {"d": []}})), Ok(()));
        assert_eq!(told(json!({"a": "", "b": null})), Ok(()));
        assert_eq!(told(json!({})), missing);
        assert_eq!(told(json!({"a": null, "b": true})), missing);
    }
}
