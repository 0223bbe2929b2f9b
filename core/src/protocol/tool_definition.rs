//! A tool as its author defines it and as `tools/list` publishes it (specification, server/tools, "Tool").
//!
//! Definitions are published as they were written: every keyword of a schema survives, at every depth, in its
//! own order. Only white space between tokens goes, and members that are null.

use std::fmt;

use super::document::{self, Document, DocumentFault};
use super::json_compact::compact;
use super::{icon, json_write, meta_key, tool_annotations, tool_name};

/// The definition of a tool. What its schemas mean is checked at registration, by the schema module.
#[derive(Clone, Debug)]
pub struct ToolDefinition {
    name: Box<str>,
    /// Published members in the order in which they are written, `name` among them.
    members: Vec<(Field, Box<[u8]>)>,
}

/// What is wrong with a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionFault {
    /// The name of the tool, where it could be read.
    pub tool: Option<Box<str>>,
    /// What is wrong, and where in the tool object.
    pub fault: DocumentFault,
}

impl fmt::Display for DefinitionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tool {
            Some(name) => write!(f, "tool \"{name}\": {}", self.fault),
            None => write!(f, "tool: {}", self.fault),
        }
    }
}

impl std::error::Error for DefinitionFault {}

impl ToolDefinition {
    /// A definition with a name and nothing else. It lists its members in the order of the specification,
    /// whatever the order in which they are set.
    pub fn new(name: &str) -> Result<Self, DefinitionFault> {
        if let Some(message) = tool_name::fault(name) {
            return Err(DefinitionFault { tool: None, fault: DocumentFault::new("/name", message) });
        }
        let mut raw = Vec::new();
        json_write::string(&mut raw, name);
        Ok(ToolDefinition { name: name.into(), members: vec![(Field::Name, raw.into())] })
    }

    /// Reads the tool object of the specification. Fields of any revision are known, other keys are refused by
    /// name; `name` and `inputSchema` must be there. Members keep the order of the text.
    pub fn from_json(text: &[u8]) -> Result<Self, DefinitionFault> {
        let nameless = |fault| DefinitionFault { tool: None, fault };
        document::check_json(text, "").map_err(nameless)?;
        let name = read_name(text).map_err(nameless)?;
        let named = |fault| DefinitionFault { tool: Some(name.clone()), fault };
        let object = Document::read(text, "", FIELDS).map_err(named)?;
        let mut members = Vec::new();
        for field in Field::ALL {
            let Some(raw) = object.raw(field.key()) else { continue };
            members.push((*field, field.published(raw).map_err(named)?));
        }
        if object.raw("inputSchema").is_none() {
            return Err(named(DocumentFault::new("", NO_INPUT_SCHEMA)));
        }
        let place = |field: Field| object.members().position(|(key, _)| key == field.key());
        members.sort_by_key(|(field, _)| place(*field));
        Ok(ToolDefinition { name, members })
    }

    /// The name, by which the tool is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The raw JSON text of a field, compact; `None` where it is not set.
    pub fn raw(&self, field: Field) -> Option<&[u8]> {
        self.members.iter().find(|(key, _)| *key == field).map(|(_, raw)| &**raw)
    }

    /// Sets `title` or `description`, or any other field whose value is a string.
    pub fn set_text(&mut self, field: Field, text: &str) -> Result<(), DefinitionFault> {
        let mut raw = Vec::new();
        json_write::string(&mut raw, text);
        self.set_json(field, &raw)
    }

    /// Sets a field to a JSON text, or takes it away where the text is `null`. The name stays as it is.
    pub fn set_json(&mut self, field: Field, text: &[u8]) -> Result<(), DefinitionFault> {
        let named = |fault| DefinitionFault { tool: Some(self.name.clone()), fault };
        if field == Field::Name {
            return Err(named(DocumentFault::new("/name", "the name of a tool cannot be changed")));
        }
        let pointer = format!("/{}", field.key());
        document::check_json(text, &pointer).map_err(named)?;
        let text = text.trim_ascii();
        let raw = match text {
            b"null" => None,
            _ => Some(field.published(text).map_err(named)?),
        };
        self.members.retain(|(key, _)| *key != field);
        if let Some(raw) = raw {
            let at = self.members.iter().position(|(key, _)| *key > field).unwrap_or(self.members.len());
            self.members.insert(at, (field, raw));
        }
        Ok(())
    }

    /// Appends the tool object as revision 2026-07-28 lists it: without `execution`, which it does not have.
    pub fn write_modern(&self, out: &mut Vec<u8>) {
        let mut separator = b'{';
        for (field, raw) in self.members.iter().filter(|(field, _)| *field != Field::Execution) {
            out.push(separator);
            separator = b',';
            json_write::string(out, field.key());
            out.push(b':');
            out.extend_from_slice(raw);
        }
        out.push(b'}');
    }
}

/// A field of a tool definition, of any revision, in the order in which the library writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The name by which the tool is called.
    Name,
    /// The name for people.
    Title,
    /// What the tool does.
    Description,
    /// Icons, an array.
    Icons,
    /// JSON Schema of the arguments.
    InputSchema,
    /// JSON Schema of the structured content.
    OutputSchema,
    /// Hints about behaviour.
    Annotations,
    /// Task support, a field of revision 2025-11-25 only.
    Execution,
    /// The place for extensions.
    Meta,
}

impl Field {
    const ALL: &[Field] = &[
        Field::Name,
        Field::Title,
        Field::Description,
        Field::Icons,
        Field::InputSchema,
        Field::OutputSchema,
        Field::Annotations,
        Field::Execution,
        Field::Meta,
    ];

    /// The key of the field in the tool object.
    pub fn key(self) -> &'static str {
        FIELDS[self as usize]
    }

    /// Checks the value of the field and returns it as it is published.
    fn published(self, raw: &[u8]) -> Result<Box<[u8]>, DocumentFault> {
        let pointer = format!("/{}", self.key());
        let published = match self {
            Field::Name | Field::Title | Field::Description => {
                document::string(raw, || pointer.clone())?;
                raw.to_vec()
            }
            Field::Icons => icon::check_list(raw, &pointer)?,
            Field::Annotations => tool_annotations::check(raw, &pointer)?,
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
}

/// The keys of the tool object, in the order of [`Field`].
const FIELDS: &[&str] = &[
    "name",
    "title",
    "description",
    "icons",
    "inputSchema",
    "outputSchema",
    "annotations",
    "execution",
    "_meta",
];

const NO_INPUT_SCHEMA: &str = "\"inputSchema\" is missing; a tool without arguments has \
    {\"type\": \"object\", \"additionalProperties\": false}";

/// Reads the name alone first, so that every other fault can be told with it.
fn read_name(text: &[u8]) -> Result<Box<str>, DocumentFault> {
    let members = document::object(text, "")?;
    let Some((_, raw)) = members.iter().find(|(key, raw)| key == "name" && *raw != b"null") else {
        return Err(DocumentFault::new("", "\"name\" is missing"));
    };
    let at = || "/name".to_owned();
    let name = document::string(raw, at)?;
    match tool_name::fault(&name) {
        Some(message) => Err(DocumentFault::new(at(), message)),
        None => Ok(name.into()),
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
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn listed(definition: &ToolDefinition) -> String {
        let mut out = Vec::new();
        definition.write_modern(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn publishes_a_tool_object_in_its_own_order_and_words() {
        let text = "{\n  \"inputSchema\": {\"type\": \"object\", \"x-z\": 1.0, \"$defs\": {},\n \"properties\": {\"b\": {\"default\": null}, \"a\": {}}},\n \"description\": \"a\\u0062 \\/\",\n \"name\": \"add\",\n \"_meta\": {\"com.example/k\": null}, \"title\": null,\n \"execution\": {\"taskSupport\": \"optional\"} }\n";
        let definition = ToolDefinition::from_json(text.as_bytes()).unwrap();
        assert_eq!(definition.name(), "add");
        assert_eq!(
            listed(&definition),
            r#"{"inputSchema":{"type":"object","x-z":1.0,"$defs":{},"properties":{"b":{"default":null},"a":{}}},"description":"a\u0062 \/","name":"add","_meta":{"com.example/k":null}}"#
        );
        assert_eq!(definition.raw(Field::Execution), Some(br#"{"taskSupport":"optional"}"#.as_slice()));
        assert_eq!(definition.raw(Field::Title), None);
    }

    #[test]
    fn writes_fields_in_the_order_of_the_specification() {
        let mut definition = ToolDefinition::new("add").unwrap();
        definition.set_json(Field::Meta, br#"{"io.modelcontextprotocol/ui": {}}"#).unwrap();
        definition.set_json(Field::OutputSchema, b"{}").unwrap();
        definition.set_json(Field::InputSchema, b" { \"type\" : \"object\" } ").unwrap();
        definition.set_json(Field::Icons, br#"[{"src":"data:,"}]"#).unwrap();
        definition.set_json(Field::Annotations, br#"{"readOnlyHint":true}"#).unwrap();
        definition.set_text(Field::Description, "old").unwrap();
        definition.set_text(Field::Description, "line\n\"two\"").unwrap();
        definition.set_text(Field::Title, "Add").unwrap();
        definition.set_json(Field::Icons, b"null").unwrap();
        assert_eq!(
            listed(&definition),
            r#"{"name":"add","title":"Add","description":"line\n\"two\"","inputSchema":{"type":"object"},"outputSchema":{},"annotations":{"readOnlyHint":true},"_meta":{"io.modelcontextprotocol/ui":{}}}"#
        );
    }

    #[test]
    fn names_the_tool_and_the_place_of_a_fault() {
        let schema = r#""inputSchema":{"type":"object"}"#;
        for (text, wanted) in [
            ("[]".to_owned(), "tool: must be an object, not an array"),
            ("{".to_owned(), "tool: is not valid JSON: a member name in quotes was expected (byte 1)"),
            (format!("{{{schema}}}"), "tool: \"name\" is missing"),
            (format!("{{\"name\":5,{schema}}}"), "tool: /name: must be a string, not a number"),
            (
                format!("{{\"name\":\"a b\",{schema}}}"),
                "tool: /name: \"a b\" is no tool name: a space must not stand in it; use A-Z, a-z, 0-9, '_', '-' and '.'",
            ),
            (
                r#"{"name":"add"}"#.to_owned(),
                "tool \"add\": \"inputSchema\" is missing; a tool without arguments has {\"type\": \"object\", \"additionalProperties\": false}",
            ),
            (
                r#"{"name":"add","inputSchema":null}"#.to_owned(),
                "tool \"add\": \"inputSchema\" is missing; a tool without arguments has {\"type\": \"object\", \"additionalProperties\": false}",
            ),
            (
                format!("{{\"name\":\"add\",\"input_schema\":{{}},{schema}}}"),
                "tool \"add\": unknown key \"input_schema\"; did you mean \"inputSchema\"?",
            ),
            (
                format!("{{\"name\":\"add\",\"parameters\":{{}},{schema}}}"),
                "tool \"add\": unknown key \"parameters\"; known are name, title, description, icons, inputSchema, outputSchema, annotations, execution, _meta",
            ),
            (
                format!("{{\"name\":\"add\",\"description\":[],{schema}}}"),
                "tool \"add\": /description: must be a string, not an array",
            ),
            (
                format!("{{\"name\":\"add\",\"annotations\":{{\"readonly\":true}},{schema}}}"),
                "tool \"add\": /annotations: unknown key \"readonly\"; known are title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint",
            ),
            (
                format!("{{\"name\":\"add\",\"icons\":[{{\"src\":\"file:///a\"}}],{schema}}}"),
                "tool \"add\": /icons/0/src: an icon is an https:, http: or data: URI, not \"file:///a\"",
            ),
            (
                format!("{{\"name\":\"add\",\"execution\":{{\"taskSupport\":\"sometimes\"}},{schema}}}"),
                "tool \"add\": /execution/taskSupport: \"sometimes\" is not one of \"forbidden\", \"optional\", \"required\"",
            ),
            (
                format!("{{\"name\":\"add\",\"execution\":{{\"tasks\":1}},{schema}}}"),
                "tool \"add\": /execution: unknown key \"tasks\"; known are taskSupport",
            ),
            (
                r#"{"name":"add","inputSchema":"x"}"#.to_owned(),
                "tool \"add\": /inputSchema: must be an object, not a string",
            ),
            (
                format!("{{\"name\":\"add\",\"outputSchema\":true,{schema}}}"),
                "tool \"add\": /outputSchema: must be an object, not a boolean",
            ),
            (
                format!("{{\"name\":\"add\",\"_meta\":{{\"-\":1}},{schema}}}"),
                "tool \"add\": /_meta: \"-\" is no _meta key: its name begins and ends with a letter or a digit",
            ),
        ] {
            assert_eq!(ToolDefinition::from_json(text.as_bytes()).unwrap_err().to_string(), wanted);
        }
    }

    #[test]
    fn a_failed_setter_leaves_the_definition_as_it_was() {
        let mut definition = ToolDefinition::new("add").unwrap();
        definition.set_json(Field::Annotations, br#"{"title":"x"}"#).unwrap();
        let fault = definition.set_json(Field::Annotations, br#"{"titel":"x"}"#).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "tool \"add\": /annotations: unknown key \"titel\"; did you mean \"title\"?"
        );
        assert!(definition.set_json(Field::Meta, b"{").is_err());
        assert!(definition.set_json(Field::InputSchema, b"[]").is_err());
        let fault = definition.set_json(Field::InputSchema, b"{\"a\":\"\xff\"}").unwrap_err();
        assert_eq!(fault.to_string(), "tool \"add\": /inputSchema: is not valid UTF-8 (byte 6)");
        assert!(definition.set_json(Field::Title, b"5").is_err());
        assert!(definition.set_text(Field::Name, "other").is_err());
        assert!(definition.set_text(Field::Icons, "x").is_err());
        assert_eq!(listed(&definition), r#"{"name":"add","annotations":{"title":"x"}}"#);
        assert!(ToolDefinition::new("a b").unwrap_err().to_string().starts_with("tool: /name: \"a b\""));
    }

    #[test]
    fn keys_and_fields_agree() {
        for (field, key) in Field::ALL.iter().zip(FIELDS) {
            assert_eq!(field.key(), *key);
        }
        assert_eq!(Field::ALL.len(), FIELDS.len());
    }
}
