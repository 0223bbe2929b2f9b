//! What it would cost to tell everything that is wrong with a value.
//!
//! Whether a value is valid is found in a time that grows with its size. Why it is not can take far longer: at
//! every `anyOf` the validator gathers the errors of each alternative, with copies of the values that they are
//! about, and where alternatives refer to one another that doubles with each level of the value. Each error also
//! has a copy of the pointer to its place, which is as long as the names on the way. So the cost is counted
//! first, without making any error.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::reference::References;
use super::subschemas::{Child, Member, each_child};

/// Most work spent on finding what is wrong with one value, counted in errors and copied values: some tens of
/// milliseconds, and a few megabytes for as long.
const MAX_EFFORT: usize = 50_000;

/// Whether everything that `schema` finds wrong with `value` can be gathered within a bound.
pub(super) fn is_affordable(schema: &Value, value: &Value) -> bool {
    let Ok(references) = References::resolve(schema) else { return false };
    let mut count =
        Count { references: &references, known: HashMap::new(), sizes: HashMap::new(), spent: 0, path: 0 };
    count.of(schema, value, false).is_ok_and(|effort| effort <= MAX_EFFORT)
}

/// The bound is passed, there is no need to count on.
struct TooMuch;

struct Count<'c, 'a> {
    references: &'c References<'a>,
    /// By address of a schema and of a value, and whether the errors are copied.
    known: HashMap<(*const Value, *const Value, bool), usize>,
    /// Values within a value, by its address.
    sizes: HashMap<*const Value, usize>,
    /// Steps taken in counting, which are bounded too.
    spent: usize,
    /// The length of the names that lead to the value at hand, in bytes.
    path: usize,
}

/// How much text weighs as much as one small value.
const TEXT_PER_UNIT: usize = 128;

impl Count<'_, '_> {
    /// What it costs to gather the errors of `schema` for `value`. `copied` where they are those of an
    /// alternative.
    fn of(&mut self, schema: &Value, value: &Value, copied: bool) -> Result<usize, TooMuch> {
        let key: (*const Value, *const Value, bool) = (schema, value, copied);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        self.spend(1)?;
        let pointers = (self.path / TEXT_PER_UNIT).saturating_mul(errors_here(schema));
        let mut effort = if copied {
            self.size(value)?.saturating_mul(errors_here(schema))
        } else {
            1 + required_names(schema)
        };
        effort = effort.saturating_add(pointers);
        for target in self.references.targets(schema) {
            effort = effort.saturating_add(self.of(target, value, copied)?);
        }
        each_child(schema, |child| {
            effort = effort.saturating_add(self.of_child(&child, schema, value, copied)?);
            Ok(())
        })?;
        if effort > MAX_EFFORT {
            return Err(TooMuch);
        }
        self.known.insert(key, effort);
        Ok(effort)
    }

    fn of_child(
        &mut self,
        child: &Child<'_>,
        outer: &Value,
        value: &Value,
        copied: bool,
    ) -> Result<usize, TooMuch> {
        match (child.keyword.name, value) {
            // Never applied here, or only asked whether they hold.
            ("$defs" | "definitions" | "not" | "if" | "contains" | "contentSchema", _) => Ok(0),
            ("anyOf" | "oneOf", _) => self.of(child.schema, value, true),
            (_, _) if child.keyword.in_place => self.of(child.schema, value, copied),
            ("properties", Value::Object(members)) => match child.member {
                Member::Named(name) => members
                    .get_key_value(name)
                    .map_or(Ok(0), |member| self.sum(child.schema, [member], copied)),
                _ => Ok(0),
            },
            ("propertyNames", Value::Object(members)) => Ok(members.len()),
            (
                "additionalProperties" | "unevaluatedProperties" | "patternProperties",
                Value::Object(members),
            ) => {
                let declared = outer.get("properties").and_then(Value::as_object);
                let all = child.keyword.name == "patternProperties";
                let others = members
                    .iter()
                    .filter(|(name, _)| all || !declared.is_some_and(|d| d.contains_key(*name)));
                self.sum(child.schema, others, copied)
            }
            ("items" | "prefixItems", Value::Array(items)) if matches!(child.member, Member::At(_)) => {
                let Member::At(index) = child.member else { return Ok(0) };
                items.get(index).map_or(Ok(0), |inner| self.of(child.schema, inner, copied))
            }
            ("items" | "additionalItems" | "unevaluatedItems", Value::Array(items)) => {
                let mut sum = 0usize;
                for inner in items {
                    sum = sum.saturating_add(self.of(child.schema, inner, copied)?);
                }
                Ok(sum)
            }
            _ => Ok(0),
        }
    }

    fn sum<'v>(
        &mut self,
        schema: &Value,
        members: impl IntoIterator<Item = (&'v String, &'v Value)>,
        copied: bool,
    ) -> Result<usize, TooMuch> {
        let mut sum = 0usize;
        for (name, value) in members {
            self.path += name.len();
            let effort = self.of(schema, value, copied);
            self.path -= name.len();
            sum = sum.saturating_add(effort?);
        }
        Ok(sum)
    }

    /// A measure of a value's memory: one for each value within, more for long texts.
    fn size(&mut self, value: &Value) -> Result<usize, TooMuch> {
        if let Some(known) = self.sizes.get(&(value as *const Value)) {
            return Ok(*known);
        }
        self.spend(1)?;
        let mut size = 1;
        match value {
            Value::String(text) => size += text.len() / TEXT_PER_UNIT,
            Value::Array(items) => {
                for item in items {
                    size += self.size(item)?;
                }
            }
            Value::Object(members) => {
                for (name, inner) in members {
                    size += name.len() / TEXT_PER_UNIT + self.size(inner)?;
                }
            }
            _ => {}
        }
        self.sizes.insert(value, size);
        Ok(size)
    }

    fn spend(&mut self, steps: usize) -> Result<(), TooMuch> {
        self.spent += steps;
        if self.spent > MAX_EFFORT { Err(TooMuch) } else { Ok(()) }
    }
}

/// How many errors a schema object can raise about a value itself, beside those of schemas within it.
fn errors_here(schema: &Value) -> usize {
    schema.as_object().map_or(1, Map::len) + required_names(schema)
}

/// How many names a schema object requires, each of them an error where it is missing.
fn required_names(schema: &Value) -> usize {
    schema.get("required").and_then(Value::as_array).map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn expression() -> Value {
        let node = |ops: Value| {
            json!({"type": "object", "required": ["op", "args"], "properties": {
                "op": {"enum": ops}, "args": {"type": "array", "items": {"$ref": "#/$defs/e"}}}})
        };
        json!({"$ref": "#/$defs/e", "$defs": {"e": {"anyOf": [
            node(json!(["and", "or"])), node(json!(["not"])), {"type": "integer"}]}}})
    }

    fn nested(depth: usize) -> Value {
        (0..depth).fold(json!("x"), |inner, _| json!({"op": "not", "args": [inner]}))
    }

    #[test]
    fn sees_that_alternatives_double_with_each_level() {
        for (depth, affordable) in [(0, true), (3, true), (6, true), (30, false), (100, false)] {
            assert_eq!(is_affordable(&expression(), &nested(depth)), affordable, "{depth}");
        }
    }

    #[test]
    fn lets_flat_values_pass_up_to_a_size() {
        let plain = json!({"items": {"type": "string"}});
        assert!(is_affordable(&plain, &Value::from(vec![1; 20_000])));
        assert!(!is_affordable(&plain, &Value::from(vec![1; 2_000_000])));
        let choice =
            json!({"properties": {"a": {"anyOf": [{"type": "string"}, {"items": {"type": "null"}}]}}});
        assert!(is_affordable(&choice, &json!({"a": vec![1; 1_000], "b": "x".repeat(10_000_000)})));
        assert!(!is_affordable(&choice, &json!({"a": vec![1; 100_000]})));
    }

    #[test]
    fn counts_the_names_that_each_pointer_repeats() {
        let schema = json!({"additionalProperties": {"items": {"type": "string"}}});
        let of_name = |length: usize| json!({("n".repeat(length)): vec![1; 5_000]});
        assert!(is_affordable(&schema, &of_name(100)));
        assert!(!is_affordable(&schema, &of_name(100_000)));
    }

    #[test]
    fn counts_each_name_that_is_missing() {
        let names: Vec<String> = (0..20).map(|n| format!("name{n}")).collect();
        let schema = json!({"items": {"required": names}});
        assert!(is_affordable(&schema, &Value::from(vec![json!({}); 1_000])));
        assert!(!is_affordable(&schema, &Value::from(vec![json!({}); 10_000])));
    }

    #[test]
    fn lets_text_of_any_length_pass_where_no_error_copies_it() {
        let schema = json!({"properties": {"text": {"type": "string"}, "mode": {"enum": ["a"]}}});
        assert!(is_affordable(&schema, &json!({"text": "x".repeat(50_000_000), "mode": "b"})));
    }
}
