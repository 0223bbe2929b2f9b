//! What is called: a tool, a prompt, a resource, or the completion of an argument.

use std::fmt;
use std::sync::Arc;

use super::contract::{PromptContract, ResourceContract, ToolContract};
use super::outcome::CallResult;
use crate::host_error::HostError;
use crate::protocol::client_capability::ClientCapability;
use crate::protocol::error::ProtocolError;

/// What a call is a call of.
#[derive(Clone)]
pub enum Subject {
    /// `tools/call`
    Tool(Arc<ToolContract>),
    /// `prompts/get`
    Prompt(Arc<PromptContract>),
    /// `resources/read` of the URI that the client named
    Resource(Arc<ResourceContract>, Arc<str>),
    /// `completion/complete` for an argument of the prompt, or a variable of the template, of this name
    Completion(Arc<str>),
}

impl Subject {
    /// The name of the tool or prompt, the URI of the resource, or what a completion is for.
    pub fn name(&self) -> &str {
        match self {
            Subject::Tool(contract) => &contract.name,
            Subject::Prompt(contract) => &contract.name,
            Subject::Resource(_, uri) => uri,
            Subject::Completion(name) => name,
        }
    }

    /// The method that calls it.
    pub fn method(&self) -> &'static str {
        match self {
            Subject::Tool(_) => "tools/call",
            Subject::Prompt(_) => "prompts/get",
            Subject::Resource(..) => "resources/read",
            Subject::Completion(_) => "completion/complete",
        }
    }

    /// What its clients must have declared.
    pub fn required_capabilities(&self) -> &[ClientCapability] {
        match self {
            Subject::Tool(contract) => &contract.required_capabilities,
            Subject::Prompt(contract) => &contract.required_capabilities,
            Subject::Resource(contract, _) => &contract.required_capabilities,
            Subject::Completion(_) => &[],
        }
    }

    /// A failure that its caller can mend: the model, of a tool; the client's program, of the others.
    pub fn failure(&self, message: &str) -> Result<CallResult, ProtocolError> {
        match self {
            Subject::Tool(_) => Ok(CallResult::tool_error(message)),
            _ => Err(ProtocolError::internal(message)),
        }
    }

    /// Whether it may have an argument called `name`.
    pub fn declares_argument(&self, name: &str) -> bool {
        match self {
            Subject::Tool(contract) => contract.input.declares(name),
            Subject::Prompt(contract) => contract.arguments.iter().any(|argument| *argument.name == *name),
            Subject::Resource(contract, _) => contract.variables.iter().any(|variable| **variable == *name),
            Subject::Completion(_) => ["ref", "argument", "context"].contains(&name),
        }
    }

    /// The error for what only the result of another kind of call has.
    pub fn has_no(&self, what: &str) -> HostError {
        HostError::InvalidArgument(format!("{self}: the result of {} has no {what}", self.method()))
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Subject::Tool(_) => "tool",
            Subject::Prompt(_) => "prompt",
            Subject::Resource(..) => "resource",
            Subject::Completion(_) => "completion for",
        };
        write!(f, "{kind} \"{}\"", self.name())
    }
}
