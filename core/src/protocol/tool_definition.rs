//! A tool as its author defines it and as `tools/list` publishes it (specification, server/tools, "Tool").

use super::app_ui::{self, Visibility};
use super::definition::{Definition, DefinitionFault, Kind};
use super::definition_field::Field;
use super::document::DocumentFault;
use super::tool_name;

/// The definition of a tool. What its schemas mean is checked at registration, by the schema module.
pub type ToolDefinition = Definition<ToolKind>;

/// The kind of definition that tools have.
#[derive(Clone, Debug)]
pub struct ToolKind;

impl Kind for ToolKind {
    const WORD: &'static str = "tool";
    const FIELDS: &'static [Field] = &[
        Field::Name,
        Field::Title,
        Field::Description,
        Field::Icons,
        Field::InputSchema,
        Field::OutputSchema,
        Field::ToolAnnotations,
        Field::Execution,
        Field::Meta,
    ];
    const IDENTITY: Field = Field::Name;
    const REQUIRED: &'static [(Field, &'static str)] = &[(
        Field::InputSchema,
        "; a tool without arguments has {\"type\": \"object\", \"additionalProperties\": false}",
    )];

    fn identity_fault(name: &str) -> Option<String> {
        tool_name::fault(name)
    }

    fn check(tool: &ToolDefinition) -> Result<(), DocumentFault> {
        tool.raw(Field::Meta).map_or(Ok(()), app_ui::check_tool)
    }
}

impl ToolDefinition {
    /// A definition with a name and nothing else.
    pub fn new(name: &str) -> Result<Self, DefinitionFault> {
        Self::of(name)
    }

    /// The name, by which the tool is called.
    pub fn name(&self) -> &str {
        self.identity()
    }

    /// The URI of the user interface that shows its results, if it has one (MCP Apps).
    pub fn ui_resource_uri(&self) -> Option<String> {
        app_ui::resource_uri(self.ui()?).ok()?
    }

    /// Who may see and call it (MCP Apps): everybody, unless its `_meta` says otherwise.
    pub fn visibility(&self) -> Visibility {
        self.ui().and_then(|ui| app_ui::visibility(ui).ok()).unwrap_or(Visibility::ALL)
    }

    /// Sets `ui.resourceUri` in its `_meta`; the URI begins with `ui://`.
    pub fn set_ui_resource_uri(&mut self, uri: &str) -> Result<(), DefinitionFault> {
        self.set_json(Field::Meta, &app_ui::with_resource_uri(self.raw(Field::Meta), uri))
    }

    /// Sets `ui.visibility` in its `_meta`.
    pub fn set_visibility(&mut self, visibility: Visibility) -> Result<(), DefinitionFault> {
        self.set_json(Field::Meta, &app_ui::with_visibility(self.raw(Field::Meta), visibility))
    }

    fn ui(&self) -> Option<&[u8]> {
        self.raw(Field::Meta).and_then(app_ui::of_meta)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::protocol::revision::Revision;

    fn listed(definition: &ToolDefinition) -> String {
        listed_by(definition, Revision::V2026_07_28)
    }

    fn listed_by(definition: &ToolDefinition, revision: Revision) -> String {
        let mut out = Vec::new();
        definition.write(revision, &mut out);
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
        definition.set_json(Field::ToolAnnotations, br#"{"readOnlyHint":true}"#).unwrap();
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
        definition.set_json(Field::ToolAnnotations, br#"{"title":"x"}"#).unwrap();
        let fault = definition.set_json(Field::ToolAnnotations, br#"{"titel":"x"}"#).unwrap_err();
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
    fn lists_what_each_revision_knows() {
        let text = r#"{"name":"add","title":"Add","description":"d","icons":[{"src":"data:,"}],"inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"optional"},"_meta":{}}"#;
        let definition = ToolDefinition::from_json(text.as_bytes()).unwrap();
        let without = |text: &str, parts: &[&str]| {
            parts.iter().fold(text.to_owned(), |text, part| text.replace(part, ""))
        };
        let modern = without(text, &[r#","execution":{"taskSupport":"optional"}"#]);
        let of_june = without(&modern, &[r#","icons":[{"src":"data:,"}]"#]);
        let of_march = without(
            &of_june,
            &[r#","title":"Add""#, r#","outputSchema":{"type":"object"}"#, r#","_meta":{}"#],
        );
        let oldest = without(&of_march, &[r#","annotations":{"readOnlyHint":true}"#]);
        for (revision, wanted) in [
            (Revision::V2026_07_28, modern.as_str()),
            (Revision::V2025_11_25, text),
            (Revision::V2025_06_18, &of_june),
            (Revision::V2025_03_26, &of_march),
            (Revision::V2024_11_05, &oldest),
        ] {
            assert_eq!(listed_by(&definition, revision), wanted, "{revision:?}");
        }
    }

    #[test]
    fn another_schema_can_be_listed_in_place_of_its_own() {
        let text = br#"{"name":"add","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}"#;
        let definition = ToolDefinition::from_json(text).unwrap();
        let other: &[(Field, &[u8])] = &[(Field::OutputSchema, br#"{"type":"object"}"#)];
        for (revision, wanted) in [
            (
                Revision::V2025_06_18,
                r#"{"name":"add","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}"#,
            ),
            (Revision::V2025_03_26, r#"{"name":"add","inputSchema":{"type":"object"}}"#),
        ] {
            let mut out = Vec::new();
            definition.write_replacing(revision, other, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
        }
    }

    #[test]
    fn joins_a_tool_to_its_user_interface() {
        let mut definition = ToolDefinition::new("add").unwrap();
        assert_eq!((definition.ui_resource_uri(), definition.visibility()), (None, Visibility::ALL));
        definition.set_json(Field::Meta, br#"{"a":1}"#).unwrap();
        definition.set_ui_resource_uri("ui://add").unwrap();
        let only_app = Visibility { to_model: false, to_app: true };
        definition.set_visibility(only_app).unwrap();
        let wanted = r#"{"name":"add","_meta":{"a":1,"ui":{"resourceUri":"ui://add","visibility":["app"]}}}"#;
        assert_eq!(listed(&definition), wanted);
        assert!(definition.set_ui_resource_uri("https://example.com").is_err());
        assert!(definition.set_visibility(Visibility { to_model: false, to_app: false }).is_err());
        assert_eq!(listed(&definition), wanted);
        assert_eq!(definition.ui_resource_uri().as_deref(), Some("ui://add"));
        assert_eq!(definition.visibility(), only_app);
    }
}
