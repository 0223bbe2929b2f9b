//! The definition of a prompt, set field by field or read from JSON.

use std::ffi::{c_char, c_int};

use mcp_core::protocol::definition_field::Field;
use mcp_core::protocol::prompt_argument::PromptArgument;
use mcp_core::protocol::prompt_definition::{PromptDefinition, PromptKind};

use crate::boundary;
use crate::builder::{self, Builder, Parts};
use crate::handle::{self, Output};
use crate::presence;
use crate::text;

/// The definition of a prompt, to be built and then given to `mcp_server_add_prompt`, which copies it.
///
/// It has one owner: no two threads may use it at the same time. (Specification: server/prompts, "Prompt".)
pub struct Prompt {
    pub(crate) parts: Parts<PromptKind>,
}

/// Makes the definition of a prompt called `name`.
///
/// `*out` is yours; free it with `mcp_prompt_free`. Errors: INVALID_ARG for an empty name. Any thread.
///
/// # Safety
/// `name` is NULL or NUL-terminated; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_prompt_new(name: *const c_char, out: *mut *mut Prompt) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (name, out) = unsafe { (text::required(name, "name")?, Output::new(out, "out")?) };
        builder::give(PromptDefinition::new(name), out)
    })
}

/// Makes a definition from the prompt object of the specification, as JSON: `name` must be there, `title`,
/// `description`, `icons`, `arguments` and `_meta` may be.
///
/// It is published as it is written. `len` is in bytes, or MCP_NUL_TERMINATED. `*out` is yours; free it with
/// `mcp_prompt_free`. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown key or a field of the
/// wrong type. Any thread.
///
/// # Safety
/// `json` is NULL or has `len` bytes; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_prompt_from_json(
    json: *const c_char,
    len: usize,
    out: *mut *mut Prompt,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::from_json(json, len, out) }
}

/// Frees a definition. NULL is fine. The servers to which it was added keep their copies.
///
/// # Safety
/// `prompt` is NULL or a live handle, which nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_prompt_free(prompt: *mut Prompt) {
    // SAFETY: as promised by the caller.
    boundary::infallible((), || unsafe { handle::free(prompt) });
}

/// Sets the name for people. The text is copied.
///
/// # Safety
/// `prompt` is NULL or a live handle; `title` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_prompt_set_title(prompt: *mut Prompt, title: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_text(prompt, Field::Title, title, "title") }
}

/// Sets what the prompt is for. The text is copied.
///
/// # Safety
/// `prompt` is NULL or a live handle; `text` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_prompt_set_description(prompt: *mut Prompt, text: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_text(prompt, Field::Description, text, "text") }
}

/// Sets the icons, a JSON array of objects with `src`, and perhaps `mimeType`, `sizes` and `theme`.
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a bad
/// icon.
///
/// # Safety
/// `prompt` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_prompt_set_icons(prompt: *mut Prompt, json: *const c_char, len: usize) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_json(prompt, Field::Icons, json, len) }
}

/// Sets the definition's `_meta`, a JSON object: the place for extensions (specification, basic, "_meta").
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a key that
/// `_meta` may not have.
///
/// # Safety
/// `prompt` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_prompt_set_meta(prompt: *mut Prompt, json: *const c_char, len: usize) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_json(prompt, Field::Meta, json, len) }
}

/// Declares an argument, behind those before it. Arguments of prompts are strings.
///
/// `presence` is an mcp_presence; requests without a required argument are refused before the handler.
/// `description` is for people and may be NULL. Texts are copied. Errors: INVALID_ARG for a name declared
/// before, an empty name, or a number that is no presence.
///
/// # Safety
/// `prompt` is NULL or a live handle; the texts are NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_prompt_add_argument(
    prompt: *mut Prompt,
    name: *const c_char,
    presence: c_int,
    description: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (prompt, name, description) = unsafe {
            let prompt = handle::exclusive(prompt, Prompt::PARAMETER)?;
            (prompt, text::required(name, "name")?, text::optional(description, "description")?)
        };
        let argument = PromptArgument { name: name.into(), required: presence::is_required(presence)? };
        prompt.parts.definition.add_argument(&argument, description).map_err(builder::invalid)
    })
}

/// Demands that a client declares a capability, or its requests are refused before the handler runs. As
/// `mcp_tool_require_capability`.
///
/// # Safety
/// `prompt` is NULL or a live handle; `capability` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_prompt_require_capability(
    prompt: *mut Prompt,
    capability: *const c_char,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::require_capability(prompt, capability) }
}

/// Sets where the prompt's handler runs, an mcp_dispatch.
///
/// Errors: INVALID_ARG for a number that is none.
///
/// # Safety
/// `prompt` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_prompt_set_dispatch(prompt: *mut Prompt, dispatch: c_int) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_dispatch(prompt, dispatch) }
}

impl Builder for Prompt {
    type Kind = PromptKind;
    const PARAMETER: &'static str = "prompt";

    fn begin(definition: PromptDefinition) -> Self {
        Prompt { parts: Parts::new(definition) }
    }

    fn parts(&mut self) -> &mut Parts<PromptKind> {
        &mut self.parts
    }

    fn identity(definition: &PromptDefinition) -> &str {
        definition.name()
    }
}
