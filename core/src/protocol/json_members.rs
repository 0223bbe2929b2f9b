//! Copies a JSON object member by member, with some left out or changed. What stays keeps its place, and its value
//! byte for byte.

use std::borrow::Cow;

use super::document;
use super::json_write;

/// The raw value of the member `name` of `object`; `None` where there is none, or no object.
pub fn get<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let members = document::object(object, "").ok()?;
    members.into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Appends `object`, which must be valid JSON, with the values that `change` gives in place of its own. Members for
/// which it gives none are left out.
pub fn append_changed<'a>(
    out: &mut Vec<u8>,
    object: &'a [u8],
    mut change: impl FnMut(&str, &'a [u8]) -> Option<Cow<'a, [u8]>>,
) {
    out.push(b'{');
    let start = out.len();
    for (key, value) in document::object(object, "").unwrap_or_default() {
        if let Some(value) = change(&key, value) {
            append_member(out, start, &key, &value);
        }
    }
    out.push(b'}');
}

/// Appends `object`, which must be valid JSON, without its members called `names`.
pub fn append_without(out: &mut Vec<u8>, object: &[u8], names: &[&str]) {
    append_changed(out, object, |key, value| (!names.contains(&key)).then_some(Cow::Borrowed(value)));
}

/// `object`, which must be valid JSON, with the member `name` set to `value`: in its place, or else at the end.
pub fn with(object: &[u8], name: &str, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(object.len() + name.len() + value.len() + 4);
    let mut there = false;
    append_changed(&mut out, object, |key, own| {
        there |= key == name;
        Some(if key == name { Cow::Owned(value.to_vec()) } else { Cow::Borrowed(own) })
    });
    if !there {
        out.pop();
        append_member(&mut out, 1, name, value);
        out.push(b'}');
    }
    out
}

/// `start` is the length of `out` behind the opening brace of the object.
fn append_member(out: &mut Vec<u8>, start: usize, key: &str, value: &[u8]) {
    if out.len() > start {
        out.push(b',');
    }
    json_write::string(out, key);
    out.push(b':');
    out.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn leaves_members_out_and_the_rest_as_it_is() {
        for (object, wanted) in [
            ("{}", "{}"),
            (r#"{"a":1}"#, "{}"),
            (r#"{"a":1,"k":1.50,"b":{"a":2}}"#, r#"{"k":1.50}"#),
            (r#"{"k":[{"a":1}],"\u0061":2,"x\"y":"\u0061"}"#, r#"{"k":[{"a":1}],"x\"y":"\u0061"}"#),
        ] {
            let mut out = b"..".to_vec();
            append_without(&mut out, object.as_bytes(), &["a", "b"]);
            assert_eq!(String::from_utf8(out).unwrap(), format!("..{wanted}"));
        }
    }

    #[test]
    fn sets_a_member_in_its_place_or_at_the_end() {
        for (object, wanted) in [
            ("{}", r#"{"ui":[]}"#),
            (r#"{"a":1}"#, r#"{"a":1,"ui":[]}"#),
            (r#"{"ui":{"b":1},"a":1}"#, r#"{"ui":[],"a":1}"#),
        ] {
            assert_eq!(String::from_utf8(with(object.as_bytes(), "ui", b"[]")).unwrap(), wanted);
        }
    }

    #[test]
    fn finds_a_member() {
        assert_eq!(get(br#"{"a":{"ui":1},"ui":{"x":2}}"#, "ui"), Some(br#"{"x":2}"#.as_slice()));
        assert_eq!(get(br#"{"a":1}"#, "ui"), None);
        assert_eq!(get(b"[1]", "ui"), None);
    }
}
