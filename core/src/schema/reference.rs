//! References between schemas: where each leads, and that none leads outside (specification, basic, "`$ref`
//! Resolution").

use std::collections::{HashMap, HashSet};

use jsonschema::uri;
use serde_json::Value;

use super::SchemaFault;
use super::subschemas::each_child;
use crate::protocol::document::cut;
use crate::protocol::nearest_name::did_you_mean;

/// Whether a schema object has a reference.
pub(super) fn has_reference(schema: &Value) -> bool {
    KEYWORDS.iter().any(|keyword| schema.get(keyword).is_some())
}

/// All references of a schema, resolved.
pub(super) struct References<'a> {
    /// By address of the schema that holds references: the schemas that they lead to.
    targets: HashMap<*const Value, Vec<&'a Value>>,
    /// Every schema that was met, with its JSON Pointer.
    schemas: Vec<(&'a Value, String)>,
    all: Vec<Reference<'a>>,
    /// The address of the whole.
    root: String,
}

/// A reference as it is written, and where it leads.
pub(super) struct Reference<'a> {
    /// Where it stands: the JSON Pointer of its keyword.
    pub pointer: String,
    /// What is written there.
    pub text: &'a str,
    /// The resource that it leads to: a URI without fragment.
    resource: String,
    /// The place in that resource, decoded: a JSON Pointer, a name, or nothing for the whole.
    pub fragment: String,
    holder: *const Value,
}

impl<'a> References<'a> {
    /// Resolves every reference of `root`. One that leads outside the text, or nowhere, is refused.
    pub(super) fn resolve(root: &'a Value) -> Result<Self, SchemaFault> {
        let mut survey = Survey::default();
        let root_uri = survey.own_base(root, "", ROOT_URI)?;
        survey.enter(root, String::new(), ROOT_URI)?;
        let mut targets: HashMap<*const Value, Vec<&'a Value>> = HashMap::new();
        let mut next = 0;
        // Grows while it runs: a reference may lead to a schema that stands under no keyword for schemas.
        while next < survey.found.len() {
            let (target, pointer) = survey.target(next)?;
            let found = &survey.found[next];
            let (holder, base) = (found.holder, found.resource.clone());
            targets.entry(holder).or_default().push(target);
            if !survey.visited.contains(&(target as *const Value)) {
                survey.enter(target, pointer, &base)?;
            }
            next += 1;
        }
        Ok(References { targets, schemas: survey.schemas, all: survey.found, root: root_uri })
    }

    /// The schemas to which the references of `schema` lead.
    pub(super) fn targets(&self, schema: &Value) -> &[&'a Value] {
        self.targets.get(&(schema as *const Value)).map_or(&[], Vec::as_slice)
    }

    /// Every reference.
    pub(super) fn all(&self) -> impl Iterator<Item = &Reference<'a>> {
        self.all.iter()
    }

    /// Whether a reference leads to the whole or a part of it that has no address of its own: it is found from the
    /// root on.
    pub(super) fn starts_at_root(&self, reference: &Reference<'_>) -> bool {
        reference.resource == self.root
    }

    /// Every schema, with its JSON Pointer.
    pub(super) fn schemas(&self) -> impl Iterator<Item = (&'a Value, &str)> {
        self.schemas.iter().map(|(schema, pointer)| (*schema, pointer.as_str()))
    }
}

const KEYWORDS: &[&str] = &["$ref", "$dynamicRef", "$recursiveRef"];
/// The address of a schema that has no `$id`. Nothing is ever loaded from there.
const ROOT_URI: &str = "json-schema:///";

#[derive(Default)]
struct Survey<'a> {
    /// Schemas with an address of their own, by URI, with their JSON Pointer.
    resources: HashMap<String, (&'a Value, String)>,
    /// Schemas with a name, by URI of the resource and name.
    anchors: HashMap<(String, String), (&'a Value, String)>,
    found: Vec<Reference<'a>>,
    visited: HashSet<*const Value>,
    schemas: Vec<(&'a Value, String)>,
}

impl<'a> Survey<'a> {
    /// Notes the addresses and references of `schema`, at `pointer` and within the resource `base`, and of all
    /// schemas within it.
    fn enter(&mut self, schema: &'a Value, pointer: String, base: &str) -> Result<(), SchemaFault> {
        self.visited.insert(schema);
        let own_base = self.own_base(schema, &pointer, base)?;
        for keyword in KEYWORDS {
            let Some(text) = schema.get(keyword).and_then(Value::as_str) else { continue };
            let pointer = format!("{pointer}/{keyword}");
            let (resource, fragment) = resolved(&own_base, text, &pointer)?;
            self.found.push(Reference { pointer, text, resource, fragment, holder: schema });
        }
        each_child(schema, |child| {
            self.enter(child.schema, format!("{pointer}{}", child.step()), &own_base)
        })?;
        self.schemas.push((schema, pointer));
        Ok(())
    }

    /// The resource that `schema` belongs to: its own, where it has an `$id`.
    fn own_base(&mut self, schema: &'a Value, pointer: &str, base: &str) -> Result<String, SchemaFault> {
        let mut own = base.to_owned();
        let place = || (schema, pointer.to_owned());
        if let Some(id) = schema.get("$id").and_then(Value::as_str) {
            let (resource, fragment) = resolved(base, id, &format!("{pointer}/$id"))?;
            if !fragment.is_empty() {
                // The way draft-07 names a schema.
                self.anchors.insert((resource.clone(), fragment), place());
            }
            own = resource;
        }
        if (pointer.is_empty() || own != base) && !self.resources.contains_key(&own) {
            self.resources.insert(own.clone(), place());
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = schema.get(keyword).and_then(Value::as_str) {
                self.anchors.insert((own.clone(), name.to_owned()), place());
            }
        }
        Ok(own)
    }

    /// Where the reference number `index` leads.
    fn target(&self, index: usize) -> Result<(&'a Value, String), SchemaFault> {
        let found = &self.found[index];
        let shown = cut(found.text);
        let Some((resource, at)) = self.resources.get(&found.resource) else {
            let message = format!(
                "\"{shown}\" lies outside this schema, and nothing is ever loaded from elsewhere; \
                 put that schema into \"$defs\" and refer to it as \"#/$defs/NAME\""
            );
            return Err(SchemaFault::new(found.pointer.clone(), message));
        };
        let target = if found.fragment.is_empty() || found.fragment.starts_with('/') {
            resource.pointer(&found.fragment).map(|target| (target, format!("{at}{}", found.fragment)))
        } else {
            let name = (found.resource.clone(), found.fragment.clone());
            self.anchors.get(&name).map(|(target, at)| (*target, at.clone()))
        };
        match target {
            Some((target, at)) if target.is_object() || target.is_boolean() => Ok((target, at)),
            Some(_) => {
                let message = format!("\"{shown}\" leads to something that is not a schema");
                Err(SchemaFault::new(found.pointer.clone(), message))
            }
            None => {
                let hint = self.defined_instead(found, resource);
                Err(SchemaFault::new(found.pointer.clone(), format!("\"{shown}\" leads nowhere{hint}")))
            }
        }
    }

    /// For a reference to a definition that is not there: the one that was probably meant.
    fn defined_instead(&self, found: &Reference<'_>, resource: &Value) -> String {
        let Some((place, name)) = found.fragment.rsplit_once('/') else { return String::new() };
        let names = resource.pointer(place).and_then(Value::as_object);
        names.map_or_else(String::new, |names| did_you_mean(name, names.keys().map(String::as_str)))
    }
}

/// Resolves `text` against `base`, into a URI without fragment and the decoded fragment.
fn resolved(base: &str, text: &str, pointer: &str) -> Result<(String, String), SchemaFault> {
    let broken = || SchemaFault::new(pointer, format!("\"{}\" is not a valid URI reference", cut(text)));
    if let Some(fragment) = text.strip_prefix('#') {
        return Ok((base.to_owned(), percent_decoded(fragment).ok_or_else(broken)?));
    }
    let base = uri::from_str(base).map_err(|_| broken())?;
    let whole = uri::resolve_against(&base.borrow(), text).map_err(|_| broken())?;
    let (resource, fragment) = whole.as_str().split_once('#').unwrap_or((whole.as_str(), ""));
    Ok((resource.to_owned(), percent_decoded(fragment).ok_or_else(broken)?))
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |at: usize| char::from(*rest.get(at)?).to_digit(16);
        bytes.push((digit(0)? * 16 + digit(1)?) as u8);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::json;

    #[test]
    fn follows_references_within_the_schema() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"$ref": "#/$defs/a", "$defs": {"a": {}}}),
            json!({"$ref": "#/$defs/a~1b%20%7Ec", "$defs": {"a/b ~c": {}}}),
            json!({"$ref": "#/$defs/a~1b%20~0c", "$defs": {"a/b ~c": {}}}),
            json!({"$ref": "#name", "$defs": {"a": {"$anchor": "name"}}}),
            json!({"$ref": "#name", "definitions": {"a": {"$id": "#name"}}}),
            json!({"$dynamicRef": "#node", "$dynamicAnchor": "node"}),
            json!({"$recursiveRef": "#"}),
            json!({"$id": "https://example.test/root", "$ref": "item", "$defs": {"i": {"$id": "item"}}}),
            json!({"$id": "https://example.test/a/root", "$ref": "https://example.test/a/item#/$defs/x",
                "$defs": {"i": {"$id": "item", "$defs": {"x": true}, "$ref": "#/$defs/x"}}}),
            json!({"$ref": "urn:x:y", "$defs": {"i": {"$id": "urn:x:y"}}}),
            json!({"$ref": "#/x-elsewhere", "x-elsewhere": {"$ref": "#/x-further"}, "x-further": {}}),
        ] {
            let resolved = References::resolve(&schema);
            assert!(resolved.is_ok(), "{schema}: {}", resolved.err().unwrap());
        }
    }

    #[test]
    fn refuses_references_that_lead_outside_or_nowhere() {
        let outside = "lies outside this schema, and nothing is ever loaded from elsewhere";
        for (schema, pointer, part) in [
            (
                json!({"properties": {"a": {"$ref": "https://example.test/a.json"}}}),
                "/properties/a/$ref",
                outside,
            ),
            (json!({"$ref": "other.json#/a"}), "/$ref", outside),
            (json!({"$dynamicRef": "file:///etc/passwd"}), "/$dynamicRef", outside),
            (json!({"$defs": {"unused": {"$ref": "//host/x"}}}), "/$defs/unused/$ref", outside),
            (json!({"$ref": "https://json-schema.org/draft/2020-12/schema"}), "/$ref", outside),
            (json!({"$ref": "#/x-a", "x-a": {"not": {"$ref": "http://x.test"}}}), "/x-a/not/$ref", outside),
            (json!({"$id": "https://a.test/", "$ref": "https://b.test/"}), "/$ref", outside),
            (
                json!({"$ref": "#/$defs/nod", "$defs": {"node": {}}}),
                "/$ref",
                "\"#/$defs/nod\" leads nowhere; did you mean \"node\"?",
            ),
            (json!({"items": {"$ref": "#name"}}), "/items/$ref", "\"#name\" leads nowhere"),
            (json!({"$ref": "#/$defs", "$defs": []}), "/$ref", "leads to something that is not a schema"),
            (json!({"$ref": "http://[", "type": "object"}), "/$ref", "is not a valid URI reference"),
            (json!({"$ref": "#%zz"}), "/$ref", "is not a valid URI reference"),
            (json!({"$ref": "#a", "$id": "http://["}), "/$id", "is not a valid URI reference"),
        ] {
            let fault = References::resolve(&schema).err().unwrap();
            assert_eq!(fault.pointer, pointer, "{schema}");
            assert!(fault.message.contains(part), "{schema}: {fault}");
        }
    }
}
