//! A resource template as its author defines it and as `resources/templates/list` publishes it (specification,
//! server/resources, "Resource Templates").

use std::borrow::Cow;

use super::definition::{Definition, DefinitionFault, Kind};
use super::definition_field::Field;

/// The definition of a resource template. What its URI template means is checked at registration.
pub type ResourceTemplateDefinition = Definition<ResourceTemplateKind>;

/// The kind of definition that resource templates have.
#[derive(Clone, Debug)]
pub struct ResourceTemplateKind;

impl Kind for ResourceTemplateKind {
    const WORD: &'static str = "resource template";
    const FIELDS: &'static [Field] = &[
        Field::UriTemplate,
        Field::Name,
        Field::Title,
        Field::Description,
        Field::Icons,
        Field::MimeType,
        Field::Annotations,
        Field::Meta,
    ];
    const IDENTITY: Field = Field::UriTemplate;
    const REQUIRED: &'static [(Field, &'static str)] = &[(Field::Name, "")];
}

impl ResourceTemplateDefinition {
    /// A definition with a URI template and a name, neither of them empty.
    pub fn new(uri_template: &str, name: &str) -> Result<Self, DefinitionFault> {
        let mut definition = Self::of(uri_template)?;
        definition.set_text(Field::Name, name)?;
        Ok(definition)
    }

    /// The URI template, which says which resources can be read.
    pub fn uri_template(&self) -> &str {
        self.identity()
    }

    /// The name for programs.
    pub fn name(&self) -> Cow<'_, str> {
        self.text(Field::Name).unwrap_or_default()
    }

    /// The media type that all resources of the template have, if it is told.
    pub fn mime_type(&self) -> Option<Cow<'_, str>> {
        self.text(Field::MimeType)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::protocol::revision::Revision;

    #[test]
    fn lists_what_each_revision_knows() {
        let mut definition = ResourceTemplateDefinition::new("file:///{path}", "files").unwrap();
        definition.set_text(Field::Title, "Files").unwrap();
        definition.set_text(Field::MimeType, "text/plain").unwrap();
        definition.set_json(Field::Annotations, br#"{"audience":["user"],"lastModified":"x"}"#).unwrap();
        definition.set_json(Field::Meta, b"{}").unwrap();
        assert_eq!((definition.uri_template(), &*definition.name()), ("file:///{path}", "files"));
        assert_eq!(definition.mime_type().as_deref(), Some("text/plain"));
        for (revision, wanted) in [
            (
                Revision::V2025_06_18,
                r#"{"uriTemplate":"file:///{path}","name":"files","title":"Files","mimeType":"text/plain","annotations":{"audience":["user"],"lastModified":"x"},"_meta":{}}"#,
            ),
            (
                Revision::V2025_03_26,
                r#"{"uriTemplate":"file:///{path}","name":"files","mimeType":"text/plain","annotations":{"audience":["user"]}}"#,
            ),
        ] {
            let mut out = Vec::new();
            definition.write(revision, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
        }
    }

    #[test]
    fn names_the_template_and_the_place_of_a_fault() {
        for (text, wanted) in [
            (r#"{"name":"a"}"#, "resource template: \"uriTemplate\" is missing"),
            (r#"{"uriTemplate":"","name":"a"}"#, "resource template: /uriTemplate: must not be empty"),
            (r#"{"uriTemplate":"a:{b}"}"#, "resource template \"a:{b}\": \"name\" is missing"),
            (
                r#"{"uriTemplate":"a:{b}","name":"n","size":1}"#,
                "resource template \"a:{b}\": unknown key \"size\"; known are uriTemplate, name, title, description, icons, mimeType, annotations, _meta",
            ),
        ] {
            let fault = ResourceTemplateDefinition::from_json(text.as_bytes()).unwrap_err();
            assert_eq!(fault.to_string(), wanted);
        }
    }
}
