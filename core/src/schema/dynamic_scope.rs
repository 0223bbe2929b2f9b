//! References that depend on the way to them (`$dynamicRef`, `$recursiveRef`): only in a schema of few parts.
//!
//! Such a reference leads somewhere else for each chain of `$id`s that leads to it, and the schema is compiled
//! anew for each. With a dozen parts that refer to one another the chains outnumber any bound.

use super::SchemaFault;
use super::reference::References;

/// Parts with an `$id` of their own that a schema with a dynamic reference may have.
const MAX_PARTS: usize = 5;

const DYNAMIC: [&str; 2] = ["$dynamicRef", "$recursiveRef"];

/// Refuses a schema with a dynamic reference and more than [`MAX_PARTS`] parts.
pub(super) fn check(references: &References<'_>) -> Result<(), SchemaFault> {
    let dynamic = references.schemas().find_map(|(schema, pointer)| {
        let keyword = DYNAMIC.into_iter().find(|keyword| schema.get(keyword).is_some());
        keyword.map(|keyword| (pointer, keyword))
    });
    let Some((pointer, keyword)) = dynamic else { return Ok(()) };
    let parts = references.schemas().filter(|(schema, _)| schema.get("$id").is_some()).count();
    if parts <= MAX_PARTS {
        return Ok(());
    }
    let message = format!(
        "{keyword} is taken in a schema of at most {MAX_PARTS} parts with an $id, and this one has {parts}; \
         use $ref, or put the parts under $defs without an $id"
    );
    Err(SchemaFault::new(format!("{pointer}/{keyword}"), message))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Map, Value, json};

    use crate::schema::compile::{CompiledSchema, SchemaLimits};

    /// So many parts that all refer to one another, each with a dynamic reference.
    fn tangle(parts: usize) -> Value {
        let part = |index: usize| {
            let mut properties: Map<String, Value> = (0..parts)
                .map(|other| (format!("p{other}"), json!({"$ref": format!("urn:b{other}")})))
                .collect();
            properties.insert("z".into(), json!({"$dynamicRef": "#x"}));
            json!({"$id": format!("urn:b{index}"), "$dynamicAnchor": "x", "properties": properties})
        };
        let defs: Map<String, Value> = (0..parts).map(|index| (format!("d{index}"), part(index))).collect();
        json!({"type": "object", "$id": "urn:a", "$dynamicAnchor": "x", "$defs": defs,
            "properties": {"a": {"$ref": "urn:b0"}}})
    }

    #[test]
    fn takes_a_few_parts_and_refuses_a_tangle() {
        let compile = |schema: Value| {
            CompiledSchema::compile_input(schema.to_string().as_bytes(), &SchemaLimits::default()).map(drop)
        };
        assert!(compile(tangle(4)).is_ok());
        let fault = compile(tangle(14)).unwrap_err().to_string();
        assert!(fault.contains("$dynamicRef") && fault.contains("15"), "{fault}");
        let tree = json!({"type": "object", "$dynamicAnchor": "node",
            "properties": {"children": {"type": "array", "items": {"$dynamicRef": "#node"}}}});
        assert!(compile(tree).is_ok());
    }
}
