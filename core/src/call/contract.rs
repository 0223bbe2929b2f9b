//! What the things that a server offers promise: their names, what they take and what they return.

use serde_json::Value;

use crate::protocol::client_capability::ClientCapability;
use crate::protocol::prompt_argument::PromptArgument;
use crate::schema::compile::CompiledSchema;

/// The part of a registered tool that its calls need.
pub struct ToolContract {
    /// The tool's name.
    pub name: Box<str>,
    /// The compiled input schema.
    pub input: CompiledSchema,
    /// The compiled output schema, where there is one.
    pub output: Option<CompiledSchema>,
    /// Whether it has a user interface (MCP Apps).
    pub has_ui: bool,
    /// Whether clients of the legacy era are shown the output schema, and each result, wrapped into an object.
    pub wraps_output: bool,
    /// What the client must have declared.
    pub required_capabilities: Vec<ClientCapability>,
}

impl ToolContract {
    /// Checks a successful result's structured content against the output schema. The message names
    /// places and rules, never the data: it goes to a log.
    pub fn check_output(&self, structured: Option<&Value>) -> Result<(), String> {
        let Some(schema) = &self.output else { return Ok(()) };
        let Some(value) = structured else {
            return Err(format!(
                "tool \"{}\" has an output schema, but its result has no structured content",
                self.name
            ));
        };
        schema.validate(value).map_err(|problems| problems.describe_output(&self.name))
    }
}

/// The part of a registered prompt that its calls need.
pub struct PromptContract {
    /// The prompt's name.
    pub name: Box<str>,
    /// The arguments that it declares.
    pub arguments: Vec<PromptArgument>,
    /// What the client must have declared.
    pub required_capabilities: Vec<ClientCapability>,
}

/// The part of a registered resource, or resource template, that its calls need.
pub struct ResourceContract {
    /// The resource's URI, or the URI template.
    pub key: Box<str>,
    /// Its name for programs.
    pub name: Box<str>,
    /// The media type of what it contains, where the definition tells it.
    pub mime_type: Option<Box<str>>,
    /// What a host is to know of it as a user interface (MCP Apps): the `_meta` of its contents, a JSON object.
    pub contents_meta: Option<Box<[u8]>>,
    /// The variables of the template; a resource has none.
    pub variables: Vec<Box<str>>,
    /// What the client must have declared.
    pub required_capabilities: Vec<ClientCapability>,
}
