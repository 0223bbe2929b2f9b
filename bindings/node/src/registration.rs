//! What a server offers: added with the numbers of the handlers, and removed.

use mcp_core::call::handler::Dispatch;
use mcp_core::host_error::HostError;
use mcp_core::protocol::client_capability::ClientCapability;
use mcp_core::protocol::definition::DefinitionFault;
use mcp_core::protocol::prompt_definition::PromptDefinition;
use mcp_core::protocol::resource_definition::ResourceDefinition;
use mcp_core::protocol::resource_template_definition::ResourceTemplateDefinition;
use mcp_core::protocol::tool_definition::ToolDefinition;
use mcp_core::protocol::uri_template::UriTemplate;
use mcp_core::server::engine::Completion;
use napi_derive::napi;

use crate::fault::{Result, fault, invalid};
use crate::handler::JsHandler;
use crate::server::NativeServer;

#[napi]
impl NativeServer {
    /// Adds a tool; its definition is the tool object of the specification.
    #[napi]
    pub fn add_tool(&self, definition: String, handler: u32, requires: Vec<String>) -> Result<()> {
        let definition = ToolDefinition::from_json(definition.as_bytes()).map_err(refused)?;
        let (handler, requires) = (JsHandler::new(handler, self.shared.clone()), capabilities(&requires)?);
        let added = self.core.add_tool(&definition, handler, Dispatch::Host, requires);
        added.map_err(|error| fault(&error))
    }

    /// Adds a prompt.
    #[napi]
    pub fn add_prompt(&self, definition: String, handler: u32, requires: Vec<String>) -> Result<()> {
        let definition = PromptDefinition::from_json(definition.as_bytes()).map_err(refused)?;
        let (handler, requires) = (JsHandler::new(handler, self.shared.clone()), capabilities(&requires)?);
        self.core.add_prompt(&definition, handler, Dispatch::Host, requires);
        Ok(())
    }

    /// Adds a resource. With `ui`, a JSON object, it is a user interface (MCP Apps).
    #[napi]
    pub fn add_resource(
        &self,
        definition: String,
        ui: Option<String>,
        handler: u32,
        requires: Vec<String>,
    ) -> Result<()> {
        let mut definition = ResourceDefinition::from_json(definition.as_bytes()).map_err(refused)?;
        if let Some(ui) = ui {
            definition.set_ui(ui.as_bytes()).map_err(refused)?;
        }
        let (handler, requires) = (JsHandler::new(handler, self.shared.clone()), capabilities(&requires)?);
        self.core.add_resource(&definition, handler, Dispatch::Host, requires);
        Ok(())
    }

    /// Adds a resource template; the variables in `traversal` may lead out of their place.
    #[napi]
    pub fn add_resource_template(
        &self,
        definition: String,
        traversal: Vec<String>,
        handler: u32,
        requires: Vec<String>,
    ) -> Result<()> {
        let definition = ResourceTemplateDefinition::from_json(definition.as_bytes()).map_err(refused)?;
        let traversal: Vec<_> = traversal.iter().map(String::as_str).collect();
        let (handler, requires) = (JsHandler::new(handler, self.shared.clone()), capabilities(&requires)?);
        let added =
            self.core.add_resource_template(&definition, &traversal, handler, Dispatch::Host, requires);
        added.map_err(|error| fault(&error))
    }

    /// Completes arguments and variables from now on.
    #[napi]
    pub fn set_completion(&self, handler: u32) {
        let handler = JsHandler::new(handler, self.shared.clone());
        self.core.set_completion(Some(Completion { handler, dispatch: Dispatch::Host }));
    }

    /// Takes a tool away; false if there is none.
    #[napi]
    pub fn remove_tool(&self, name: String) -> bool {
        self.core.remove_tool(&name).is_ok()
    }

    /// Takes a prompt away; false if there is none.
    #[napi]
    pub fn remove_prompt(&self, name: String) -> bool {
        self.core.remove_prompt(&name).is_ok()
    }

    /// Takes a resource away; false if there is none.
    #[napi]
    pub fn remove_resource(&self, uri: String) -> bool {
        self.core.remove_resource(&uri).is_ok()
    }

    /// Takes a resource template away; false if there is none.
    #[napi]
    pub fn remove_resource_template(&self, uri_template: String) -> bool {
        self.core.remove_resource_template(&uri_template).is_ok()
    }

    /// The variables of a URI of a template, names and values by turns; nothing if it is none of its URIs.
    #[napi]
    pub fn match_template(
        template: String,
        traversal: Vec<String>,
        uri: String,
    ) -> Result<Option<Vec<String>>> {
        let mut parsed = UriTemplate::parse(&template).map_err(invalid)?;
        for variable in &traversal {
            parsed.allow_traversal(variable).map_err(invalid)?;
        }
        let variables = parsed.matches(&uri);
        Ok(variables.map(|all| all.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect()))
    }
}

fn refused(fault_of_it: DefinitionFault) -> crate::fault::Fault {
    fault(&HostError::InvalidArgument(fault_of_it.to_string()))
}

fn capabilities(names: &[String]) -> Result<Vec<ClientCapability>> {
    let named = names.iter().map(|name| ClientCapability::named(name));
    named.collect::<Result<_, _>>().map_err(|message| invalid(format!("requires: {message}")))
}
