//! A prompt as the server keeps it, with the code behind it.

use std::sync::Arc;

use super::item::Item;
use super::list_kind::ListKind;
use super::listings::Listings;
use crate::call::contract::PromptContract;
use crate::call::handler::{Dispatch, Handler};
use crate::protocol::client_capability::ClientCapability;
use crate::protocol::prompt_definition::PromptDefinition;
use crate::protocol::revision::Revision;

/// A prompt that can be listed and got.
pub struct RegisteredPrompt {
    /// Its name and arguments.
    pub contract: Arc<PromptContract>,
    /// The code behind it.
    pub handler: Arc<dyn Handler>,
    /// Where that code runs.
    pub dispatch: Dispatch,
    listings: Listings,
}

impl RegisteredPrompt {
    /// The prompt that `definition` defines.
    pub fn new(
        definition: &PromptDefinition,
        handler: Arc<dyn Handler>,
        dispatch: Dispatch,
        required_capabilities: Vec<ClientCapability>,
    ) -> Self {
        let contract = PromptContract {
            name: definition.name().into(),
            arguments: definition.arguments(),
            required_capabilities,
        };
        RegisteredPrompt {
            contract: Arc::new(contract),
            handler,
            dispatch,
            listings: Listings::new(|revision, out| definition.write(revision, out)),
        }
    }
}

impl Item for RegisteredPrompt {
    const KIND: ListKind = ListKind::Prompts;

    fn key(&self) -> &str {
        &self.contract.name
    }

    fn listing(&self, revision: Revision) -> &[u8] {
        self.listings.of(revision)
    }
}
