//! The definition of a tool, set field by field or read from JSON.

use std::ffi::{c_char, c_int};

use mcp_core::protocol::definition_field::Field;
use mcp_core::protocol::tool_definition::{ToolDefinition, ToolKind};
use mcp_core::schema::declared_arguments::DeclaredArgument;

use crate::boundary;
use crate::builder::{self, Builder, Parts};
use crate::handle::{self, Output};
use crate::status::Fault;
use crate::text;
use crate::tool_arguments;

/// The definition of a tool, to be built and then given to `mcp_server_add_tool`, which copies it.
///
/// It has one owner: no two threads may use it at the same time. (Specification: server/tools, "Tool".)
pub struct Tool {
    pub(crate) parts: Parts<ToolKind>,
    pub(crate) arguments: Vec<DeclaredArgument>,
    /// Arguments to be mirrored: the name, and the header's name.
    pub(crate) mirrored: Vec<(String, String)>,
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
        builder::give(ToolDefinition::new(name), out)
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
    // SAFETY: as promised by the caller.
    unsafe { builder::from_json(json, len, out) }
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
    unsafe { builder::set_text(tool, Field::Title, title, "title") }
}

/// Sets what the tool does, for models. The text is copied.
///
/// # Safety
/// `tool` is NULL or a live handle; `text` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_description(tool: *mut Tool, text: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_text(tool, Field::Description, text, "text") }
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
    unsafe { builder::set_json(tool, Field::InputSchema, json, len) }
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
    unsafe { builder::set_json(tool, Field::OutputSchema, json, len) }
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
    unsafe { builder::set_json(tool, Field::ToolAnnotations, json, len) }
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
    unsafe { builder::set_json(tool, Field::Icons, json, len) }
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
    unsafe { builder::set_json(tool, Field::Meta, json, len) }
}

/// Demands that a client declares a capability, or its calls are answered with -32021 before the handler
/// runs: "roots", "sampling", "sampling.context", "sampling.tools", "elicitation", "elicitation.form",
/// "elicitation.url", or "extensions." and the identifier of an extension.
///
/// May be called several times; every capability is demanded then. Errors: INVALID_ARG for an unknown name.
///
/// # Safety
/// `tool` is NULL or a live handle; `capability` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_require_capability(tool: *mut Tool, capability: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::require_capability(tool, capability) }
}

/// Sets where the tool's handler runs, an mcp_dispatch.
///
/// Errors: INVALID_ARG for a number that is none.
///
/// # Safety
/// `tool` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_dispatch(tool: *mut Tool, dispatch: c_int) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_dispatch(tool, dispatch) }
}

impl Tool {
    /// The definition with the input schema that the arguments make or change.
    pub fn complete_definition(&self) -> Result<ToolDefinition, Fault> {
        let mut definition = self.parts.definition.clone();
        let schema = tool_arguments::input_schema(self, definition.raw(Field::InputSchema))?;
        definition.set_json(Field::InputSchema, &schema).map_err(builder::invalid)?;
        Ok(definition)
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        self.parts.definition.name()
    }
}

impl Builder for Tool {
    type Kind = ToolKind;
    const PARAMETER: &'static str = "tool";

    fn begin(definition: ToolDefinition) -> Self {
        Tool { parts: Parts::new(definition), arguments: Vec::new(), mirrored: Vec::new() }
    }

    fn parts(&mut self) -> &mut Parts<ToolKind> {
        &mut self.parts
    }

    fn identity(definition: &ToolDefinition) -> &str {
        definition.name()
    }
}
