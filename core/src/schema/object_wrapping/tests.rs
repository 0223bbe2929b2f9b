#![allow(clippy::unwrap_used)]

use super::*;
use crate::schema::compile::{CompiledSchema, SchemaLimits};
use proptest::prelude::*;
use serde_json::json;

fn wrapped(schema: &str) -> String {
    String::from_utf8(wrap_output_schema(schema.as_bytes()).unwrap()).unwrap()
}

#[test]
fn leaves_a_schema_of_objects_alone() {
    assert_eq!(wrap_output_schema(br##"{"$ref":"#/$defs/a","type":"object","$defs":{"a":{}}}"##), None);
    for schema in [
        r#"{"type":"array"}"#,
        r#"{"type":["object"]}"#,
        r#"{"properties":{}}"#,
        r#"{"type":"string","enum":["object"]}"#,
        r#"{"anyOf":[{"type":"object"}]}"#,
    ] {
        assert!(wrap_output_schema(schema.as_bytes()).is_some(), "{schema}");
    }
}

#[test]
fn keeps_everything_in_its_order() {
    for (schema, wanted) in [
        ("{}", r#"{"type":"object","properties":{"result":{}},"required":["result"]}"#),
        (
            r#" { "type" : "array", "x-b": [ 1.50, {"b":1,"a":2} ], "title":"A \u00e9" } "#,
            r#"{"type":"object","properties":{"result":{"type":"array","x-b":[1.50,{"b":1,"a":2}],"title":"A \u00e9"}},"required":["result"]}"#,
        ),
        (
            r##"{"items":{"z":1,"$ref":"#/$defs/a","b":2},"$defs":{"a":{"items":{"$ref":"#"}}},"$schema":"https://json-schema.org/draft/2020-12/schema"}"##,
            r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"result":{"items":{"z":1,"$ref":"#/$defs/a","b":2}}},"required":["result"],"$defs":{"a":{"items":{"$ref":"#/properties/result"}}}}"##,
        ),
        (
            r##"{"$id":"https://a.test/b","properties":{"a":{},"b":{"$ref":"#/properties/a"},"c":{"$ref":"b#/properties/a"},"d":{"$ref":"https://a.test/b"}}}"##,
            r##"{"$id":"https://a.test/b","type":"object","properties":{"result":{"properties":{"a":{},"b":{"$ref":"#/properties/result/properties/a"},"c":{"$ref":"b#/properties/result/properties/a"},"d":{"$ref":"https://a.test/b#/properties/result"}}}},"required":["result"]}"##,
        ),
        (
            r##"{"$anchor":"me","items":{"$ref":"#me"},"prefixItems":[{"$dynamicRef":"#"},{"\u0024ref":"#/items"}]}"##,
            r##"{"type":"object","properties":{"result":{"$anchor":"me","items":{"$ref":"#me"},"prefixItems":[{"$dynamicRef":"#/properties/result"},{"$ref":"#/properties/result/items"}]}},"required":["result"]}"##,
        ),
        (
            r##"{"enum":[{"$ref":"#"}],"const":{"$ref":"#/a"},"default":{"$ref":"#"},"examples":[{"$ref":"#"}],"items":{"$ref":"#"}}"##,
            r##"{"type":"object","properties":{"result":{"enum":[{"$ref":"#"}],"const":{"$ref":"#/a"},"default":{"$ref":"#"},"examples":[{"$ref":"#"}],"items":{"$ref":"#/properties/result"}}},"required":["result"]}"##,
        ),
    ] {
        assert_eq!(wrapped(schema), wanted);
    }
}

fn compiled(schema: &[u8]) -> Option<CompiledSchema> {
    CompiledSchema::compile(schema, &SchemaLimits::default()).ok()
}

/// Says where the schema and the wrapped one differ.
fn difference(schema: &Value, values: &[Value]) -> Option<String> {
    let text = schema.to_string();
    let original = compiled(text.as_bytes())?;
    let wrapped = wrap_output_schema(text.as_bytes())?;
    let shown = String::from_utf8_lossy(&wrapped).into_owned();
    let Some(compiled) = compiled(&wrapped) else { return Some(format!("{shown} does not compile")) };
    for value in values {
        let mut outer = Vec::new();
        wrap_value(value.to_string().as_bytes(), &mut outer);
        let outer: Value = serde_json::from_slice(&outer).unwrap();
        let (was, is) = (original.validate(value).is_ok(), compiled.validate(&outer).is_ok());
        if was != is {
            return Some(format!("{shown}: {value} was {was} and is {is}"));
        }
    }
    let bare = compiled.validate(&json!({})).is_ok() || compiled.validate(&json!([])).is_ok();
    bare.then(|| format!("{shown}: takes what is not wrapped"))
}

#[test]
fn finds_the_same_values_valid() {
    let list = |tail: &str| json!({"type": ["array", "null"], "prefixItems": [{"type": "integer"}, {"$ref": tail}], "items": false});
    let draft07 = "http://json-schema.org/draft-07/schema#";
    let draft2019 = "https://json-schema.org/draft/2019-09/schema";
    let mut of_data = list("#/examples/0");
    of_data["examples"] = json!([{"anyOf": [{"$ref": "#"}, {"type": "null"}]}]);
    let mut with_id = list("#");
    with_id["$id"] = json!("https://a.test/list");
    let mut named = list("#list");
    named["$anchor"] = json!("list");
    let mut dynamic = list("#");
    dynamic["$dynamicAnchor"] = json!("list");
    dynamic["prefixItems"][1] = json!({"$dynamicRef": "#list"});
    for schema in [
        list("#"),
        list("json-schema:///#"),
        with_id,
        named,
        dynamic,
        of_data,
        json!({"$ref": "#/$defs/a%20~1", "$defs": {"a /": {"items": {"$ref": "#/%24defs/a%20~1"}, "type": "array"}}}),
        json!({"$schema": draft07, "$ref": "#/definitions/a", "definitions": {
            "a": {"type": ["array", "integer"], "items": {"$ref": "#"}}}}),
        json!({"$schema": draft07, "$id": "http://a.test/x", "$ref": "#/definitions/a", "definitions": {
            "a": {"type": ["array", "integer"], "items": {"$ref": "#"}}}}),
        json!({"$schema": draft07, "$id": "#me", "type": ["array", "integer"], "items": {"$ref": "#me"}}),
        json!({"$schema": draft07, "$id": "http://a.test/x", "type": ["array", "integer"], "items": {"$ref": "x"}}),
        json!({"$schema": draft2019, "$recursiveAnchor": true, "type": ["array", "integer"],
            "items": {"$recursiveRef": "#"}}),
        json!({"$schema": draft2019, "type": ["array", "integer"], "items": {"$recursiveRef": "#"}}),
        json!({"$schema": draft2019, "$id": "https://a.test/x", "$recursiveAnchor": true,
            "type": ["array", "integer"], "items": {"$recursiveRef": "#"}}),
        json!({"$schema": draft2019, "$recursiveAnchor": true, "type": ["array", "integer"],
            "items": {"$ref": "result"},
            "$defs": {"i": {"$id": "result", "$recursiveAnchor": true, "anyOf": [
                {"type": "integer"}, {"type": "array", "items": {"$recursiveRef": "#"}}]}}}),
        json!({"type": ["array", "integer"], "items": {"$ref": "item"}, "$defs": {
            "i": {"$id": "item", "type": ["array", "null"], "items": {"$ref": "#/$defs/n"},
                "$defs": {"n": {"type": "null"}}}}}),
        json!({"$id": "https://a.test/b/c", "type": "array", "items": {"$ref": "d"}, "$defs": {
            "i": {"$id": "d", "anyOf": [{"type": "integer"}, {"$ref": "c"}, {"type": "array", "items": {"$ref": "c#/x-y"}}]}},
            "x-y": {"not": {"$ref": "#/$defs/i/anyOf/0"}}}),
        json!({"enum": [{"$ref": "#"}, 1], "items": {"$ref": "#"}}),
        json!({"const": [[1]], "x-a": {"items": {"$ref": "#"}}, "not": {"$ref": "#/x-a"}}),
        json!({"allOf": [{"properties": {"const": {"$ref": "#"}}}], "type": ["object", "null"], "maxProperties": 1}),
    ] {
        let values = [
            json!(null),
            json!(1),
            json!("a"),
            json!([]),
            json!([1]),
            json!([null]),
            json!([[]]),
            json!([[1]]),
            json!([1, null]),
            json!([1, [2, null]]),
            json!([1, [2, [3]]]),
            json!([1, [2, "x"]]),
            json!([[[1]]]),
            json!([[["a"]]]),
            json!({}),
            json!({"const": null}),
            json!({"const": 1}),
            json!({"const": {"const": {}}}),
            json!({"$ref": "#"}),
            json!({"$ref": "#/properties/result"}),
        ];
        assert!(compiled(schema.to_string().as_bytes()).is_some(), "{schema}");
        assert_eq!(difference(&schema, &values), None, "{schema}");
    }
}

fn any_schema() -> impl Strategy<Value = Value> {
    let reference = prop::sample::select(vec![
        "#",
        "#/$defs/a",
        "#/$defs/b/items",
        "#/definitions/c",
        "#/properties/a",
        "#/items",
        "#/anyOf/1",
        "#/x-other",
        "#me",
        "root",
        "root#/properties/a",
        "inner",
        "inner#/items",
        "inner#/$defs/d",
    ]);
    let leaf = prop_oneof![
        prop::sample::select(vec!["array", "object", "integer", "null"])
            .prop_map(|kind| json!({"type": kind})),
        reference.prop_map(|text| json!({"$ref": text})),
        Just(json!({"$recursiveRef": "#"})),
        Just(json!({"$dynamicRef": "#me"})),
        Just(json!({"enum": [1, {"$ref": "#"}]})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let pair = || (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|s| json!({"items": s})),
            inner.clone().prop_map(|s| json!({"not": s})),
            inner.clone().prop_map(|s| json!({"properties": {"a": s}, "required": ["a"]})),
            pair().prop_map(|(s, t)| json!({"anyOf": [s, {"items": t}]})),
            pair().prop_map(|(s, t)| json!({"$id": "inner", "items": s, "$defs": {"d": t}})),
        ]
    })
}

fn any_document() -> impl Strategy<Value = Value> {
    let schemas = prop::collection::vec(any_schema(), 5);
    let id = prop::sample::select(vec![None, None, Some("root"), Some("https://a.test/root")]);
    let name = prop::sample::select(vec!["$anchor", "$dynamicAnchor", "x-no-name"]);
    let dialect = prop::sample::select(vec!["2020-12", "2019-09", "07"]);
    (any_schema(), schemas, id, name, dialect).prop_map(|(mut root, schemas, id, name, dialect)| {
        let scheme =
            if dialect == "07" { "http://json-schema.org/draft-" } else { "https://json-schema.org/draft/" };
        root["$schema"] = format!("{scheme}{dialect}/schema").into();
        root[name] = "me".into();
        root["$defs"] = json!({"a": schemas[0], "b": {"items": schemas[1]}});
        root["definitions"] = json!({"c": schemas[2]});
        root["x-other"] = schemas[3].clone();
        if let Some(id) = id {
            root["$id"] = id.into();
        }
        if dialect == "2019-09" {
            root["$recursiveAnchor"] = (name == "x-no-name").into();
        }
        if root.get("items").is_none() {
            root["items"] = schemas[4].clone();
        }
        root
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![json!(null), json!(1), json!({}), json!([])]);
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from),
            inner.prop_map(|value| json!({"a": value})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn finds_the_same_of_any_values_valid(
        schema in any_document(),
        values in prop::collection::vec(any_value(), 8),
    ) {
        // Two parts of one address, or one under a keyword that nobody knows, mean nothing to JSON Schema.
        let addresses = |part: &Value| part.to_string().matches(r#""$id":"inner""#).count();
        if addresses(&schema) > 1 || addresses(&schema["x-other"]) > 0 {
            return Ok(());
        }
        prop_assert_eq!(difference(&schema, &values), None, "{}", schema);
    }
}
