//! A resource as its author defines it and as `resources/list` publishes it (specification, server/resources,
//! "Resource").

use std::borrow::Cow;

use super::app_ui;
use super::definition::{Definition, DefinitionFault, Kind};
use super::definition_field::Field;
use super::document::{self, DocumentFault, cut};

/// The definition of a resource.
pub type ResourceDefinition = Definition<ResourceKind>;

/// The kind of definition that resources have.
#[derive(Clone, Debug)]
pub struct ResourceKind;

impl Kind for ResourceKind {
    const WORD: &'static str = "resource";
    const FIELDS: &'static [Field] = &[
        Field::Uri,
        Field::Name,
        Field::Title,
        Field::Description,
        Field::Icons,
        Field::MimeType,
        Field::Size,
        Field::Annotations,
        Field::Meta,
    ];
    const IDENTITY: Field = Field::Uri;
    const REQUIRED: &'static [(Field, &'static str)] = &[(Field::Name, "")];

    fn check(resource: &ResourceDefinition) -> Result<(), DocumentFault> {
        let Some(ui) = resource.ui() else { return Ok(()) };
        app_ui::check_object(ui)?;
        match resource.mime_type() {
            Some(other) if is_app(resource) && other != app_ui::MIME_TYPE => {
                let message =
                    format!("a user interface is \"{}\", not \"{}\"", app_ui::MIME_TYPE, cut(&other));
                Err(DocumentFault::new("/mimeType", message))
            }
            _ => Ok(()),
        }
    }
}

impl ResourceDefinition {
    /// A definition with a URI, which begins with a scheme, and a name, which is not empty.
    pub fn new(uri: &str, name: &str) -> Result<Self, DefinitionFault> {
        let mut definition = Self::of(uri)?;
        definition.set_text(Field::Name, name)?;
        Ok(definition)
    }

    /// The URI, by which it is read.
    pub fn uri(&self) -> &str {
        self.identity()
    }

    /// The name for programs.
    pub fn name(&self) -> Cow<'_, str> {
        self.text(Field::Name).unwrap_or_default()
    }

    /// The media type, if it is told.
    pub fn mime_type(&self) -> Option<Cow<'_, str>> {
        self.text(Field::MimeType)
    }

    /// The object `ui` in its `_meta`: what a host is to know of a user interface (MCP Apps). Its contents carry
    /// it too.
    pub fn ui(&self) -> Option<&[u8]> {
        self.raw(Field::Meta).and_then(app_ui::of_meta)
    }

    /// Makes the resource a user interface (MCP Apps): sets `ui` in its `_meta`, and the media type where none is
    /// set. Its URI must begin with `ui://`.
    pub fn set_ui(&mut self, ui: &[u8]) -> Result<(), DefinitionFault> {
        if !is_app(self) {
            let message = format!("the URI of a user interface begins with \"{}\"", app_ui::URI_SCHEME);
            return Err(self.fault(DocumentFault::new("/uri", message)));
        }
        document::check_json(ui, "/_meta/ui").map_err(|fault| self.fault(fault))?;
        let mut changed = self.clone();
        changed.set_json(Field::Meta, &app_ui::with_ui(self.raw(Field::Meta), ui.trim_ascii()))?;
        if changed.mime_type().is_none() {
            changed.set_text(Field::MimeType, app_ui::MIME_TYPE)?;
        }
        *self = changed;
        Ok(())
    }
}

fn is_app(resource: &ResourceDefinition) -> bool {
    resource.uri().starts_with(app_ui::URI_SCHEME)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::protocol::revision::Revision;

    fn listed(definition: &ResourceDefinition, revision: Revision) -> String {
        let mut out = Vec::new();
        definition.write(revision, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lists_what_each_revision_knows() {
        let text = r#"{"name":"a","uri":"file:///a","size":3,"title":"A","description":"d","mimeType":"text/plain",
            "icons":[{"src":"data:,"}],"annotations":{"priority":1,"lastModified":"2025-01-12T15:00:58Z"},
            "_meta":{"com.example/x":{"a":null}}}"#;
        let definition = ResourceDefinition::from_json(text.as_bytes()).unwrap();
        assert_eq!((definition.uri(), &*definition.name()), ("file:///a", "a"));
        assert_eq!(definition.mime_type().as_deref(), Some("text/plain"));
        let newest = r#"{"name":"a","uri":"file:///a","size":3,"title":"A","description":"d","mimeType":"text/plain","icons":[{"src":"data:,"}],"annotations":{"priority":1,"lastModified":"2025-01-12T15:00:58Z"},"_meta":{"com.example/x":{"a":null}}}"#;
        let oldest = r#"{"name":"a","uri":"file:///a","size":3,"description":"d","mimeType":"text/plain","annotations":{"priority":1}}"#;
        let without_icons = newest.replace(r#","icons":[{"src":"data:,"}]"#, "");
        for (revision, wanted) in [
            (Revision::V2026_07_28, newest),
            (Revision::V2025_11_25, newest),
            (Revision::V2025_06_18, &without_icons),
            (Revision::V2025_03_26, oldest),
            (Revision::V2024_11_05, oldest),
        ] {
            assert_eq!(listed(&definition, revision), wanted, "{revision:?}");
        }
    }

    #[test]
    fn setters_and_json_make_the_same_definition() {
        let mut definition = ResourceDefinition::new("x:1", "n").unwrap();
        definition.set_json(Field::Size, b"18446744073709551615").unwrap();
        definition.set_text(Field::MimeType, "a/b").unwrap();
        definition.set_text(Field::Title, "T").unwrap();
        let wanted = r#"{"uri":"x:1","name":"n","title":"T","mimeType":"a/b","size":18446744073709551615}"#;
        assert_eq!(listed(&definition, Revision::V2026_07_28), wanted);
        let read = ResourceDefinition::from_json(wanted.as_bytes()).unwrap();
        assert_eq!(listed(&read, Revision::V2026_07_28), wanted);
    }

    #[test]
    fn names_the_resource_and_the_place_of_a_fault() {
        for (text, wanted) in [
            ("5", "resource: must be an object, not a number"),
            (r#"{"name":"a"}"#, "resource: \"uri\" is missing"),
            (
                r#"{"uri":"a.txt","name":"a"}"#,
                "resource: /uri: \"a.txt\" is no URI: it must begin with a scheme, as in \"file:///a\"",
            ),
            (r#"{"uri":"a:b"}"#, "resource \"a:b\": \"name\" is missing"),
            (r#"{"uri":"a:b","name":""}"#, "resource \"a:b\": /name: must not be empty"),
            (
                r#"{"uri":"a:b","name":"n","size":-1}"#,
                "resource \"a:b\": /size: must be a whole number of bytes, 0 or more",
            ),
            (
                r#"{"uri":"a:b","name":"n","mime_type":"a/b"}"#,
                "resource \"a:b\": unknown key \"mime_type\"; did you mean \"mimeType\"?",
            ),
            (
                r#"{"uri":"a:b","name":"n","annotations":{"priority":2}}"#,
                "resource \"a:b\": /annotations/priority: must lie between 0 (optional) and 1 (required)",
            ),
            (
                r#"{"uri":"ui://a","name":"n","_meta":{"ui":true}}"#,
                "resource \"ui://a\": /_meta/ui: must be an object, not a boolean",
            ),
        ] {
            assert_eq!(ResourceDefinition::from_json(text.as_bytes()).unwrap_err().to_string(), wanted);
        }
        assert!(ResourceDefinition::new("a", "n").is_err());
        assert!(ResourceDefinition::new("a:b", "").is_err());
    }

    #[test]
    fn fields_of_other_kinds_and_the_identity_cannot_be_set() {
        let mut definition = ResourceDefinition::new("a:b", "n").unwrap();
        for (field, text, wanted) in [
            (Field::Uri, "\"x:y\"", "resource \"a:b\": /uri: the uri of a resource cannot be changed"),
            (Field::InputSchema, "{}", "resource \"a:b\": /inputSchema: a resource does not have it"),
            (Field::Name, "null", "resource \"a:b\": /name: must be a string, not null"),
        ] {
            assert_eq!(definition.set_json(field, text.as_bytes()).unwrap_err().to_string(), wanted);
        }
        assert_eq!(listed(&definition, Revision::V2026_07_28), r#"{"uri":"a:b","name":"n"}"#);
    }

    #[test]
    fn a_user_interface_has_its_own_scheme_and_media_type() {
        let mut definition = ResourceDefinition::new("ui://a", "n").unwrap();
        definition.set_json(Field::Meta, br#"{"com.example/x":1}"#).unwrap();
        definition.set_ui(br#" {"prefersBorder": true} "#).unwrap();
        assert_eq!(
            listed(&definition, Revision::V2025_11_25),
            r#"{"uri":"ui://a","name":"n","mimeType":"text/html;profile=mcp-app","_meta":{"com.example/x":1,"ui":{"prefersBorder":true}}}"#
        );
        assert_eq!(definition.ui(), Some(br#"{"prefersBorder":true}"#.as_slice()));
        let fault = definition.set_text(Field::MimeType, "text/html").unwrap_err();
        assert_eq!(
            fault.to_string(),
            "resource \"ui://a\": /mimeType: a user interface is \"text/html;profile=mcp-app\", not \"text/html\""
        );
        assert_eq!(definition.mime_type().as_deref(), Some(app_ui::MIME_TYPE));
        let fault = definition.set_ui(b"[]").unwrap_err();
        assert_eq!(fault.to_string(), "resource \"ui://a\": /_meta/ui: must be an object, not an array");
        let fault = ResourceDefinition::new("file:///a", "n").unwrap().set_ui(b"{}").unwrap_err();
        assert_eq!(
            fault.to_string(),
            "resource \"file:///a\": /uri: the URI of a user interface begins with \"ui://\""
        );
    }
}
