//! How many schemas one value is held against when every reference is followed.
//!
//! Each of thirty definitions that refers to the next one twice looks harmless, and asks for a billion checks
//! of every value. Schemas for parts of a value need no such care: a value has only so many parts, and the
//! validator remembers what it has found about each. References that lead back to their own schema without
//! going on to a part of the value check nothing (JSON Schema leaves them undefined), and a few of them tangled
//! together keep a validator busy for hours; they are refused.

use std::collections::HashMap;

use serde_json::Value;

use super::SchemaFault;
use super::bounds::SchemaLimits;
use super::reference::References;
use super::subschemas::each_child;

/// Checks the bounds `max_checks_per_value` and `max_reference_chain` for every schema that `references` knows.
pub(super) fn check(references: &References<'_>, limits: &SchemaLimits) -> Result<(), SchemaFault> {
    let mut count = Count { references, limits, known: HashMap::new() };
    for (schema, pointer) in references.schemas() {
        count.of(schema, 1).map_err(|message| SchemaFault::new(pointer, message))?;
    }
    Ok(())
}

struct Count<'c, 'a> {
    references: &'c References<'a>,
    limits: &'c SchemaLimits,
    /// By address of a schema; `None` for one that is being counted.
    known: HashMap<*const Value, Option<Known>>,
}

#[derive(Clone, Copy)]
struct Known {
    /// Schemas that a value is held against, this one included.
    checks: usize,
    /// Schemas on the longest way from this one.
    chain: usize,
}

const CIRCLE: &str = "the references from here lead back here, for the same value, and so check nothing; \
    a schema can refer to itself only for a part of the value, as in \"properties\" or \"items\"";

impl Count<'_, '_> {
    /// Counts for `schema`, which is number `depth` of its chain; says which bound is passed.
    fn of(&mut self, schema: &Value, depth: usize) -> Result<Known, String> {
        match self.known.get(&(schema as *const Value)) {
            Some(Some(known)) => return Ok(*known),
            Some(None) => return Err(CIRCLE.into()),
            None => {}
        }
        if depth > self.limits.max_reference_chain {
            return Err(self.too_long());
        }
        self.known.insert(schema, None);
        let mut sum = Known { checks: 1, chain: 0 };
        let add = |inner: Known, sum: &mut Known| {
            sum.checks = sum.checks.saturating_add(inner.checks);
            sum.chain = sum.chain.max(inner.chain);
        };
        for target in self.references.targets(schema) {
            let inner = self.of(target, depth + 1)?;
            add(inner, &mut sum);
        }
        each_child(schema, |child| {
            if child.keyword.in_place {
                let inner = self.of(child.schema, depth + 1)?;
                add(inner, &mut sum);
            }
            Ok::<(), String>(())
        })?;
        sum.chain += 1;
        if sum.chain > self.limits.max_reference_chain {
            return Err(self.too_long());
        }
        if sum.checks > self.limits.max_checks_per_value {
            let limit = self.limits.max_checks_per_value;
            return Err(format!(
                "a value would be held against more than {limit} schemas here, once all references are followed"
            ));
        }
        self.known.insert(schema, Some(sum));
        Ok(sum)
    }

    fn too_long(&self) -> String {
        let limit = self.limits.max_reference_chain;
        format!(
            "from here more than {limit} schemas lead to one another, by reference or by allOf and its like"
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::{Map, json};

    fn fault_of(schema: &Value) -> Option<SchemaFault> {
        let references = References::resolve(schema).unwrap();
        check(&references, &SchemaLimits::default()).err()
    }

    fn chain(length: usize, link: impl Fn(String) -> Value) -> Value {
        let mut definitions: Map<String, Value> =
            (0..length).map(|i| (format!("d{i}"), link(format!("#/$defs/d{}", i + 1)))).collect();
        definitions.insert(format!("d{length}"), json!({"type": "integer"}));
        json!({"$ref": "#/$defs/d0", "$defs": definitions})
    }

    #[test]
    fn refuses_references_that_double_and_double_again() {
        let doubling = |next: String| json!({"allOf": [{"$ref": next}, {"$ref": next}]});
        assert!(fault_of(&chain(5, doubling)).is_none());
        let fault = fault_of(&chain(14, doubling)).unwrap();
        assert!(fault.message.contains("held against more than 10000 schemas"), "{fault}");
    }

    #[test]
    fn refuses_a_long_chain_before_it_reaches_the_stack() {
        let single = |next: String| json!({"$ref": next});
        assert!(fault_of(&chain(30, single)).is_none());
        for length in [33, 5_000] {
            let fault = fault_of(&chain(length, single)).unwrap();
            assert!(fault.message.contains("more than 32 schemas lead to one another"), "{fault}");
        }
    }

    #[test]
    fn lets_recursion_into_parts_of_a_value_pass() {
        for schema in [
            json!({"properties": {"next": {"$ref": "#"}}}),
            json!({"properties": {"kids": {"items": {"anyOf": [{"$ref": "#"}, {}]}}}}),
            json!({"$dynamicAnchor": "node", "properties": {"kids": {"items": {"$dynamicRef": "#node"}}}}),
            json!({"$ref": "#/$defs/a", "$defs": {
                "a": {"allOf": [{"$ref": "#/$defs/b"}]},
                "b": {"additionalProperties": {"$ref": "#/$defs/a"}}}}),
        ] {
            assert_eq!(fault_of(&schema), None, "{schema}");
        }
    }

    #[test]
    fn refuses_references_in_a_circle() {
        for (schema, pointer) in [
            (json!({"$ref": "#"}), ""),
            (
                json!({"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}, {}]}}}),
                "/properties/a/anyOf/0",
            ),
            (json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}}), "/$defs/a"),
        ] {
            let fault = fault_of(&schema).unwrap();
            assert!(fault.message.starts_with("the references from here lead back here"), "{fault}");
            assert_eq!(fault.pointer, pointer, "{schema}");
        }
    }
}
