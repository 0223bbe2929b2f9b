//! Arguments that some clients send as JSON text: taken for what they hold, where that is plainly meant.

use bytes::Bytes;
use serde_json::Value;

use super::arguments::Arguments;
use crate::protocol::json_compact;
use crate::protocol::json_scan::{self, Span};
use crate::schema::compile::CompiledSchema;
use crate::schema::problem::Problems;

/// Replaces each string that the schema rejects and that holds JSON text which the schema accepts. `None`
/// if problems are left then. A string that the schema accepts is never touched, and neither is any other
/// byte of the arguments.
pub fn mend(schema: &CompiledSchema, arguments: &Arguments, problems: &Problems) -> Option<Arguments> {
    let mut replacements: Vec<(Span, &str)> = Vec::new();
    for pointer in problems.pointers() {
        if let Some(Value::String(text)) = arguments.get(pointer)
            && let Some(span) = arguments.span(pointer)
            && json_scan::check(text.as_bytes()).is_ok()
            && !replacements.iter().any(|(known, _)| *known == span)
        {
            replacements.push((span, text));
        }
    }
    replacements.sort_by_key(|(span, _)| span.start);
    let mended = Arguments::decode(Some(replace(arguments.raw(), &replacements))).ok()?;
    schema.validate(mended.decoded()).ok()?;
    Some(mended)
}

fn replace(raw: &Bytes, replacements: &[(Span, &str)]) -> Bytes {
    let mut out = Vec::with_capacity(raw.len());
    let mut from = 0;
    for (span, text) in replacements {
        out.extend_from_slice(&raw[from..span.start]);
        json_compact::append(&mut out, text.as_bytes());
        from = span.end;
    }
    out.extend_from_slice(&raw[from..]);
    out.into()
}
