//! Where in a schema further schemas stand. Values of `enum`, `const`, `default` and the like are data, and
//! nothing in them is taken for a schema.

use serde_json::Value;

/// A schema within a schema.
pub(super) struct Child<'a> {
    /// The keyword that holds it.
    pub keyword: Keyword,
    /// Its name or place among the schemas of the keyword.
    pub member: Member<'a>,
    /// The schema: an object or a boolean.
    pub schema: &'a Value,
}

/// Where under its keyword a schema stands.
#[derive(Clone, Copy)]
pub(super) enum Member<'a> {
    /// It is all that the keyword holds.
    Only,
    /// Under this name.
    Named(&'a str),
    /// At this place of an array.
    At(usize),
}

impl Child<'_> {
    /// The JSON Pointer from the outer schema to this one.
    pub fn step(&self) -> String {
        let keyword = self.keyword.name;
        match self.member {
            Member::Only => format!("/{keyword}"),
            Member::Named(name) => format!("/{keyword}/{}", escaped(name)),
            Member::At(index) => format!("/{keyword}/{index}"),
        }
    }
}

/// What is known of a keyword that holds schemas.
#[derive(Clone, Copy)]
pub(super) struct Keyword {
    /// Its name.
    pub name: &'static str,
    /// Whether its schemas are applied to the same value as the schema that holds it, not to a part of the value.
    pub in_place: bool,
    holds: Holds,
}

#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// One schema.
    One,
    /// An array of schemas.
    List,
    /// Schemas by name.
    Map,
    /// One schema or an array of them, by dialect.
    OneOrList,
}

/// The keywords that hold schemas, of all supported dialects.
const KEYWORDS: &[Keyword] = &[
    part("additionalItems", Holds::One),
    part("additionalProperties", Holds::One),
    part("contains", Holds::One),
    part("contentSchema", Holds::One),
    part("items", Holds::OneOrList),
    part("patternProperties", Holds::Map),
    part("prefixItems", Holds::List),
    part("properties", Holds::Map),
    part("propertyNames", Holds::One),
    part("unevaluatedItems", Holds::One),
    part("unevaluatedProperties", Holds::One),
    // Not applied where they stand, only by reference.
    part("$defs", Holds::Map),
    part("definitions", Holds::Map),
    whole("allOf", Holds::List),
    whole("anyOf", Holds::List),
    whole("dependencies", Holds::Map),
    whole("dependentSchemas", Holds::Map),
    whole("else", Holds::One),
    whole("if", Holds::One),
    whole("not", Holds::One),
    whole("oneOf", Holds::List),
    whole("then", Holds::One),
];

const fn part(name: &'static str, holds: Holds) -> Keyword {
    Keyword { name, in_place: false, holds }
}

const fn whole(name: &'static str, holds: Holds) -> Keyword {
    Keyword { name, in_place: true, holds }
}

/// Visits the schemas that stand directly in `schema`.
pub(super) fn each_child<'a, E>(
    schema: &'a Value,
    mut visit: impl FnMut(Child<'a>) -> Result<(), E>,
) -> Result<(), E> {
    let Some(members) = schema.as_object() else { return Ok(()) };
    for (name, value) in members {
        let Some(keyword) = KEYWORDS.iter().find(|keyword| keyword.name == name) else { continue };
        let mut child = |member, schema: &'a Value| match schema {
            Value::Object(_) | Value::Bool(_) => visit(Child { keyword: *keyword, member, schema }),
            _ => Ok(()),
        };
        match (keyword.holds, value) {
            (Holds::Map, Value::Object(schemas)) => {
                for (key, schema) in schemas {
                    child(Member::Named(key), schema)?;
                }
            }
            (Holds::List | Holds::OneOrList, Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    child(Member::At(index), schema)?;
                }
            }
            (Holds::One | Holds::OneOrList, schema) => child(Member::Only, schema)?,
            _ => {}
        }
    }
    Ok(())
}

/// Visits `schema`, which stands at `pointer`, and every schema within it.
pub(super) fn walk<'a, E>(
    schema: &'a Value,
    pointer: &str,
    visit: &mut impl FnMut(&'a Value, &str) -> Result<(), E>,
) -> Result<(), E> {
    visit(schema, pointer)?;
    each_child(schema, |child| walk(child.schema, &format!("{pointer}{}", child.step()), visit))
}

/// A member name as a step of a JSON Pointer.
pub(super) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn visits_schemas_and_nothing_else() {
        let schema = serde_json::json!({
            "properties": {"enum": {"type": "string"}, "a/b~": {"items": [true, {}]}, "bad": 5},
            "enum": [{"properties": {"x": {}}}],
            "default": {"items": {}},
            "x-other": {"not": {}},
            "allOf": [{"if": {}, "then": false}],
            "dependencies": {"a": ["b"], "c": {}},
            "items": {"not": {}},
        });
        let mut seen = Vec::new();
        walk::<()>(&schema, "", &mut |_, pointer| {
            seen.push(pointer.to_owned());
            Ok(())
        })
        .unwrap();
        seen.sort();
        let wanted = [
            "",
            "/allOf/0",
            "/allOf/0/if",
            "/allOf/0/then",
            "/dependencies/c",
            "/items",
            "/items/not",
            "/properties/a~1b~0",
            "/properties/a~1b~0/items/0",
            "/properties/a~1b~0/items/1",
            "/properties/enum",
        ];
        assert_eq!(seen, wanted);
    }
}
