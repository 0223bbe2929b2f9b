//! What a server offers, defined by JSON and handled by functions of Python.

use std::sync::Arc;

use mcp_core::host_error::HostError;
use mcp_core::protocol::client_capability::ClientCapability;
use mcp_core::protocol::definition::DefinitionFault;
use mcp_core::protocol::prompt_definition::PromptDefinition;
use mcp_core::protocol::resource_definition::ResourceDefinition;
use mcp_core::protocol::resource_template_definition::ResourceTemplateDefinition;
use mcp_core::protocol::tool_definition::ToolDefinition;
use mcp_core::server::engine::Server;

use crate::handler::PythonHandler;

/// Adds a tool.
pub fn add_tool(
    core: &Server,
    definition: &[u8],
    handler: Arc<PythonHandler>,
    requires: &[String],
) -> Result<(), HostError> {
    core.check_process()?;
    let definition = ToolDefinition::from_json(definition).map_err(invalid)?;
    let (dispatch, requires) = (handler.dispatch(), capabilities(requires)?);
    core.add_tool(&definition, handler, dispatch, requires)
}

/// Adds a prompt.
pub fn add_prompt(
    core: &Server,
    definition: &[u8],
    handler: Arc<PythonHandler>,
    requires: &[String],
) -> Result<(), HostError> {
    core.check_process()?;
    let definition = PromptDefinition::from_json(definition).map_err(invalid)?;
    let (dispatch, requires) = (handler.dispatch(), capabilities(requires)?);
    core.add_prompt(&definition, handler, dispatch, requires);
    Ok(())
}

/// Adds a resource; `ui` makes it a user interface.
pub fn add_resource(
    core: &Server,
    definition: &[u8],
    handler: Arc<PythonHandler>,
    requires: &[String],
    ui: Option<&[u8]>,
) -> Result<(), HostError> {
    core.check_process()?;
    let mut definition = ResourceDefinition::from_json(definition).map_err(invalid)?;
    if let Some(ui) = ui {
        definition.set_ui(ui).map_err(invalid)?;
    }
    let (dispatch, requires) = (handler.dispatch(), capabilities(requires)?);
    core.add_resource(&definition, handler, dispatch, requires);
    Ok(())
}

/// Adds a resource template. The variables in `traversal` may lead out of their place.
pub fn add_resource_template(
    core: &Server,
    definition: &[u8],
    handler: Arc<PythonHandler>,
    requires: &[String],
    traversal: &[String],
) -> Result<(), HostError> {
    core.check_process()?;
    let definition = ResourceTemplateDefinition::from_json(definition).map_err(invalid)?;
    let (dispatch, requires) = (handler.dispatch(), capabilities(requires)?);
    let traversal: Vec<&str> = traversal.iter().map(String::as_str).collect();
    core.add_resource_template(&definition, &traversal, handler, dispatch, requires)
}

fn capabilities(names: &[String]) -> Result<Vec<ClientCapability>, HostError> {
    names.iter().map(|name| ClientCapability::named(name).map_err(HostError::InvalidArgument)).collect()
}

fn invalid(fault: DefinitionFault) -> HostError {
    HostError::InvalidArgument(fault.to_string())
}
