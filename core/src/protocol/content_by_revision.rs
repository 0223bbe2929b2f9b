//! Content as the revisions before 2025-11-25 know it: what a revision does not have is told in another way, or left
//! out.
//!
//! A link to a resource becomes a text with its name and URI, and a sound a resource that holds it. `_meta`, icons
//! and `lastModified` are left out. The lists that come in were checked or made by the library; those without
//! anything to change go out as they came.

use std::borrow::Cow;

use super::content::{BlockKind, ContentBlock};
use super::document::{self, Member};
use super::json_scan::Scanner;
use super::json_write;
use super::revision::Revision;
use super::{annotations, json_members};

/// Content blocks, with commas between them, for a client of `revision`.
pub fn blocks(joined: Vec<u8>, revision: Revision) -> Vec<u8> {
    changed(joined, revision, |index, raw| block(index, raw, revision))
}

/// The messages of a prompt, with commas between them, for a client of `revision`.
pub fn messages(joined: Vec<u8>, revision: Revision) -> Vec<u8> {
    changed(joined, revision, |index, message| {
        let content = block(index, json_members::get(message, "content")?, revision)?;
        Some(json_members::with(message, "content", &content))
    })
}

/// The contents of resources, with commas between them, for a client of `revision`.
pub fn resources(joined: Vec<u8>, revision: Revision) -> Vec<u8> {
    changed(joined, revision, |_, resource| resource_contents(resource, revision))
}

/// Content did not change in later revisions.
const UNCHANGED_SINCE: Revision = Revision::V2025_11_25;

/// Changes the elements for which `change` gives others.
fn changed(joined: Vec<u8>, revision: Revision, change: impl Fn(usize, &[u8]) -> Option<Vec<u8>>) -> Vec<u8> {
    if revision >= UNCHANGED_SINCE {
        return joined;
    }
    let elements = elements(&joined);
    let others: Vec<_> = elements.iter().enumerate().map(|(index, element)| change(index, element)).collect();
    if others.iter().all(Option::is_none) {
        return joined;
    }
    let elements = elements.iter().zip(&others).map(|(own, other)| other.as_deref().unwrap_or(own));
    elements.collect::<Vec<_>>().join(b",".as_slice())
}

fn elements(joined: &[u8]) -> Vec<&[u8]> {
    let mut elements = Vec::new();
    let mut at = 0;
    while at < joined.len() {
        let Ok(span) = Scanner::new(joined, at).value() else { break };
        elements.push(span.of(joined));
        at = span.end + 1;
    }
    elements
}

/// The block for a client of `revision`; `None` where nothing changes. `index` is its place in its list.
fn block(index: usize, block: &[u8], revision: Revision) -> Option<Vec<u8>> {
    let members = document::object(block, "").ok()?;
    match BlockKind::named(&text(&members, "type")?)? {
        BlockKind::ResourceLink if !revision.has_resource_links() => link_as_text(&members, revision),
        BlockKind::ResourceLink if !revision.has_icons() => without(block, &["icons"]),
        BlockKind::Audio if !revision.has_audio() => audio_as_resource(index, &members, revision),
        _ if !revision.has_meta_everywhere() => known_members(block, &members, revision),
        _ => None,
    }
}

fn link_as_text(members: &[Member<'_>], revision: Revision) -> Option<Vec<u8>> {
    let text = format!("{}: {}", text(members, "name")?, text(members, "uri")?);
    let mut out = Vec::new();
    ContentBlock::Text { text: &text }.write(old_annotations(members, revision).as_deref(), &mut out);
    Some(out)
}

/// The sound has no URI of its own. `cid:` names a part of the same message (RFC 2392), which no client fetches.
fn audio_as_resource(index: usize, members: &[Member<'_>], revision: Revision) -> Option<Vec<u8>> {
    let (mime_type, data) = (raw(members, "mimeType")?, raw(members, "data")?);
    let mut out = Vec::with_capacity(data.len() + 128);
    out.extend_from_slice(b"{\"type\":\"resource\",\"resource\":{\"uri\":");
    json_write::string(&mut out, &format!("cid:audio-{index}"));
    json_write::member_name(&mut out, "mimeType");
    out.extend_from_slice(mime_type);
    json_write::member_name(&mut out, "blob");
    out.extend_from_slice(data);
    out.push(b'}');
    if let Some(annotations) = old_annotations(members, revision) {
        json_write::member_name(&mut out, "annotations");
        out.extend_from_slice(&annotations);
    }
    out.push(b'}');
    Some(out)
}

/// Any other block: without `_meta`, and with what is known of its annotations and its resource.
fn known_members(block: &[u8], members: &[Member<'_>], revision: Revision) -> Option<Vec<u8>> {
    raw(members, "_meta").or(raw(members, "annotations")).or(raw(members, "resource"))?;
    let annotations = old_annotations(members, revision);
    let resource = raw(members, "resource").and_then(|resource| resource_contents(resource, revision));
    let mut out = Vec::with_capacity(block.len());
    json_members::append_changed(&mut out, block, |key, value| match key {
        "_meta" => None,
        "annotations" => annotations.as_deref().map(Cow::Borrowed),
        "resource" => Some(Cow::Borrowed(resource.as_deref().unwrap_or(value))),
        _ => Some(Cow::Borrowed(value)),
    });
    (out != block).then_some(out)
}

/// The contents for a client of `revision`; `None` where nothing changes. No schema knows annotations of theirs, and
/// the pages of the old revisions do not show any.
fn resource_contents(contents: &[u8], revision: Revision) -> Option<Vec<u8>> {
    if revision.has_meta_everywhere() { None } else { without(contents, &["_meta", "annotations"]) }
}

fn old_annotations(members: &[Member<'_>], revision: Revision) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    annotations::write(raw(members, "annotations")?, revision, &mut out);
    Some(out)
}

fn without(object: &[u8], names: &[&str]) -> Option<Vec<u8>> {
    names.iter().find_map(|name| json_members::get(object, name))?;
    let mut out = Vec::with_capacity(object.len());
    json_members::append_without(&mut out, object, names);
    Some(out)
}

fn raw<'a>(members: &[Member<'a>], name: &str) -> Option<&'a [u8]> {
    members.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
}

fn text<'a>(members: &[Member<'a>], name: &str) -> Option<Cow<'a, str>> {
    document::string(raw(members, name)?, String::new).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const LEGACY: [Revision; 4] =
        [Revision::V2025_11_25, Revision::V2025_06_18, Revision::V2025_03_26, Revision::V2024_11_05];

    /// Checks what each legacy revision gets, the newest first.
    fn assert_shaped(shape: fn(Vec<u8>, Revision) -> Vec<u8>, given: &str, wanted: [&str; 4]) {
        assert_eq!(shape(given.into(), Revision::V2026_07_28), given.as_bytes());
        for (revision, wanted) in LEGACY.into_iter().zip(wanted) {
            let shaped = String::from_utf8(shape(given.into(), revision)).unwrap();
            assert_eq!(shaped, wanted, "{}", revision.name());
        }
    }

    #[test]
    fn a_link_becomes_a_text() {
        let link = r#"{"type":"resource_link","uri":"file:///a","name":"a\"b","title":"A","icons":[{"src":"data:,"}],"annotations":{"lastModified":"x","priority":1},"_meta":{}}"#;
        let bare = link.replace(r#","icons":[{"src":"data:,"}]"#, "");
        let text = r#"{"type":"text","text":"a\"b: file:///a","annotations":{"priority":1}}"#;
        assert_shaped(blocks, link, [link, &bare, text, text]);
        let escaped = r#"{"type":"resource\u005flink","uri":"x:1","name":"n"}"#;
        let text = r#"{"type":"text","text":"n: x:1"}"#;
        assert_shaped(blocks, escaped, [escaped, escaped, text, text]);
    }

    #[test]
    fn a_sound_becomes_a_resource() {
        let text = r#"{"type":"text","text":"a"}"#;
        let audio = r#"{"type":"audio","data":"YQ==","mimeType":"audio/wav","annotations":{"priority":1}}"#;
        let given = format!("{text},{audio}");
        let resource = r#"{"type":"resource","resource":{"uri":"cid:audio-1","mimeType":"audio/wav","blob":"YQ=="},"annotations":{"priority":1}}"#;
        assert_shaped(blocks, &given, [&given, &given, &given, &format!("{text},{resource}")]);
        let with_meta = r#"{"data":"","type":"audio","mimeType":"a/b","_meta":{}}"#;
        let without_meta = r#"{"data":"","type":"audio","mimeType":"a/b"}"#;
        let resource = r#"{"type":"resource","resource":{"uri":"cid:audio-0","mimeType":"a/b","blob":""}}"#;
        assert_shaped(blocks, with_meta, [with_meta, with_meta, without_meta, resource]);
    }

    #[test]
    fn members_that_are_not_known_are_left_out() {
        for (given, old) in [
            ("", ""),
            (
                r#"{"type":"text","text":"_meta, \"annotations\""}"#,
                r#"{"type":"text","text":"_meta, \"annotations\""}"#,
            ),
            (r#"{"type":"text","_meta":{"a":1},"text":"x"}"#, r#"{"type":"text","text":"x"}"#),
            (
                r#"{"type":"image","data":"","mimeType":"a/b","annotations":{"lastModified":"x"}},{"type":"text","text":"\/"}"#,
                r#"{"type":"image","data":"","mimeType":"a/b","annotations":{}},{"type":"text","text":"\/"}"#,
            ),
            (
                r#"{"type":"resource","resource":{"uri":"x:1","text":"","annotations":{"priority":1},"_meta":{}},"_meta":{}}"#,
                r#"{"type":"resource","resource":{"uri":"x:1","text":""}}"#,
            ),
            (
                r#"{"type":"resource","resource":{"uri":"x:1","blob":""},"annotations":{"priority":1}}"#,
                r#"{"type":"resource","resource":{"uri":"x:1","blob":""},"annotations":{"priority":1}}"#,
            ),
        ] {
            assert_shaped(blocks, given, [given, given, old, old]);
        }
    }

    #[test]
    fn the_block_of_a_message_is_shaped_in_its_place() {
        let given = r#"{"role":"user","content":{"type":"text","text":"a"}},{"content":{"type":"audio","data":"","mimeType":"a/b"},"role":"assistant"},{"role":"user","content":{"type":"resource_link","uri":"x:1","name":"n"}}"#;
        let march = given.replace(
            r#"{"type":"resource_link","uri":"x:1","name":"n"}"#,
            r#"{"type":"text","text":"n: x:1"}"#,
        );
        let oldest = march.replace(
            r#"{"type":"audio","data":"","mimeType":"a/b"}"#,
            r#"{"type":"resource","resource":{"uri":"cid:audio-1","mimeType":"a/b","blob":""}}"#,
        );
        assert_shaped(messages, given, [given, given, &march, &oldest]);
    }

    #[test]
    fn contents_of_resources_have_meta_where_it_is_known() {
        let given =
            r#"{"uri":"x:1","text":"a"},{"uri":"ui://a","mimeType":"a/b","text":"","_meta":{"ui":{}}}"#;
        let old = r#"{"uri":"x:1","text":"a"},{"uri":"ui://a","mimeType":"a/b","text":""}"#;
        assert_shaped(resources, given, [given, given, old, old]);
    }
}
