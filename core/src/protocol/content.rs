//! The five kinds of content block, which the results of tools and the messages of prompts carry: checked when an author gives one as JSON,
//! written when the library makes one.

use super::document::{self, Document, DocumentFault, not_one_of};
use super::json_write::{optional_string_member, string_member};
use super::resource_contents::{self, ResourceContents};
use super::{annotations, base64_text, icon, meta_key, resource_uri};

/// A content block to write. Borrows everything; binary data are encoded while writing.
#[derive(Clone, Copy, Debug)]
pub enum ContentBlock<'a> {
    /// Plain text.
    Text {
        /// The text.
        text: &'a str,
    },
    /// An image.
    Image {
        /// The raw bytes of the file.
        data: &'a [u8],
        /// Its media type, as `image/png`.
        mime_type: &'a str,
    },
    /// A sound.
    Audio {
        /// The raw bytes of the file.
        data: &'a [u8],
        /// Its media type, as `audio/wav`.
        mime_type: &'a str,
    },
    /// A resource that the client may fetch.
    ResourceLink {
        /// The URI of the resource.
        uri: &'a str,
        /// Its name.
        name: &'a str,
        /// Its name for people.
        title: Option<&'a str>,
        /// What it is.
        description: Option<&'a str>,
        /// Its media type.
        mime_type: Option<&'a str>,
    },
    /// A resource that stands in the result itself.
    Resource {
        /// The URI of the resource.
        uri: &'a str,
        /// Its media type.
        mime_type: Option<&'a str>,
        /// What it contains.
        contents: ResourceContents<'a>,
    },
}

impl ContentBlock<'_> {
    /// Appends the block as JSON. `annotations` is a JSON text that [`annotations::check`] returned.
    pub fn write(&self, annotations: Option<&[u8]>, out: &mut Vec<u8>) {
        match *self {
            ContentBlock::Text { text } => {
                open(out, BlockKind::Text);
                string_member(out, "text", text);
            }
            ContentBlock::Image { data, mime_type } => media(out, BlockKind::Image, data, mime_type),
            ContentBlock::Audio { data, mime_type } => media(out, BlockKind::Audio, data, mime_type),
            ContentBlock::ResourceLink { uri, name, title, description, mime_type } => {
                open(out, BlockKind::ResourceLink);
                string_member(out, "uri", uri);
                string_member(out, "name", name);
                optional_string_member(out, "title", title);
                optional_string_member(out, "description", description);
                optional_string_member(out, "mimeType", mime_type);
            }
            ContentBlock::Resource { uri, mime_type, contents } => {
                open(out, BlockKind::Resource);
                out.extend_from_slice(b",\"resource\":");
                resource_contents::write(uri, mime_type, contents, None, out);
            }
        }
        if let Some(annotations) = annotations {
            out.extend_from_slice(b",\"annotations\":");
            out.extend_from_slice(annotations);
        }
        out.push(b'}');
    }

    /// Says what is wrong with the block before it is written; `None` for a good one. Only links and
    /// resources can be wrong: their URI must have a scheme, a link must have a name.
    pub fn fault(&self) -> Option<String> {
        match *self {
            ContentBlock::ResourceLink { name: "", .. } => Some("a resource link needs a name".into()),
            ContentBlock::ResourceLink { uri, .. } | ContentBlock::Resource { uri, .. } => {
                resource_uri::fault(uri)
            }
            _ => None,
        }
    }
}

/// The kinds of content block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Plain text.
    Text,
    /// An image.
    Image,
    /// A sound.
    Audio,
    /// A resource that the client may fetch.
    ResourceLink,
    /// A resource that stands in the result itself.
    Resource,
}

impl BlockKind {
    const ALL: [BlockKind; 5] =
        [BlockKind::Text, BlockKind::Image, BlockKind::Audio, BlockKind::ResourceLink, BlockKind::Resource];

    /// The kind whose blocks have `name` as their `type`.
    pub fn named(name: &str) -> Option<BlockKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The value of the block's `type`.
    fn name(self) -> &'static str {
        match self {
            BlockKind::Text => "text",
            BlockKind::Image => "image",
            BlockKind::Audio => "audio",
            BlockKind::ResourceLink => "resource_link",
            BlockKind::Resource => "resource",
        }
    }
}

/// Checks one content block given as JSON (`raw`, valid JSON at `pointer`) and appends it to `out` as it is
/// published: compact, without null members. Returns its kind.
pub fn append_checked(raw: &[u8], pointer: &str, out: &mut Vec<u8>) -> Result<BlockKind, DocumentFault> {
    let kind = kind_of(raw, pointer)?;
    let block = Document::read(raw, pointer, fields_of(kind))?;
    let mut replaced: Vec<(&str, Vec<u8>)> = Vec::new();
    match kind {
        BlockKind::Text => drop(block.required_string("text")?),
        BlockKind::Image | BlockKind::Audio => {
            block.required_string("mimeType")?;
            base64_text::check(&block, "data")?;
        }
        BlockKind::ResourceLink => {
            check_link(&block)?;
            if let Some(icons) = block.raw("icons") {
                replaced.push(("icons", icon::check_list(icons, &block.pointer_to("icons"))?));
            }
        }
        BlockKind::Resource => replaced.push(("resource", check_resource(&block)?)),
    }
    if let Some(raw) = block.raw("annotations") {
        replaced.push(("annotations", annotations::check(raw, &block.pointer_to("annotations"))?));
    }
    if let Some(meta) = block.raw("_meta") {
        meta_key::check_object(meta, &block.pointer_to("_meta"))?;
    }
    block.write(out, |name| replaced.iter().find(|(key, _)| *key == name).map(|(_, text)| text.as_slice()));
    Ok(kind)
}

/// The kind of a block, which decides what else may stand in it.
fn kind_of(raw: &[u8], pointer: &str) -> Result<BlockKind, DocumentFault> {
    let names = BlockKind::ALL.map(BlockKind::name);
    let members = document::object(raw, pointer)?;
    let Some((_, written)) = members.iter().find(|(key, _)| key == "type") else {
        let message = format!("\"type\" is missing; it is one of {}", names.join(", "));
        return Err(DocumentFault::new(pointer, message));
    };
    let at = || format!("{pointer}/type");
    let written = document::string(written, at)?;
    match BlockKind::named(&written) {
        Some(kind) => Ok(kind),
        None => Err(DocumentFault::new(at(), not_one_of(&written, &names))),
    }
}

fn fields_of(kind: BlockKind) -> &'static [&'static str] {
    match kind {
        BlockKind::Text => &["type", "text", "annotations", "_meta"],
        BlockKind::Image | BlockKind::Audio => &["type", "data", "mimeType", "annotations", "_meta"],
        BlockKind::ResourceLink => &[
            "type",
            "uri",
            "name",
            "title",
            "description",
            "mimeType",
            "size",
            "icons",
            "annotations",
            "_meta",
        ],
        BlockKind::Resource => &["type", "resource", "annotations", "_meta"],
    }
}

fn check_link(block: &Document<'_>) -> Result<(), DocumentFault> {
    resource_uri::check(block)?;
    if block.required_string("name")?.is_empty() {
        return Err(block.fault("name", "a resource link needs a name"));
    }
    for field in ["title", "description", "mimeType"] {
        block.string(field)?;
    }
    block.whole_number("size", "of bytes")?;
    Ok(())
}

/// Checks the embedded resource of a block and returns it as it is published.
fn check_resource(block: &Document<'_>) -> Result<Vec<u8>, DocumentFault> {
    let Some(raw) = block.raw("resource") else {
        return Err(block.fault("resource", "is missing"));
    };
    let mut out = Vec::with_capacity(raw.len());
    resource_contents::append_checked(raw, block.pointer_to("resource"), &mut out)?;
    Ok(out)
}

fn open(out: &mut Vec<u8>, kind: BlockKind) {
    out.extend_from_slice(b"{\"type\":\"");
    out.extend_from_slice(kind.name().as_bytes());
    out.push(b'"');
}

fn media(out: &mut Vec<u8>, kind: BlockKind, data: &[u8], mime_type: &str) {
    open(out, kind);
    base64_text::append_member(out, "data", data);
    string_member(out, "mimeType", mime_type);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn checked(raw: &str) -> Result<String, String> {
        let mut out = Vec::new();
        match append_checked(raw.as_bytes(), "/content/0", &mut out) {
            Ok(kind) => {
                assert!(raw.contains(kind.name()));
                Ok(String::from_utf8(out).unwrap())
            }
            Err(fault) => Err(fault.to_string()),
        }
    }

    #[test]
    fn writes_every_kind_so_that_its_own_check_accepts_it() {
        let annotations: &[u8] = br#"{"priority":1}"#;
        let link = |title, description, mime_type| ContentBlock::ResourceLink {
            uri: "file:///a",
            name: "a\"",
            title,
            description,
            mime_type,
        };
        let resource = |contents| ContentBlock::Resource { uri: "x:1", mime_type: Some("a/b"), contents };
        for (block, wanted) in [
            (
                ContentBlock::Text { text: "a\nb" },
                r#"{"type":"text","text":"a\nb","annotations":{"priority":1}}"#,
            ),
            (
                ContentBlock::Image { data: b"\xff\xfe", mime_type: "image/png" },
                r#"{"type":"image","data":"//4=","mimeType":"image/png","annotations":{"priority":1}}"#,
            ),
            (
                ContentBlock::Audio { data: b"", mime_type: "audio/wav" },
                r#"{"type":"audio","data":"","mimeType":"audio/wav","annotations":{"priority":1}}"#,
            ),
            (
                link(Some("t"), Some("d"), Some("m")),
                r#"{"type":"resource_link","uri":"file:///a","name":"a\"","title":"t","description":"d","mimeType":"m","annotations":{"priority":1}}"#,
            ),
            (
                link(None, None, None),
                r#"{"type":"resource_link","uri":"file:///a","name":"a\"","annotations":{"priority":1}}"#,
            ),
            (
                resource(ResourceContents::Text("t")),
                r#"{"type":"resource","resource":{"uri":"x:1","mimeType":"a/b","text":"t"},"annotations":{"priority":1}}"#,
            ),
            (
                resource(ResourceContents::Blob(b"abc")),
                r#"{"type":"resource","resource":{"uri":"x:1","mimeType":"a/b","blob":"YWJj"},"annotations":{"priority":1}}"#,
            ),
        ] {
            let mut out = Vec::new();
            block.write(Some(annotations), &mut out);
            assert_eq!(std::str::from_utf8(&out).unwrap(), wanted);
            assert_eq!(checked(wanted).unwrap(), wanted);
            assert_eq!(block.fault(), None);
            out.clear();
            block.write(None, &mut out);
            assert_eq!(
                String::from_utf8(out).unwrap() + "",
                wanted.replace(r#","annotations":{"priority":1}"#, "")
            );
        }
    }

    #[test]
    fn publishes_blocks_compact_and_without_nulls() {
        for (raw, wanted) in [
            (
                "{ \"text\" : \"x\",\n \"type\":\"text\", \"annotations\": null, \"_meta\": {\"a\": null} }",
                r#"{"text":"x","type":"text","_meta":{"a":null}}"#,
            ),
            (
                r#"{"type":"resource","resource":{"uri":"file:///m.rs","text":"","annotations":{"priority":0.7,"audience":null},"mimeType":null}}"#,
                r#"{"type":"resource","resource":{"uri":"file:///m.rs","text":"","annotations":{"priority":0.7}}}"#,
            ),
            (
                r#"{"type":"resource_link","uri":"a:b","name":"n","size":12,"icons":[{"src":"data:,","theme":null}],"title":"T","description":"D","mimeType":"m/n"}"#,
                r#"{"type":"resource_link","uri":"a:b","name":"n","size":12,"icons":[{"src":"data:,"}],"title":"T","description":"D","mimeType":"m/n"}"#,
            ),
        ] {
            assert_eq!(checked(raw).unwrap(), wanted);
        }
    }

    #[test]
    fn says_what_is_wrong_with_a_block() {
        for (raw, wanted) in [
            ("5", "/content/0: must be an object, not a number"),
            (
                r#"{"text":"x"}"#,
                "/content/0: \"type\" is missing; it is one of text, image, audio, resource_link, resource",
            ),
            (
                r#"{"type":"txt","text":"x"}"#,
                "/content/0/type: \"txt\" is not one of \"text\", \"image\", \"audio\", \"resource_link\", \"resource\"; did you mean \"text\"?",
            ),
            (r#"{"type":"text"}"#, "/content/0: \"text\" is missing"),
            (r#"{"type":"text","text":null}"#, "/content/0: \"text\" is missing"),
            (r#"{"type":"text","text":{}}"#, "/content/0/text: must be a string, not an object"),
            (
                r#"{"type":"text","text":"x","mimeType":"a/b"}"#,
                "/content/0: unknown key \"mimeType\"; known are type, text, annotations, _meta",
            ),
            (r#"{"type":"image","data":"YQ=="}"#, "/content/0: \"mimeType\" is missing"),
            (
                r#"{"type":"image","mimeType":"image/png","mimetype":"x","data":""}"#,
                "/content/0: unknown key \"mimetype\"; did you mean \"mimeType\"?",
            ),
            (
                r#"{"type":"image","mimeType":"image/png","data":"YQ"}"#,
                "/content/0/data: not base64: its length is not a multiple of four; pad it with '='",
            ),
            (
                r#"{"type":"audio","mimeType":"audio/wav","data":"a b="}"#,
                "/content/0/data: not base64 at character 1: write it on one line, without white space",
            ),
            (
                r#"{"type":"resource_link","uri":"a","name":"n"}"#,
                "/content/0/uri: \"a\" is no URI: it must begin with a scheme, as in \"file:///a\"",
            ),
            (r#"{"type":"resource_link","uri":"a:b"}"#, "/content/0: \"name\" is missing"),
            (
                r#"{"type":"resource_link","uri":"a:b","name":""}"#,
                "/content/0/name: a resource link needs a name",
            ),
            (
                r#"{"type":"resource_link","uri":"a:b","name":"n","size":1.5}"#,
                "/content/0/size: must be a whole number of bytes, 0 or more",
            ),
            (r#"{"type":"resource"}"#, "/content/0/resource: is missing"),
            (
                r#"{"type":"resource","resource":{"uri":"a:b"}}"#,
                "/content/0/resource: must have either \"text\" or \"blob\"",
            ),
            (
                r#"{"type":"resource","resource":{"uri":"a:b","text":"","blob":""}}"#,
                "/content/0/resource: must have either \"text\" or \"blob\"",
            ),
            (
                r#"{"type":"resource","resource":{"uri":"a:b","blob":"?"}}"#,
                "/content/0/resource/blob: not base64 at character 0: only A-Z, a-z, 0-9, '+' and '/' may stand there, and '=' at the end",
            ),
            (
                r#"{"type":"text","text":"x","annotations":{"priority":2}}"#,
                "/content/0/annotations/priority: must lie between 0 (optional) and 1 (required)",
            ),
            (r#"{"type":"text","text":"x","_meta":[]}"#, "/content/0/_meta: must be an object, not an array"),
        ] {
            assert_eq!(checked(raw).unwrap_err(), wanted);
        }
        let nameless = ContentBlock::ResourceLink {
            uri: "a:b",
            name: "",
            title: None,
            description: None,
            mime_type: None,
        };
        assert!(nameless.fault().is_some());
    }
}
