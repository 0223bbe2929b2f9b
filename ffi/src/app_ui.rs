//! MCP Apps (SEP-1865): user interfaces, and the tools whose results they show.

use std::ffi::{c_char, c_int};

use mcp_core::protocol::app_ui;

use crate::boundary;
use crate::builder::{self, Builder};
use crate::handle;
use crate::resource::Resource;
use crate::status::{Fault, Status};
use crate::text;
use crate::tool::Tool;

/// Who may see and call a tool: one of these, or both with | between them.
///
/// cbindgen:rename-all=ScreamingSnakeCase
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(clippy::enum_variant_names, reason = "C knows no other scope for the names of values")]
pub enum Visibility {
    /// The model.
    McpVisibleToModel = 1,
    /// The user interfaces of the same server.
    McpVisibleToApp = 2,
}

/// Has clients that can show user interfaces show the results of a tool in the one at `resource_uri`, a
/// resource of the same server that begins with "ui://": sets `ui.resourceUri` in the tool's `_meta`.
///
/// Other clients ignore it, so the tool must return content all the same: a finish without any is
/// INVALID_RESULT. The text is copied. Errors: INVALID_ARG for another URI. (MCP Apps, SEP-1865.)
///
/// # Safety
/// `tool` is NULL or a live handle; `resource_uri` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_ui(tool: *mut Tool, resource_uri: *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (tool, uri) = unsafe {
            (handle::exclusive(tool, Tool::PARAMETER)?, text::required(resource_uri, "resource_uri")?)
        };
        tool.parts.definition.set_ui_resource_uri(uri).map_err(builder::invalid)
    })
}

/// Sets who may see and call a tool: MCP_VISIBLE_TO_MODEL, MCP_VISIBLE_TO_APP, or both with | between them,
/// which is the default. Sets `ui.visibility` in the tool's `_meta`.
///
/// A tool for user interfaces alone is not listed to clients that cannot show one. Errors: INVALID_ARG for
/// another number. (MCP Apps, SEP-1865.)
///
/// # Safety
/// `tool` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_set_visibility(tool: *mut Tool, visibility: c_int) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let tool = unsafe { handle::exclusive(tool, Tool::PARAMETER)? };
        let visibility = visibility_from(visibility)?;
        tool.parts.definition.set_visibility(visibility).map_err(builder::invalid)
    })
}

/// Makes a resource a user interface: sets its media type, "text/html;profile=mcp-app", where none is set,
/// and `ui` in its `_meta`, of which its contents carry a copy. Its URI must begin with "ui://". A later
/// `mcp_resource_set_meta` replaces all of `_meta`.
///
/// `ui_json` is a JSON object of `csp`, `permissions`, `domain` and `prefersBorder`, `len` bytes or
/// MCP_NUL_TERMINATED; NULL with 0 is "{}". Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for a resource
/// with another URI or media type. (MCP Apps, SEP-1865.)
///
/// # Safety
/// `resource` is NULL or a live handle; `ui_json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_resource_set_ui(
    resource: *mut Resource,
    ui_json: *const c_char,
    len: usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (resource, ui) = unsafe {
            (handle::exclusive(resource, Resource::PARAMETER)?, text::raw(ui_json, len, "ui_json")?)
        };
        let definition = &mut resource.parts.definition;
        let ui = if ui_json.is_null() { b"{}" } else { ui };
        definition.set_ui(ui).map_err(|fault| {
            let what = format!("resource \"{}\": /_meta/ui:", definition.uri());
            text::check_json(ui, &what).err().unwrap_or_else(|| builder::invalid(fault))
        })
    })
}

fn visibility_from(number: c_int) -> Result<app_ui::Visibility, Fault> {
    let (model, app) = (Visibility::McpVisibleToModel as c_int, Visibility::McpVisibleToApp as c_int);
    if number <= 0 || number & !(model | app) != 0 {
        let message =
            format!("visibility {number} is none of MCP_VISIBLE_TO_MODEL (1), _TO_APP (2) and both (3)");
        return Err(Fault::new(Status::ErrInvalidArg, message));
    }
    Ok(app_ui::Visibility { to_model: number & model != 0, to_app: number & app != 0 })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn reads_who_may_see_a_tool_from_the_bits() {
        for (number, to_model, to_app) in [(1, true, false), (2, false, true), (3, true, true)] {
            assert_eq!(visibility_from(number).unwrap(), app_ui::Visibility { to_model, to_app });
        }
        for number in [-1, 0, 4, 5, c_int::MIN] {
            assert_eq!(visibility_from(number).unwrap_err().status, Status::ErrInvalidArg, "{number}");
        }
    }
}
