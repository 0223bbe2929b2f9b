//! What a handler may ask of its server.

use std::any::Any;
use std::sync::Arc;

use super::invocation::Call;
use crate::host_error::HostError;
use crate::protocol::provider_tools::Provider;

/// The server of a call, as its handler sees it.
pub trait Host: Send + Sync {
    /// Calls a tool of the server, through the same checks as a client's call, and waits for its result: a
    /// `CallToolResult` as JSON. A tool of the pool runs on this thread. The call of a `caller` is made on behalf of
    /// its principal, and is cancelled with it.
    fn call_tool(
        self: Arc<Self>,
        name: &str,
        arguments: &[u8],
        caller: Option<&Arc<Call>>,
    ) -> Result<Vec<u8>, HostError>;
    /// Gets a prompt of the server: a `GetPromptResult` as JSON.
    fn get_prompt(
        self: Arc<Self>,
        name: &str,
        arguments: &[u8],
        caller: Option<&Arc<Call>>,
    ) -> Result<Vec<u8>, HostError>;
    /// Reads a resource of the server: a `ReadResourceResult` as JSON.
    fn read_resource(self: Arc<Self>, uri: &str, caller: Option<&Arc<Call>>) -> Result<Vec<u8>, HostError>;
    /// The definitions of the tools, a JSON array.
    fn list_tools(&self) -> Vec<u8>;
    /// The definitions of the prompts, a JSON array.
    fn list_prompts(&self) -> Vec<u8>;
    /// The definitions of the resources, a JSON array.
    fn list_resources(&self) -> Vec<u8>;
    /// The definitions of the resource templates, a JSON array.
    fn list_resource_templates(&self) -> Vec<u8>;
    /// The definition of a tool, a JSON object.
    fn find_tool(&self, name: &str) -> Option<Vec<u8>>;
    /// The tools that a model may call, in the shape that a provider's API takes: a JSON array. Tools that are there
    /// for user interfaces alone are left out. The names may differ from the tools' own, as providers allow fewer;
    /// [`Self::call_tool`] takes either.
    fn export_tools(&self, provider: Provider) -> Vec<u8>;
    /// Tells those who subscribed to the resource that it changed.
    fn resource_updated(&self, uri: &str, principal: Option<&str>);
    /// Notes that a chain of rounds has the effect `key`; false if it had it before.
    fn is_first(&self, chain: &[u8; 16], key: &str) -> bool;
    /// The server itself.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}
