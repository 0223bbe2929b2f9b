//! A tool as the server keeps it: checked, compiled, and with the code behind it.

use std::sync::Arc;

use super::item::Item;
use super::list_kind::ListKind;
use super::listings::Listings;
use crate::call::contract::ToolContract;
use crate::call::handler::{Dispatch, Handler};
use crate::host_error::HostError;
use crate::protocol::client_capability::ClientCapability;
use crate::protocol::definition_field::Field;
use crate::protocol::revision::Revision;
use crate::protocol::tool_definition::ToolDefinition;
use crate::runtime::library_log;
use crate::runtime::undivided::undivided;
use crate::schema::compile::{CompiledSchema, SchemaLimits};
use crate::schema::header_annotation::{self, MirroredArgument};

/// A tool that can be listed and called.
pub struct RegisteredTool {
    /// Its name and schemas.
    pub contract: Arc<ToolContract>,
    /// The code behind it.
    pub handler: Arc<dyn Handler>,
    /// Where that code runs.
    pub dispatch: Dispatch,
    /// The arguments that clients repeat in HTTP headers.
    pub mirrored: Vec<MirroredArgument>,
    /// Whether it is there for user interfaces, and no model sees it.
    pub app_only: bool,
    listings: Listings,
}

impl RegisteredTool {
    /// Compiles the schemas of `definition`. Everything that could be wrong with a tool is found here.
    pub fn new(
        definition: &ToolDefinition,
        handler: Arc<dyn Handler>,
        dispatch: Dispatch,
        required_capabilities: Vec<ClientCapability>,
        limits: &SchemaLimits,
    ) -> Result<Self, HostError> {
        let name = definition.name();
        let invalid = |schema: &str, fault: &dyn std::fmt::Display| {
            HostError::InvalidSchema(format!("tool \"{name}\": {schema} schema: {fault}"))
        };
        let schema = definition
            .raw(Field::InputSchema)
            .ok_or_else(|| HostError::InvalidArgument(format!("tool \"{name}\" has no input schema")))?;
        // The first schema of its dialect makes statics for the whole process.
        let input = undivided(|| CompiledSchema::compile_input(schema, limits))
            .map_err(|fault| invalid("input", &fault))?;
        let output = definition
            .raw(Field::OutputSchema)
            .map(|schema| undivided(|| CompiledSchema::compile(schema, limits)))
            .transpose()
            .map_err(|fault| invalid("output", &fault))?;
        let mirrored = header_annotation::find(schema).map_err(|fault| invalid("input", &fault))?;
        for (which, compiled) in [("input", Some(&input)), ("output", output.as_ref())] {
            for suspicion in compiled.into_iter().flat_map(CompiledSchema::suspicions) {
                library_log::warning(format_args!("tool \"{name}\": {which} schema: {suspicion}"));
            }
        }
        let contract = ToolContract {
            name: name.into(),
            input,
            output,
            required_capabilities,
            has_ui: definition.ui_resource_uri().is_some(),
            wraps_output: false,
        };
        Ok(RegisteredTool {
            contract: Arc::new(contract),
            handler,
            dispatch,
            mirrored,
            app_only: !definition.visibility().to_model,
            listings: Listings::new(|revision, out| definition.write(revision, out)),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.contract.name
    }
}

impl Item for RegisteredTool {
    const KIND: ListKind = ListKind::Tools;

    fn key(&self) -> &str {
        self.name()
    }

    fn listing(&self, revision: Revision) -> &[u8] {
        self.listings.of(revision)
    }

    fn is_for_apps_only(&self) -> bool {
        self.app_only
    }
}
