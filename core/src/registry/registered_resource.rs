//! A resource as the server keeps it, with the code behind it.

use std::sync::Arc;

use super::item::Item;
use super::list_kind::ListKind;
use super::listings::Listings;
use crate::call::contract::ResourceContract;
use crate::call::handler::{Dispatch, Handler};
use crate::protocol::client_capability::ClientCapability;
use crate::protocol::resource_definition::ResourceDefinition;
use crate::protocol::revision::Revision;

/// A resource that can be listed and read.
pub struct RegisteredResource {
    /// Its URI and what is told of its contents.
    pub contract: Arc<ResourceContract>,
    /// The code behind it.
    pub handler: Arc<dyn Handler>,
    /// Where that code runs.
    pub dispatch: Dispatch,
    listings: Listings,
}

impl RegisteredResource {
    /// The resource that `definition` defines.
    pub fn new(
        definition: &ResourceDefinition,
        handler: Arc<dyn Handler>,
        dispatch: Dispatch,
        required_capabilities: Vec<ClientCapability>,
    ) -> Self {
        let contract = ResourceContract {
            key: definition.uri().into(),
            name: definition.name().into(),
            mime_type: definition.mime_type().map(Into::into),
            contents_meta: definition.ui().map(|ui| [b"{\"ui\":", ui, b"}"].concat().into()),
            variables: Vec::new(),
            required_capabilities,
        };
        RegisteredResource {
            contract: Arc::new(contract),
            handler,
            dispatch,
            listings: Listings::new(|revision, out| definition.write(revision, out)),
        }
    }
}

impl Item for RegisteredResource {
    const KIND: ListKind = ListKind::Resources;

    fn key(&self) -> &str {
        &self.contract.key
    }

    fn listing(&self, revision: Revision) -> &[u8] {
        self.listings.of(revision)
    }
}
