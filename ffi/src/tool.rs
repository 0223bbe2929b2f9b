//! The definition of a tool, set field by field or read from JSON.

use std::ffi::{c_char, c_int};

use mcp_core::call::handler::Dispatch;
use mcp_core::protocol::client_capability::ClientCapability;
use mcp_core::protocol::definition::DefinitionFault;
use mcp_core::protocol::definition_field::Field;
use mcp_core::protocol::tool_definition::ToolDefinition;
use mcp_core::schema::declared_arguments::DeclaredArgument;

use crate::boundary;
use crate::handle::{self, Output};
use crate::status::{Fault, Status};
use crate::text;
use crate::tool_arguments;

/// The definition of a tool, to be built and then given to `mcp_server_add_tool`, which copies it.
///
/// It has one owner: no two threads may use it at the same time. (Specification: server/tools, "Tool".)
pub struct Tool {
    definition: ToolDefinition,
    pub(crate) arguments: Vec<DeclaredArgument>,
    /// Arguments to be mirrored: the name, and the header's name.
    pub(crate) mirrored: Vec<(String, String)>,
    pub(crate) required_capabilities: Vec<ClientCapability>,
    pub(crate) dispatch: Dispatch,
}

/// Makes the definition of a tool called `name`: 1 to 128 of A-Z, a-z, 0-9, '_', '-' and '.'.
///
/// `*out` is yours; free it with `mcp_tool_free`. Errors: INVALID_ARG for a bad name. Any thread.
///
/// # Safety
/// `name` is NULL or NUL-terminated; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_new(name: *const c_char, out: *mut *mut Tool) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (name, out) = unsafe { (text::required(name, "name")?, Output::new(out, "out")?) };
        out.give(Tool::new(ToolDefinition::new(name).map_err(invalid)?));
        Ok(())
    })
}

/// Makes a definition from the tool object of the specification, as JSON: `name` and `inputSchema` must be
/// there, `title`, `description`, `icons`, `outputSchema`, `annotations` and `_meta` may be. So may
/// `execution`, a field of older revisions: revision 2026-07-28 does not list it.
///
/// It is published as it is written, with every keyword of its schemas, in its own order. `len` is in
/// bytes, or MCP_NUL_TERMINATED. `*out` is yours; free it with `mcp_tool_free`. Errors: INVALID_JSON,
/// INVALID_UTF8; INVALID_ARG for an unknown key, a bad name or a field of the wrong type. Whether the two
/// schemas can be used is checked by `mcp_server_add_tool`, which returns INVALID_SCHEMA if not. Any thread.
///
/// # Safety
/// `json` is NULL or has `len` bytes; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_from_json(json: *const c_char, len: usize, out: *mut *mut Tool) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (json, out) = unsafe { (text::raw(json, len, "json")?, Output::new(out, "out")?) };
        let definition = ToolDefinition::from_json(json)
            .map_err(|fault| text::check_json(json, "the tool").err().unwrap_or_else(|| invalid(fault)))?;
        out.give(Tool::new(definition));
        Ok(())
    })
}

/// Frees a definition. NULL is fine. The servers to which it was added keep their copies.
///
/// # Safety
/// `tool` is NULL or a live handle, which nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_free(tool: *mut Tool) {
    // SAFETY: as promised by the caller.
    boundary::infallible((), || unsafe { handle::free(tool) });
}

/// Sets the name for people. The text is copied.
///
/// # Safety
/// `tool` is NULL or a live handle; `title` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_title(tool: *mut Tool, title: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { set_text(tool, Field::Title, title, "title") }
}

/// Sets what the tool does, for models. The text is copied.
///
/// # Safety
/// `tool` is NULL or a live handle; `text` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_description(tool: *mut Tool, text: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { set_text(tool, Field::Description, text, "text") }
}

/// Sets the JSON Schema of the arguments: dialect 2020-12, or draft-07 or 2019-09 where `$schema` says so.
///
/// It is published as it is written. The schema itself is checked by `mcp_server_add_tool`, and so is that
/// it agrees with arguments declared by `mcp_tool_add_argument`. Keywords that JSON Schema does not know are
/// allowed and mean nothing, as JSON Schema has it: a misspelt one refuses no call. A tool with neither
/// schema nor declared arguments takes no arguments.
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8.
///
/// # Safety
/// `tool` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_input_schema(
    tool: *mut Tool,
    json: *const c_char,
    len: usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { set_json(tool, Field::InputSchema, json, len) }
}

/// Sets the JSON Schema of the structured content. Every successful result must then have structured
/// content that fits it: a finish that breaks it returns INVALID_RESULT.
///
/// As `mcp_tool_set_input_schema` otherwise.
///
/// # Safety
/// `tool` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_output_schema(
    tool: *mut Tool,
    json: *const c_char,
    len: usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { set_json(tool, Field::OutputSchema, json, len) }
}

/// Sets the hints about the tool's behaviour, a JSON object of `title`, `readOnlyHint`, `destructiveHint`,
/// `idempotentHint` and `openWorldHint`.
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown
/// key or a wrong type.
///
/// # Safety
/// `tool` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_annotations(tool: *mut Tool, json: *const c_char, len: usize) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { set_json(tool, Field::ToolAnnotations, json, len) }
}

/// Sets the icons, a JSON array of objects with `src`, and perhaps `mimeType`, `sizes` and `theme`.
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a bad
/// icon.
///
/// # Safety
/// `tool` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_icons(tool: *mut Tool, json: *const c_char, len: usize) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { set_json(tool, Field::Icons, json, len) }
}

/// Sets the definition's `_meta`, a JSON object: the place for extensions (specification, basic, "_meta").
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a key that
/// `_meta` may not have.
///
/// # Safety
/// `tool` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_meta(tool: *mut Tool, json: *const c_char, len: usize) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { set_json(tool, Field::Meta, json, len) }
}

impl Tool {
    fn new(definition: ToolDefinition) -> Self {
        Tool {
            definition,
            arguments: Vec::new(),
            mirrored: Vec::new(),
            required_capabilities: Vec::new(),
            dispatch: Dispatch::default(),
        }
    }

    /// The definition with the input schema that the arguments make or change.
    pub fn complete_definition(&self) -> Result<ToolDefinition, Fault> {
        let mut definition = self.definition.clone();
        let schema = tool_arguments::input_schema(self, definition.raw(Field::InputSchema))?;
        definition.set_json(Field::InputSchema, &schema).map_err(invalid)?;
        Ok(definition)
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        self.definition.name()
    }
}

/// # Safety
/// `tool` is NULL or a live handle without another user; `value` is NULL or NUL-terminated.
unsafe fn set_text(tool: *mut Tool, field: Field, value: *const c_char, what: &str) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (tool, value) = unsafe { (handle::exclusive(tool, "tool")?, text::required(value, what)?) };
        tool.definition.set_text(field, value).map_err(invalid)
    })
}

/// # Safety
/// `tool` is NULL or a live handle without another user; `json` is NULL or has `len` bytes.
unsafe fn set_json(tool: *mut Tool, field: Field, json: *const c_char, len: usize) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let tool = unsafe { handle::exclusive(tool, "tool")? };
        // SAFETY: as promised by the caller.
        let json = unsafe { text::raw(json, len, "json")? };
        let set = tool.definition.set_json(field, json);
        set.map_err(|fault| {
            let what = format!("tool \"{}\": /{}:", tool.name(), field.key());
            text::check_json(json, &what).err().unwrap_or_else(|| invalid(fault))
        })
    })
}

fn invalid(fault: DefinitionFault) -> Fault {
    Fault::new(Status::ErrInvalidArg, fault.to_string())
}
