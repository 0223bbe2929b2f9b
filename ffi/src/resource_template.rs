//! The definition of a resource template, set field by field or read from JSON.

use std::ffi::{c_char, c_int};

use mcp_core::protocol::definition_field::Field;
use mcp_core::protocol::resource_template_definition::{ResourceTemplateDefinition, ResourceTemplateKind};

use crate::boundary;
use crate::builder::{self, Builder, Parts};
use crate::handle::{self, Output};
use crate::text;

/// The definition of a resource template, to be built and then given to `mcp_server_add_resource_template`,
/// which copies it.
///
/// It has one owner: no two threads may use it at the same time. (Specification: server/resources, "Resource
/// Templates".)
pub struct ResourceTemplate {
    pub(crate) parts: Parts<ResourceTemplateKind>,
    /// The variables whose values may lead out of their place.
    pub(crate) traversal: Vec<String>,
}

/// Makes the definition of the resources whose URIs `uri_template` describes, as "notes://{folder}/{name}",
/// all of which are called `name`.
///
/// The template is one of RFC 6570. What it cannot mean is refused by `mcp_server_add_resource_template`.
/// `*out` is yours; free it with `mcp_resource_template_free`. Errors: INVALID_ARG for an empty template or
/// name. Any thread.
///
/// # Safety
/// The texts are NULL or NUL-terminated; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_new(
    uri_template: *const c_char,
    name: *const c_char,
    out: *mut *mut ResourceTemplate,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (uri_template, name, out) = unsafe {
            let uri_template = text::required(uri_template, "uri_template")?;
            (uri_template, text::required(name, "name")?, Output::new(out, "out")?)
        };
        builder::give(ResourceTemplateDefinition::new(uri_template, name), out)
    })
}

/// Makes a definition from the resource template object of the specification, as JSON: `uriTemplate` and
/// `name` must be there, `title`, `description`, `mimeType`, `icons`, `annotations` and `_meta` may be.
///
/// It is published as it is written. `len` is in bytes, or MCP_NUL_TERMINATED. `*out` is yours; free it with
/// `mcp_resource_template_free`. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown key or a
/// field of the wrong type. Any thread.
///
/// # Safety
/// `json` is NULL or has `len` bytes; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_from_json(
    json: *const c_char,
    len: usize,
    out: *mut *mut ResourceTemplate,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::from_json(json, len, out) }
}

/// Frees a definition. NULL is fine. The servers to which it was added keep their copies.
///
/// # Safety
/// `resource_template` is NULL or a live handle, which nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_free(resource_template: *mut ResourceTemplate) {
    // SAFETY: as promised by the caller.
    boundary::infallible((), || unsafe { handle::free(resource_template) });
}

/// Sets the name for people. The text is copied.
///
/// # Safety
/// `resource_template` is NULL or a live handle; `title` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_set_title(
    resource_template: *mut ResourceTemplate,
    title: *const c_char,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_text(resource_template, Field::Title, title, "title") }
}

/// Sets what the resources are, for models. The text is copied.
///
/// # Safety
/// `resource_template` is NULL or a live handle; `text` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_set_description(
    resource_template: *mut ResourceTemplate,
    text: *const c_char,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_text(resource_template, Field::Description, text, "text") }
}

/// Sets the media type that all resources of the template have, as "text/markdown". What its handler adds
/// has this type unless it says otherwise. The text is copied.
///
/// # Safety
/// `resource_template` is NULL or a live handle; `mime_type` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_set_mime_type(
    resource_template: *mut ResourceTemplate,
    mime_type: *const c_char,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_text(resource_template, Field::MimeType, mime_type, "mime_type") }
}

/// Sets for whom the resources are, how important and how fresh: a JSON object of `audience`, `priority` and
/// `lastModified` (specification, server/resources, "Annotations").
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown
/// key or a wrong value.
///
/// # Safety
/// `resource_template` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_set_annotations(
    resource_template: *mut ResourceTemplate,
    json: *const c_char,
    len: usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_json(resource_template, Field::Annotations, json, len) }
}

/// Sets the icons, a JSON array of objects with `src`, and perhaps `mimeType`, `sizes` and `theme`.
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a bad
/// icon.
///
/// # Safety
/// `resource_template` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_set_icons(
    resource_template: *mut ResourceTemplate,
    json: *const c_char,
    len: usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_json(resource_template, Field::Icons, json, len) }
}

/// Sets the definition's `_meta`, a JSON object: the place for extensions (specification, basic, "_meta").
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a key that
/// `_meta` may not have.
///
/// # Safety
/// `resource_template` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_set_meta(
    resource_template: *mut ResourceTemplate,
    json: *const c_char,
    len: usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_json(resource_template, Field::Meta, json, len) }
}

/// Allows the values of `variable` to be paths that lead out of their place: with "." or ".." as a step, or
/// from the root or a drive on; where the variable stands for one step, as in {name}, also with a slash or a
/// backslash in it. Without it, a URI with such a value is not found, and the handler never sees it.
///
/// For variables that name no file, or whose handler checks where they lead. May be called for several.
/// Whether the template has the variable is checked by `mcp_server_add_resource_template`. The text is
/// copied.
///
/// # Safety
/// `resource_template` is NULL or a live handle; `variable` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_allow_traversal(
    resource_template: *mut ResourceTemplate,
    variable: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (resource_template, variable) = unsafe {
            let resource_template = handle::exclusive(resource_template, ResourceTemplate::PARAMETER)?;
            (resource_template, text::required(variable, "variable")?)
        };
        resource_template.traversal.push(variable.into());
        Ok(())
    })
}

/// Demands that a client declares a capability, or its reads are refused before the handler runs. As
/// `mcp_tool_require_capability`.
///
/// # Safety
/// `resource_template` is NULL or a live handle; `capability` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_require_capability(
    resource_template: *mut ResourceTemplate,
    capability: *const c_char,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::require_capability(resource_template, capability) }
}

/// Sets where the template's handler runs, an mcp_dispatch.
///
/// Errors: INVALID_ARG for a number that is none.
///
/// # Safety
/// `resource_template` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_template_set_dispatch(
    resource_template: *mut ResourceTemplate,
    dispatch: c_int,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_dispatch(resource_template, dispatch) }
}

impl Builder for ResourceTemplate {
    type Kind = ResourceTemplateKind;
    const PARAMETER: &'static str = "resource_template";

    fn begin(definition: ResourceTemplateDefinition) -> Self {
        ResourceTemplate { parts: Parts::new(definition), traversal: Vec::new() }
    }

    fn parts(&mut self) -> &mut Parts<ResourceTemplateKind> {
        &mut self.parts
    }

    fn identity(definition: &ResourceTemplateDefinition) -> &str {
        definition.uri_template()
    }
}
