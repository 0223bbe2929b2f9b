//! The HTTP headers that repeat parts of the body: they must be there and say the same.
//!
//! Specification: basic/transports/streamable-http, "Server Validation".

use std::borrow::Cow;

use serde_json::Value;

use crate::call::arguments::Arguments;
use crate::call::headers::Headers;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Request;
use crate::protocol::header_value;
use crate::schema::header_annotation::MirroredArgument;

/// `Mcp-Method` repeats the method, to the letter.
pub fn check_method(headers: &dyn Headers, method: &str) -> Result<(), ProtocolError> {
    let header = single(headers, "mcp-method", "Mcp-Method")?;
    if header != Some(method.as_bytes()) {
        let header = header.map(String::from_utf8_lossy);
        return Err(mismatch("Mcp-Method", header.as_deref(), method));
    }
    Ok(())
}

/// `Mcp-Name` repeats the name of the tool or prompt that is called, or the URI of the resource that is read.
pub fn check_name(headers: &dyn Headers, request: &Request) -> Result<(), ProtocolError> {
    let params = &request.params;
    let name = match request.method.as_str() {
        "tools/call" | "prompts/get" => params.name,
        "resources/read" => params.uri,
        _ => return Ok(()),
    };
    let Some(name) = name.and_then(|span| params.string(span)) else { return Ok(()) };
    let header = decoded(headers, "mcp-name", "Mcp-Name")?;
    if header.as_deref() != Some(&*name) {
        return Err(mismatch("Mcp-Name", header.as_deref(), &name));
    }
    Ok(())
}

/// Each `Mcp-Param-*` header that a tool asked for repeats its argument. An argument that is absent or null
/// has none.
pub fn check_arguments(
    headers: &dyn Headers,
    mirrored: &[MirroredArgument],
    arguments: &Arguments,
) -> Result<(), ProtocolError> {
    for argument in mirrored {
        let value = argument.path.iter().try_fold(arguments.decoded(), |place, step| place.get(step));
        let header = decoded(headers, &argument.header, &argument.header)?;
        let Some(value) = value.filter(|value| !value.is_null()) else {
            match header {
                None => continue,
                Some(header) => return Err(mismatch(&argument.header, Some(&header), "nothing")),
            }
        };
        if !header.as_deref().is_some_and(|header| says(header, value)) {
            let body = value.as_str().map_or_else(|| value.to_string(), String::from);
            return Err(mismatch(&argument.header, header.as_deref(), &body));
        }
    }
    Ok(())
}

/// The value of a header that may stand in the request once.
pub fn single<'a>(
    headers: &'a dyn Headers,
    name: &str,
    shown_name: &str,
) -> Result<Option<&'a [u8]>, ProtocolError> {
    if headers.value(name, 1).is_some() {
        return Err(ProtocolError::header_mismatch(format!(
            "the header {shown_name} stands in the request more than once"
        )));
    }
    Ok(headers.value(name, 0))
}

/// `-32020` for a header that is missing or says something else than the body.
pub fn mismatch(name: &str, header: Option<&str>, body: &str) -> ProtocolError {
    let body = abridged(body);
    ProtocolError::header_mismatch(match header {
        None => format!("the header {name} is missing; the body says \"{body}\""),
        Some(header) => format!("the header {name} says \"{}\", the body \"{body}\"", abridged(header)),
    })
}

/// Whether a header's text means the value in the body. Numbers are compared as numbers.
fn says(header: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => header == text,
        Value::Bool(truth) => header == if *truth { "true" } else { "false" },
        Value::Number(number) => same_number(header, number),
        // The argument has no type that can be mirrored; validation refuses it.
        _ => true,
    }
}

/// An integer that a JavaScript client cannot hold exactly has no header that says the same (server/tools,
/// "x-mcp-header").
fn same_number(header: &str, number: &serde_json::Number) -> bool {
    const SAFE: f64 = 9_007_199_254_740_991.0;
    if !number.as_f64().is_some_and(|number| number.abs() <= SAFE) {
        return false;
    }
    if header == number.to_string() {
        return true;
    }
    let Ok(header) = serde_json::from_str::<serde_json::Number>(header) else { return false };
    header.as_f64() == number.as_f64()
}

/// The value of a header that may be encoded.
fn decoded<'a>(
    headers: &'a dyn Headers,
    name: &str,
    shown_name: &str,
) -> Result<Option<Cow<'a, str>>, ProtocolError> {
    let Some(raw) = single(headers, name, shown_name)? else { return Ok(None) };
    let value = header_value::decode(raw).map_err(|fault| {
        ProtocolError::header_mismatch(format!("the header {shown_name} cannot be read: {fault}"))
    })?;
    Ok(Some(value))
}

fn abridged(text: &str) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn compares_numbers_as_numbers_within_the_safe_range() {
        let cases = [
            ("42", json!(42), true),
            ("42.0", json!(42), true),
            ("4.2e1", json!(42), true),
            ("43", json!(42), false),
            ("18446744073709551614", json!(18446744073709551615u64), false),
            ("18446744073709551615", json!(18446744073709551615u64), false),
            ("9007199254740991", json!(9007199254740991i64), true),
            ("-9007199254740991.0", json!(-9007199254740991i64), true),
            ("9007199254740992.0", json!(9007199254740991i64), false),
            ("9007199254740993", json!(9007199254740993i64), false),
            ("x", json!(42), false),
            ("true", json!(true), true),
            ("True", json!(true), false),
        ];
        for (header, value, same) in cases {
            assert_eq!(says(header, &value), same, "{header} {value}");
        }
    }
}
