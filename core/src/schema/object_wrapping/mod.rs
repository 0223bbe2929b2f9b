//! Structured results for clients of older revisions, which take objects only (specification 2025-06-18 and
//! 2025-11-25, server/tools, "Structured Content" and "Output Schema").
//!
//! Whether a tool's results are wrapped is for its output schema to decide, not for each value, so that what a client
//! gets always has the same form: a schema whose root is not of type `object` becomes that of the property `result`,
//! and every value with it.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::dialect::Dialect;
use super::reference::{Reference, References};
use super::subschemas::{escaped, walk};
use crate::protocol::{document, json_compact, json_write};

/// The output schema that such a client gets in place of `schema`, which must be one that compiles. `None` where
/// `schema` says `"type": "object"` at its root: it is published as it is, and its values with it.
///
/// `$schema`, `$id`, `$defs` and `definitions` move up to the new root, and references by JSON Pointer are told the
/// longer way, so that each leads to what it led to. Nothing else changes, nor the order of what stands beside one
/// another; values of `const`, `enum`, `default` and `examples` are data and left alone.
pub fn wrap_output_schema(schema: &[u8]) -> Option<Vec<u8>> {
    let parsed: Value = serde_json::from_slice(schema).ok()?;
    if parsed.get("type").and_then(Value::as_str) == Some("object") {
        return None;
    }
    let members = document::object(schema, "").ok()?;
    let rewritten =
        References::resolve(&parsed).map_or(Some(BTreeMap::new()), |all| rewritten(&parsed, &all));
    Some(match rewritten {
        Some(rewritten) => taken_apart(&members, &parsed, &rewritten),
        None => kept_whole(&members, schema),
    })
}

/// Appends `value`, a JSON text, as the value of a wrapped schema.
pub fn wrap_value(value: &[u8], out: &mut Vec<u8>) {
    out.reserve(value.len() + 12);
    out.extend_from_slice(b"{\"result\":");
    out.extend_from_slice(value);
    out.push(b'}');
}

/// Where the schema stands in the new one.
const PLACE: &str = "/properties/result";

/// The texts of references that change, by the JSON Pointers of their keywords. `None` where references lead so
/// strange ways that the schema has to stay in one piece.
fn rewritten(schema: &Value, references: &References<'_>) -> Option<BTreeMap<String, String>> {
    let recursive = |reference: &Reference<'_>| reference.pointer.ends_with("/$recursiveRef");
    // `$recursiveRef` leads to the root of a document, or of a part with an address, and cannot be told another way.
    if Dialect::of_root(schema) == Ok(Dialect::Draft201909) && references.all().any(recursive) {
        return None;
    }
    let mut rewritten = BTreeMap::new();
    for reference in references.all().filter(|reference| references.starts_at_root(reference)) {
        let fragment = reference.fragment.as_str();
        let by_name = !fragment.is_empty() && !fragment.starts_with('/');
        let hoisted = DEFINITIONS.iter().any(|keyword| {
            fragment
                .strip_prefix('/')
                .and_then(|path| path.strip_prefix(keyword))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        if !by_name && !hoisted {
            let (resource, place) = reference.text.split_once('#').unwrap_or((reference.text, ""));
            rewritten.insert(reference.pointer.clone(), format!("{resource}#{PLACE}{place}"));
        }
    }
    (!touches_data(schema, &rewritten)).then_some(rewritten)
}

/// The keywords of definitions, which move up.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// The keywords whose values are data.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];

/// Whether one of the references stands in a value that is data, and a schema only because another reference leads
/// there.
fn touches_data(schema: &Value, rewritten: &BTreeMap<String, String>) -> bool {
    let mut suspects: Vec<_> = rewritten
        .keys()
        .filter_map(|pointer| pointer.rsplit_once('/').map(|(holder, _)| holder))
        .filter(|holder| holder.split('/').any(|step| DATA.contains(&step)))
        .collect();
    if suspects.is_empty() {
        return false;
    }
    let walked = walk::<()>(schema, "", &mut |_, pointer| {
        suspects.retain(|suspect| *suspect != pointer);
        Ok(())
    });
    walked.is_ok() && !suspects.is_empty()
}

/// The new schema, with what belongs to the root of a document there.
fn taken_apart(
    members: &[document::Member<'_>],
    schema: &Value,
    rewritten: &BTreeMap<String, String>,
) -> Vec<u8> {
    // An `$id` such as "#name" is the name of the schema itself, not the address of the document.
    let has_address = schema["$id"].as_str().is_some_and(|id| !id.is_empty() && !id.starts_with('#'));
    let leads = |key: &str| key == "$schema" || key == "$id" && has_address;
    let defines = |key: &str| DEFINITIONS.contains(&key);
    let mut copy = Copy { out: Vec::new(), rewritten };
    copy.begin(members.iter().filter(|(key, _)| leads(key)));
    copy.object(members.iter().filter(|(key, _)| !leads(key) && !defines(key)), "");
    copy.end(members.iter().filter(|(key, _)| defines(key)))
}

/// The new schema, with the old one as a document within it, which has an address of its own: references in it lead
/// where they led.
fn kept_whole(members: &[document::Member<'_>], schema: &[u8]) -> Vec<u8> {
    let is_dialect = |key: &str| key == "$schema";
    let mut address = Vec::new();
    json_write::string(&mut address, &unused_name(schema));
    let address = (Cow::Borrowed("$id"), &*address);
    let has_address = members.iter().any(|(key, _)| key == "$id");
    let mut copy = Copy { out: Vec::new(), rewritten: &BTreeMap::new() };
    copy.begin(members.iter().filter(|(key, _)| is_dialect(key)));
    let address = (!has_address).then_some(&address);
    copy.object(address.into_iter().chain(members.iter().filter(|(key, _)| !is_dialect(key))), "");
    copy.end(std::iter::empty())
}

/// A relative address that nothing in `schema` can mean.
fn unused_name(schema: &[u8]) -> String {
    let mut name = "result".to_owned();
    while schema.windows(name.len()).any(|window| window == name.as_bytes()) {
        name.push('_');
    }
    name
}

/// Copies parts of a schema.
struct Copy<'a> {
    out: Vec<u8>,
    rewritten: &'a BTreeMap<String, String>,
}

impl Copy<'_> {
    /// Begins the new schema with `members`, up to where the old one stands.
    fn begin<'m>(&mut self, members: impl Iterator<Item = &'m document::Member<'m>>) {
        self.out.push(b'{');
        for (key, value) in members {
            self.member(key, value, "");
            self.out.push(b',');
        }
        self.out.extend_from_slice(b"\"type\":\"object\",\"properties\":{\"result\":");
    }

    /// Ends the new schema with `members`.
    fn end<'m>(mut self, members: impl Iterator<Item = &'m document::Member<'m>>) -> Vec<u8> {
        self.out.extend_from_slice(b"},\"required\":[\"result\"]");
        for (key, value) in members {
            self.out.push(b',');
            self.member(key, value, "");
        }
        self.out.push(b'}');
        self.out
    }

    /// Appends the object at `pointer`.
    fn object<'m>(&mut self, members: impl Iterator<Item = &'m document::Member<'m>>, pointer: &str) {
        self.out.push(b'{');
        for (index, (key, value)) in members.enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            self.member(key, value, pointer);
        }
        self.out.push(b'}');
    }

    /// Appends a member of the object at `pointer`.
    fn member(&mut self, key: &str, value: &[u8], pointer: &str) {
        json_write::string(&mut self.out, key);
        self.out.push(b':');
        self.value(value, &format!("{pointer}/{}", escaped(key)));
    }

    /// Appends the value at `pointer`.
    fn value(&mut self, raw: &[u8], pointer: &str) {
        if let Some(text) = self.rewritten.get(pointer) {
            return json_write::string(&mut self.out, text);
        }
        let below = format!("{pointer}/");
        let first = self.rewritten.range(below.clone()..).next();
        if !first.is_some_and(|(pointer, _)| pointer.starts_with(&below)) {
            return json_compact::append(&mut self.out, raw);
        }
        if let Ok(members) = document::object(raw, pointer) {
            self.object(members.iter(), pointer);
        } else if let Ok(elements) = document::array(raw, pointer) {
            self.out.push(b'[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    self.out.push(b',');
                }
                self.value(element, &format!("{pointer}/{index}"));
            }
            self.out.push(b']');
        }
    }
}
