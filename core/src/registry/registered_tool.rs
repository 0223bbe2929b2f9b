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
use crate::schema::object_wrapping;

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
        let wrapped = definition.raw(Field::OutputSchema).and_then(object_wrapping::wrap_output_schema);
        let contract = ToolContract {
            name: name.into(),
            input,
            output,
            required_capabilities,
            has_ui: definition.ui_resource_uri().is_some(),
            wraps_output: wrapped.is_some(),
        };
        Ok(RegisteredTool {
            contract: Arc::new(contract),
            handler,
            dispatch,
            mirrored,
            app_only: !definition.visibility().to_model,
            listings: listings(definition, wrapped.as_deref()),
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

/// Clients of the legacy era are shown the output schema `wrapped`, where there is one.
fn listings(definition: &ToolDefinition, wrapped: Option<&[u8]>) -> Listings {
    let replaced: Vec<_> = wrapped.map(|schema| (Field::OutputSchema, schema)).into_iter().collect();
    Listings::new(|revision, out| {
        let replaced = if revision.is_modern() { &[] } else { &*replaced };
        definition.write_replacing(revision, replaced, out);
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::*;
    use crate::call::invocation::Call;

    fn register(output_schema: Value) -> RegisteredTool {
        let mut definition = json!({"name": "t", "title": "T", "inputSchema": {"type": "object"},
            "execution": {"taskSupport": "optional"}});
        definition["outputSchema"] = output_schema;
        let definition = ToolDefinition::from_json(definition.to_string().as_bytes()).unwrap();
        let handler = Arc::new(|_: &Arc<Call>| {});
        RegisteredTool::new(&definition, handler, Dispatch::Inline, Vec::new(), &SchemaLimits::default())
            .unwrap()
    }

    fn listed(tool: &RegisteredTool, revision: Revision) -> Value {
        serde_json::from_slice(tool.listing(revision)).unwrap()
    }

    #[test]
    fn an_output_schema_is_that_of_an_object_in_the_legacy_era() {
        let array = register(json!({"type": "array", "items": {"type": "string"}}));
        let object = register(json!({"type": "object", "properties": {"n": {}}}));
        assert_eq!((array.contract.wraps_output, object.contract.wraps_output), (true, false));
        let schema = |tool, revision| listed(tool, revision)["outputSchema"].clone();
        for revision in [Revision::V2025_11_25, Revision::V2025_06_18] {
            let wrapped = schema(&array, revision);
            let inner = json!({"type": "array", "items": {"type": "string"}});
            assert_eq!((&wrapped["type"], &wrapped["properties"]["result"]), (&json!("object"), &inner));
            assert_eq!(schema(&object, revision), json!({"type": "object", "properties": {"n": {}}}));
        }
        assert_eq!(schema(&array, Revision::V2026_07_28)["type"], "array");
        assert!(schema(&array, Revision::V2025_03_26).is_null());
    }

    #[test]
    fn each_revision_lists_the_fields_that_it_knows() {
        let tool = register(Value::Null);
        for (revision, title, execution) in [
            (Revision::V2026_07_28, true, false),
            (Revision::V2025_11_25, true, true),
            (Revision::V2025_06_18, true, false),
            (Revision::V2025_03_26, false, false),
            (Revision::V2024_11_05, false, false),
        ] {
            let listed = listed(&tool, revision);
            let has = |field| listed.get(field).is_some();
            assert_eq!((has("title"), has("execution")), (title, execution), "{}", revision.name());
        }
    }
}
