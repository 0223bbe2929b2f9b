//! The definition of a resource, set field by field or read from JSON.

use std::ffi::{c_char, c_int};

use mcp_core::protocol::definition_field::Field;
use mcp_core::protocol::resource_definition::{ResourceDefinition, ResourceKind};

use crate::boundary;
use crate::builder::{self, Builder, Parts};
use crate::handle::{self, Output};
use crate::text;

/// The definition of a resource, to be built and then given to `mcp_server_add_resource`, which copies it.
///
/// It has one owner: no two threads may use it at the same time. (Specification: server/resources,
/// "Resource".)
pub struct Resource {
    pub(crate) parts: Parts<ResourceKind>,
}

/// Makes the definition of the resource at `uri`, as "file:///notes/today.md", which is called `name`.
///
/// `*out` is yours; free it with `mcp_resource_free`. Errors: INVALID_ARG for a URI without a scheme or an
/// empty name. Any thread.
///
/// # Safety
/// The texts are NULL or NUL-terminated; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_new(
    uri: *const c_char,
    name: *const c_char,
    out: *mut *mut Resource,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (uri, name, out) =
            unsafe { (text::required(uri, "uri")?, text::required(name, "name")?, Output::new(out, "out")?) };
        builder::give(ResourceDefinition::new(uri, name), out)
    })
}

/// Makes a definition from the resource object of the specification, as JSON: `uri` and `name` must be
/// there, `title`, `description`, `mimeType`, `size`, `icons`, `annotations` and `_meta` may be.
///
/// It is published as it is written. `len` is in bytes, or MCP_NUL_TERMINATED. `*out` is yours; free it with
/// `mcp_resource_free`. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown key or a field of the
/// wrong type. Any thread.
///
/// # Safety
/// `json` is NULL or has `len` bytes; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_from_json(
    json: *const c_char,
    len: usize,
    out: *mut *mut Resource,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::from_json(json, len, out) }
}

/// Frees a definition. NULL is fine. The servers to which it was added keep their copies.
///
/// # Safety
/// `resource` is NULL or a live handle, which nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_free(resource: *mut Resource) {
    // SAFETY: as promised by the caller.
    boundary::infallible((), || unsafe { handle::free(resource) });
}

/// Sets the name for people. The text is copied.
///
/// # Safety
/// `resource` is NULL or a live handle; `title` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_set_title(resource: *mut Resource, title: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_text(resource, Field::Title, title, "title") }
}

/// Sets what the resource is, for models. The text is copied.
///
/// # Safety
/// `resource` is NULL or a live handle; `text` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_set_description(resource: *mut Resource, text: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_text(resource, Field::Description, text, "text") }
}

/// Sets the media type, as "text/markdown". What its handler adds has this type unless it says otherwise.
/// The text is copied.
///
/// # Safety
/// `resource` is NULL or a live handle; `mime_type` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_set_mime_type(
    resource: *mut Resource,
    mime_type: *const c_char,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_text(resource, Field::MimeType, mime_type, "mime_type") }
}

/// Sets how large the contents are, in bytes, before any encoding. Clients use it to tell people and to
/// estimate what a model can take; nothing checks it.
///
/// # Safety
/// `resource` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_set_size(resource: *mut Resource, bytes: u64) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let resource = unsafe { handle::exclusive(resource, Resource::PARAMETER)? };
        let set = resource.parts.definition.set_json(Field::Size, bytes.to_string().as_bytes());
        set.map_err(builder::invalid)
    })
}

/// Sets for whom the resource is, how important and how fresh: a JSON object of `audience`, `priority` and
/// `lastModified` (specification, server/resources, "Annotations").
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for an unknown
/// key or a wrong value.
///
/// # Safety
/// `resource` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_set_annotations(
    resource: *mut Resource,
    json: *const c_char,
    len: usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_json(resource, Field::Annotations, json, len) }
}

/// Sets the icons, a JSON array of objects with `src`, and perhaps `mimeType`, `sizes` and `theme`.
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a bad
/// icon.
///
/// # Safety
/// `resource` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_set_icons(
    resource: *mut Resource,
    json: *const c_char,
    len: usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_json(resource, Field::Icons, json, len) }
}

/// Sets the definition's `_meta`, a JSON object: the place for extensions (specification, basic, "_meta").
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a key that
/// `_meta` may not have.
///
/// # Safety
/// `resource` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_set_meta(
    resource: *mut Resource,
    json: *const c_char,
    len: usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_json(resource, Field::Meta, json, len) }
}

/// Demands that a client declares a capability, or its reads are refused before the handler runs. As
/// `mcp_tool_require_capability`.
///
/// # Safety
/// `resource` is NULL or a live handle; `capability` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_require_capability(
    resource: *mut Resource,
    capability: *const c_char,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::require_capability(resource, capability) }
}

/// Sets where the resource's handler runs, an mcp_dispatch.
///
/// Errors: INVALID_ARG for a number that is none.
///
/// # Safety
/// `resource` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_set_dispatch(resource: *mut Resource, dispatch: c_int) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { builder::set_dispatch(resource, dispatch) }
}

impl Builder for Resource {
    type Kind = ResourceKind;
    const PARAMETER: &'static str = "resource";

    fn begin(definition: ResourceDefinition) -> Self {
        Resource { parts: Parts::new(definition) }
    }

    fn parts(&mut self) -> &mut Parts<ResourceKind> {
        &mut self.parts
    }

    fn identity(definition: &ResourceDefinition) -> &str {
        definition.uri()
    }
}
