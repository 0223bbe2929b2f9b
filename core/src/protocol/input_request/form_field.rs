//! One field of a form: a text, a number, a yes or no, or a choice of one or several.
//!
//! Specification: client/elicitation, "Requested Schema"; schema, `PrimitiveSchemaDefinition`.

use std::borrow::Cow;

use super::super::document::{self, Document, DocumentFault, cut, not_one_of};

/// Checks `raw`, the field at `pointer`, and appends it as it is published.
pub fn append_published(raw: &[u8], pointer: String, out: &mut Vec<u8>) -> Result<(), DocumentFault> {
    let (kind, has) = kind_of(raw, &pointer)?;
    let field = Document::read(raw, pointer, kind.keys(has))?;
    field.string("title")?;
    field.string("description")?;
    match kind {
        Kind::Text if has.choices => check_choice(&field, "enum", &untitled(&field, "enum")?)?,
        Kind::Text if has.titles => check_choice(&field, "oneOf", &titled(&field, "oneOf")?)?,
        Kind::Text => check_text(&field)?,
        Kind::Number => check_number(&field, false)?,
        Kind::Integer => check_number(&field, true)?,
        Kind::Boolean => drop(field.boolean("default")?),
        Kind::Choices => {
            let items = check_choices(&field)?;
            field.write(out, |name| (name == "items").then_some(items.as_slice()));
            return Ok(());
        }
    }
    field.write(out, |_| None);
    Ok(())
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Integer,
    Boolean,
    /// Several of a set.
    Choices,
}

/// What makes a text a choice.
#[derive(Clone, Copy)]
struct Has {
    choices: bool,
    titles: bool,
}

impl Kind {
    const NAMES: [(&str, Kind); 5] = [
        ("string", Kind::Text),
        ("number", Kind::Number),
        ("integer", Kind::Integer),
        ("boolean", Kind::Boolean),
        ("array", Kind::Choices),
    ];

    fn keys(self, has: Has) -> &'static [&'static str] {
        match self {
            Kind::Text if has.choices => &["type", "title", "description", "enum", "enumNames", "default"],
            Kind::Text if has.titles => &["type", "title", "description", "oneOf", "default"],
            Kind::Text => &["type", "title", "description", "minLength", "maxLength", "format", "default"],
            Kind::Number | Kind::Integer => {
                &["type", "title", "description", "minimum", "maximum", "default"]
            }
            Kind::Boolean => &["type", "title", "description", "default"],
            Kind::Choices => &["type", "title", "description", "minItems", "maxItems", "items", "default"],
        }
    }
}

fn kind_of(raw: &[u8], pointer: &str) -> Result<(Kind, Has), DocumentFault> {
    let members = document::object(raw, pointer)?;
    let member = |name: &str| members.iter().find(|(key, value)| key == name && *value != b"null");
    let Some((_, written)) = member("type") else {
        let message =
            "\"type\" is missing: a field is a string, number, integer or boolean, or an array of choices";
        return Err(DocumentFault::new(pointer, message));
    };
    let at = || format!("{pointer}/type");
    let written = document::string(written, at)?;
    let kind = Kind::NAMES.iter().find(|(name, _)| *name == written);
    match kind {
        Some((_, kind)) => {
            Ok((*kind, Has { choices: member("enum").is_some(), titles: member("oneOf").is_some() }))
        }
        None if written == "object" => {
            Err(DocumentFault::new(at(), "a form is flat: ask for the fields of an object one by one"))
        }
        None => Err(DocumentFault::new(at(), not_one_of(&written, &Kind::NAMES.map(|(name, _)| name)))),
    }
}

fn check_text(field: &Document<'_>) -> Result<(), DocumentFault> {
    let (least, most) = range_of_counts(field, "minLength", "maxLength")?;
    field.one_of("format", &["email", "uri", "date", "date-time"])?;
    let Some(default) = field.string("default")? else { return Ok(()) };
    let length = default.chars().count() as u64;
    if (least..=most).contains(&length) {
        return Ok(());
    }
    Err(field.fault("default", format!("has {length} characters, which the field does not allow")))
}

fn check_number(field: &Document<'_>, whole: bool) -> Result<(), DocumentFault> {
    let least = field.number("minimum")?.unwrap_or(f64::NEG_INFINITY);
    let most = field.number("maximum")?.unwrap_or(f64::INFINITY);
    if least > most {
        return Err(field.fault("minimum", "is more than the maximum"));
    }
    match field.number("default")? {
        Some(default) if whole && default.fract() != 0.0 => {
            Err(field.fault("default", "must be a whole number, as the field's type says"))
        }
        Some(default) if !(least..=most).contains(&default) => {
            Err(field.fault("default", "lies outside of the field's range"))
        }
        _ => Ok(()),
    }
}

fn check_choice(field: &Document<'_>, place: &str, choices: &[Cow<'_, str>]) -> Result<(), DocumentFault> {
    if let Some(names) = field.raw("enumNames") {
        let pointer = field.pointer_to("enumNames");
        let names = strings(names, &pointer)?;
        if names.len() != choices.len() {
            let message = format!("must have a name for each choice: {}, not {}", choices.len(), names.len());
            return Err(DocumentFault::new(pointer, message));
        }
    }
    match field.string("default")? {
        Some(default) if !choices.contains(&default) => {
            Err(field.fault("default", format!("\"{}\" is no choice of \"{place}\"", cut(&default))))
        }
        _ => Ok(()),
    }
}

/// Checks a field of several choices, and returns its `items` as they are published.
fn check_choices(field: &Document<'_>) -> Result<Vec<u8>, DocumentFault> {
    let pointer = field.pointer_to("items");
    let Some(raw) = field.raw("items") else {
        let message = "is missing: it holds the choices, as {\"type\": \"string\", \"enum\": [\"a\", \"b\"]}";
        return Err(DocumentFault::new(pointer, message));
    };
    let members = document::object(raw, &pointer)?;
    let has_titles = members.iter().any(|(key, _)| key == "anyOf");
    let items = Document::read(raw, pointer, if has_titles { &["anyOf"] } else { &["type", "enum"] })?;
    let choices = if has_titles {
        titled(&items, "anyOf")?
    } else {
        if items.required_string("type")? != "string" {
            return Err(items.fault("type", "choices are strings: write \"type\": \"string\""));
        }
        untitled(&items, "enum")?
    };
    let (least, most) = range_of_counts(field, "minItems", "maxItems")?;
    if least > choices.len() as u64 {
        return Err(field.fault("minItems", "is more than there are choices"));
    }
    if let Some(default) = field.raw("default") {
        let default = strings(default, &field.pointer_to("default"))?;
        if let Some(other) = default.iter().find(|chosen| !choices.contains(*chosen)) {
            return Err(field.fault("default", format!("\"{}\" is no choice of \"items\"", cut(other))));
        }
        if !(least..=most).contains(&(default.len() as u64)) {
            return Err(field.fault("default", "has more or fewer choices than the field allows"));
        }
    }
    let mut out = Vec::new();
    items.write(&mut out, |_| None);
    Ok(out)
}

/// The choices of an `enum`.
fn untitled<'a>(parent: &Document<'a>, name: &str) -> Result<Vec<Cow<'a, str>>, DocumentFault> {
    let pointer = parent.pointer_to(name);
    let raw = parent.raw(name).ok_or_else(|| parent.fault(name, "is missing: it lists the choices"))?;
    let choices = strings(raw, &pointer)?;
    check_set(&choices, pointer)?;
    Ok(choices)
}

/// The values of choices that have titles.
fn titled<'a>(parent: &Document<'a>, name: &str) -> Result<Vec<Cow<'a, str>>, DocumentFault> {
    let pointer = parent.pointer_to(name);
    let raw = parent.raw(name).ok_or_else(|| parent.fault(name, "is missing: it lists the choices"))?;
    let mut choices = Vec::new();
    for (index, choice) in document::array(raw, &pointer)?.into_iter().enumerate() {
        let choice = Document::read(choice, format!("{pointer}/{index}"), &["const", "title"])?;
        choice.required_string("title")?;
        choices.push(choice.required_string("const")?);
    }
    check_set(&choices, pointer)?;
    Ok(choices)
}

fn check_set(choices: &[Cow<'_, str>], pointer: String) -> Result<(), DocumentFault> {
    if choices.is_empty() {
        return Err(DocumentFault::new(pointer, "must have at least one choice"));
    }
    for (index, choice) in choices.iter().enumerate() {
        if choices[..index].contains(choice) {
            let message = format!("the choice \"{}\" stands twice", cut(choice));
            return Err(DocumentFault::new(format!("{pointer}/{index}"), message));
        }
    }
    Ok(())
}

fn strings<'a>(raw: &'a [u8], pointer: &str) -> Result<Vec<Cow<'a, str>>, DocumentFault> {
    let elements = document::array(raw, pointer)?.into_iter().enumerate();
    elements.map(|(index, text)| document::string(text, || format!("{pointer}/{index}"))).collect()
}

/// A range of whole numbers, given by two members of which each may be absent.
fn range_of_counts(field: &Document<'_>, least: &str, most: &str) -> Result<(u64, u64), DocumentFault> {
    let count = |name: &str| match field.number(name)? {
        Some(count) if count < 0.0 || count.fract() != 0.0 => {
            Err(field.fault(name, "must be a whole number, 0 or more"))
        }
        count => Ok(count.map(|count| count as u64)),
    };
    let range = (count(least)?.unwrap_or(0), count(most)?.unwrap_or(u64::MAX));
    if range.0 > range.1 {
        return Err(field.fault(least, format!("is more than \"{most}\"")));
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn published(raw: &str) -> Result<String, String> {
        let mut out = Vec::new();
        match append_published(raw.as_bytes(), "/f".into(), &mut out) {
            Ok(()) => Ok(String::from_utf8(out).unwrap()),
            Err(fault) => Err(fault.to_string()),
        }
    }

    #[test]
    fn publishes_every_kind_of_field_as_it_was_written() {
        for raw in [
            r#"{"type":"string"}"#,
            r#"{"type":"string","title":"T","description":"D","minLength":3,"maxLength":50,"format":"email","default":"user@example.com"}"#,
            r#"{"type":"number","minimum":-0.5,"maximum":100,"default":95.5}"#,
            r#"{"default":30,"type":"integer","minimum":0,"maximum":1e2}"#,
            r#"{"type":"integer","default":3.0}"#,
            r#"{"type":"boolean","default":false}"#,
            r#"{"type":"string","enum":["Red","Green"],"default":"Red"}"#,
            r#"{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]}"#,
            r##"{"type":"string","oneOf":[{"const":"#F00","title":"Red"},{"title":"Green","const":"#0F0"}],"default":"#0F0"}"##,
            r#"{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b"]},"default":["b","a"]}"#,
            r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":[]}"#,
        ] {
            assert_eq!(published(raw), Ok(raw.into()));
        }
        assert_eq!(
            published(
                "{\"type\": \"string\",\n \"title\": null, \"oneOf\": [ {\"const\": \"a\", \"title\": \"A\"} ] }"
            ),
            Ok(r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#.into())
        );
    }

    #[test]
    fn says_what_is_wrong_with_a_field() {
        for (raw, wanted) in [
            ("true", "/f: must be an object, not a boolean"),
            (
                r#"{"enum":["a"]}"#,
                "/f: \"type\" is missing: a field is a string, number, integer or boolean, or an array of choices",
            ),
            (
                r#"{"type":"object","properties":{}}"#,
                "/f/type: a form is flat: ask for the fields of an object one by one",
            ),
            (
                r#"{"type":"int"}"#,
                "/f/type: \"int\" is not one of \"string\", \"number\", \"integer\", \"boolean\", \"array\"",
            ),
            (r#"{"type":["string","null"]}"#, "/f/type: must be a string, not an array"),
            (
                r#"{"type":"string","pattern":"^a"}"#,
                "/f: unknown key \"pattern\"; known are type, title, description, minLength, maxLength, format, default",
            ),
            (r#"{"type":"string","title":5}"#, "/f/title: must be a string, not a number"),
            (r#"{"type":"string","minLength":-1}"#, "/f/minLength: must be a whole number, 0 or more"),
            (r#"{"type":"string","maxLength":1.5}"#, "/f/maxLength: must be a whole number, 0 or more"),
            (r#"{"type":"string","minLength":3,"maxLength":2}"#, "/f/minLength: is more than \"maxLength\""),
            (
                r#"{"type":"string","maxLength":2,"default":"äöü"}"#,
                "/f/default: has 3 characters, which the field does not allow",
            ),
            (
                r#"{"type":"string","format":"password"}"#,
                "/f/format: \"password\" is not one of \"email\", \"uri\", \"date\", \"date-time\"",
            ),
            (r#"{"type":"string","default":5}"#, "/f/default: must be a string, not a number"),
            (r#"{"type":"number","minimum":2,"maximum":1}"#, "/f/minimum: is more than the maximum"),
            (r#"{"type":"number","maximum":1,"default":2}"#, "/f/default: lies outside of the field's range"),
            (r#"{"type":"number","default":"2"}"#, "/f/default: must be a number, not a string"),
            (
                r#"{"type":"integer","default":1.5}"#,
                "/f/default: must be a whole number, as the field's type says",
            ),
            (
                r#"{"type":"number","multipleOf":2}"#,
                "/f: unknown key \"multipleOf\"; known are type, title, description, minimum, maximum, default",
            ),
            (r#"{"type":"boolean","default":"no"}"#, "/f/default: must be true or false, not a string"),
            (r#"{"type":"string","enum":[]}"#, "/f/enum: must have at least one choice"),
            (r#"{"type":"string","enum":["a",1]}"#, "/f/enum/1: must be a string, not a number"),
            (r#"{"type":"string","enum":["a","b","a"]}"#, "/f/enum/2: the choice \"a\" stands twice"),
            (
                r#"{"type":"string","enum":["a"],"enumNames":["A","B"]}"#,
                "/f/enumNames: must have a name for each choice: 1, not 2",
            ),
            (r#"{"type":"string","enum":["a"],"default":"b"}"#, "/f/default: \"b\" is no choice of \"enum\""),
            (
                r#"{"type":"string","enum":["a"],"minLength":1}"#,
                "/f: unknown key \"minLength\"; known are type, title, description, enum, enumNames, default",
            ),
            (
                r#"{"type":"string","enum":["a"],"oneOf":[]}"#,
                "/f: unknown key \"oneOf\"; known are type, title, description, enum, enumNames, default",
            ),
            (r#"{"type":"string","oneOf":[{"const":"a"}]}"#, "/f/oneOf/0: \"title\" is missing"),
            (
                r#"{"type":"string","oneOf":[{"const":1,"title":"x"}]}"#,
                "/f/oneOf/0/const: must be a string, not a number",
            ),
            (
                r#"{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"A"}"#,
                "/f/default: \"A\" is no choice of \"oneOf\"",
            ),
            (
                r#"{"type":"array"}"#,
                "/f/items: is missing: it holds the choices, as {\"type\": \"string\", \"enum\": [\"a\", \"b\"]}",
            ),
            (
                r#"{"type":"array","items":{"type":"string"}}"#,
                "/f/items/enum: is missing: it lists the choices",
            ),
            (
                r#"{"type":"array","items":{"type":"object","enum":[]}}"#,
                "/f/items/type: choices are strings: write \"type\": \"string\"",
            ),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a"]},"minItems":2}"#,
                "/f/minItems: is more than there are choices",
            ),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a","b"]},"maxItems":1,"default":["a","b"]}"#,
                "/f/default: has more or fewer choices than the field allows",
            ),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":["b"]}"#,
                "/f/default: \"b\" is no choice of \"items\"",
            ),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":"a"}"#,
                "/f/default: must be an array, not a string",
            ),
        ] {
            assert_eq!(published(raw), Err(wanted.into()), "{raw}");
        }
    }
}
