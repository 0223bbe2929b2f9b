//! The fields of definitions (of tools, resources, resource templates and prompts): how each is called, which
//! values it takes, and which revisions know it.
//!
//! A field that several kinds of definition have is the same field, checked alike.

use super::document::{self, Document, DocumentFault};
use super::json_compact::compact;
use super::revision::Revision;
use super::{annotations, icon, meta_key, prompt_argument, resource_uri, tool_annotations};

/// A field of a definition, of any revision, in the order in which the library writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The URI of a resource.
    Uri,
    /// The URI template of a resource template.
    UriTemplate,
    /// The name for programs.
    Name,
    /// The name for people.
    Title,
    /// What it is or does.
    Description,
    /// Icons, an array.
    Icons,
    /// The media type of a resource.
    MimeType,
    /// The size of a resource in bytes.
    Size,
    /// The arguments of a prompt, an array.
    Arguments,
    /// JSON Schema of a tool's arguments.
    InputSchema,
    /// JSON Schema of a tool's structured content.
    OutputSchema,
    /// Hints about a tool's behaviour.
    ToolAnnotations,
    /// For whom a resource is, how important and how fresh.
    Annotations,
    /// A tool's support of tasks, in revision 2025-11-25 only.
    Execution,
    /// The place for extensions.
    Meta,
}

impl Field {
    /// The key of the field in a definition.
    pub fn key(self) -> &'static str {
        match self {
            Field::Uri => "uri",
            Field::UriTemplate => "uriTemplate",
            Field::Name => "name",
            Field::Title => "title",
            Field::Description => "description",
            Field::Icons => "icons",
            Field::MimeType => "mimeType",
            Field::Size => "size",
            Field::Arguments => "arguments",
            Field::InputSchema => "inputSchema",
            Field::OutputSchema => "outputSchema",
            Field::ToolAnnotations | Field::Annotations => "annotations",
            Field::Execution => "execution",
            Field::Meta => "_meta",
        }
    }

    /// Checks the value of the field and returns it as it is published.
    pub fn published(self, raw: &[u8]) -> Result<Box<[u8]>, DocumentFault> {
        let pointer = format!("/{}", self.key());
        let published = match self {
            Field::Title | Field::Description | Field::MimeType => {
                document::string(raw, || pointer.clone())?;
                raw.to_vec()
            }
            Field::Name | Field::UriTemplate => {
                document::filled_string(raw, || pointer.clone())?;
                raw.to_vec()
            }
            Field::Uri => {
                let uri = document::string(raw, || pointer.clone())?;
                if let Some(message) = resource_uri::fault(&uri) {
                    return Err(DocumentFault::new(pointer, message));
                }
                raw.to_vec()
            }
            Field::Size => {
                document::whole_number(raw, "of bytes", || pointer.clone())?;
                raw.to_vec()
            }
            Field::Icons => icon::check_list(raw, &pointer)?,
            Field::Arguments => prompt_argument::check_list(raw, &pointer)?,
            Field::Annotations => annotations::check(raw, &pointer)?,
            Field::ToolAnnotations => tool_annotations::check(raw, &pointer)?,
            Field::Execution => published_execution(raw, pointer)?,
            Field::Meta => {
                meta_key::check_object(raw, &pointer)?;
                compact(raw)
            }
            Field::InputSchema | Field::OutputSchema => {
                document::object(raw, &pointer)?;
                compact(raw)
            }
        };
        Ok(published.into())
    }

    /// Whether definitions of `revision` have the field.
    pub fn is_known_to(self, revision: Revision) -> bool {
        match self {
            Field::Title => revision.has_titles(),
            Field::Icons => revision.has_icons(),
            Field::OutputSchema => revision.has_structured_content(),
            Field::ToolAnnotations => revision.has_tool_annotations(),
            Field::Execution => revision.has_tool_execution(),
            Field::Meta => revision.has_meta_everywhere(),
            Field::Uri
            | Field::UriTemplate
            | Field::Name
            | Field::Description
            | Field::MimeType
            | Field::Size
            | Field::Arguments
            | Field::InputSchema
            | Field::Annotations => true,
        }
    }

    /// Appends a published value, without what `revision` does not know inside it.
    pub fn write_value(self, raw: &[u8], revision: Revision, out: &mut Vec<u8>) {
        match self {
            Field::Annotations => annotations::write(raw, revision, out),
            Field::Arguments => prompt_argument::write_list(raw, revision, out),
            _ => out.extend_from_slice(raw),
        }
    }
}

fn published_execution(raw: &[u8], pointer: String) -> Result<Vec<u8>, DocumentFault> {
    let execution = Document::read(raw, pointer, &["taskSupport"])?;
    execution.one_of("taskSupport", &["forbidden", "optional", "required"])?;
    let mut out = Vec::new();
    execution.write(&mut out, |_| None);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_revisions_know_more_fields_and_forget_execution() {
        let known = |revision| {
            let fields = [
                Field::Title,
                Field::Icons,
                Field::OutputSchema,
                Field::ToolAnnotations,
                Field::Annotations,
                Field::Execution,
                Field::Meta,
            ];
            fields.map(|field| field.is_known_to(revision))
        };
        assert_eq!(known(Revision::V2024_11_05), [false, false, false, false, true, false, false]);
        assert_eq!(known(Revision::V2025_03_26), [false, false, false, true, true, false, false]);
        assert_eq!(known(Revision::V2025_06_18), [true, false, true, true, true, false, true]);
        assert_eq!(known(Revision::V2025_11_25), [true, true, true, true, true, true, true]);
        assert_eq!(known(Revision::V2026_07_28), [true, true, true, true, true, false, true]);
    }

    #[test]
    fn says_where_a_value_is_wrong() {
        for (field, raw, wanted) in [
            (Field::Name, "\"\"", "/name: must not be empty"),
            (Field::Title, "1", "/title: must be a string, not a number"),
            (Field::Size, "\"1\"", "/size: must be a number, not a string"),
            (
                Field::Annotations,
                r#"{"readOnlyHint":true}"#,
                "/annotations: unknown key \"readOnlyHint\"; known are audience, priority, lastModified",
            ),
            (
                Field::Meta,
                r#"{"a b":1}"#,
                "/_meta: \"a b\" is no _meta key: its name is made of letters, digits, '-', '_' and '.'",
            ),
        ] {
            let fault = field.published(raw.as_bytes()).map_err(|fault| fault.to_string());
            assert_eq!(fault, Err(wanted.into()));
        }
    }
}
