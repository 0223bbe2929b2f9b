//! What a server offers, as the program around it and its handlers see it.

use std::ffi::{c_char, c_int};

use mcp_core::call::host::Host;
use mcp_core::protocol::provider_tools::Provider;

use crate::boundary;
use crate::handle::Output;
use crate::server::Server;
use crate::status::{Fault, Status};
use crate::text;

/// For whose API tools are exported.
///
/// cbindgen:rename-all=ScreamingSnakeCase
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(clippy::enum_variant_names, reason = "C knows no other scope for the names of values")]
pub enum ExportFormat {
    /// OpenAI, Chat Completions: `tools`.
    McpExportOpenaiChat = 0,
    /// OpenAI, Responses: `tools`.
    McpExportOpenaiResponses = 1,
    /// Anthropic, Messages: `tools`.
    McpExportAnthropic = 2,
    /// Google, Gemini: `tools`.
    McpExportGemini = 3,
}

/// The definitions of all tools, by name: a JSON array, as clients of revision 2026-07-28 list them.
///
/// `*json` is yours; free it with `mcp_text_free`; `len` is in bytes and may be NULL. Any thread.
///
/// # Safety
/// `server` is NULL or a live handle; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_list_tools(
    server: *mut Server,
    json: *mut *mut c_char,
    len: *mut usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { give_list(server, json, len, |host| Ok(host.list_tools())) }
}

/// The definitions of all resources, by URI. Otherwise as `mcp_server_list_tools`.
///
/// # Safety
/// `server` is NULL or a live handle; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_list_resources(
    server: *mut Server,
    json: *mut *mut c_char,
    len: *mut usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { give_list(server, json, len, |host| Ok(host.list_resources())) }
}

/// The definitions of all resource templates, by URI template. Otherwise as `mcp_server_list_tools`.
///
/// # Safety
/// `server` is NULL or a live handle; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_list_resource_templates(
    server: *mut Server,
    json: *mut *mut c_char,
    len: *mut usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { give_list(server, json, len, |host| Ok(host.list_resource_templates())) }
}

/// The definitions of all prompts, by name. Otherwise as `mcp_server_list_tools`.
///
/// # Safety
/// `server` is NULL or a live handle; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_list_prompts(
    server: *mut Server,
    json: *mut *mut c_char,
    len: *mut usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { give_list(server, json, len, |host| Ok(host.list_prompts())) }
}

/// The definition of one tool, a JSON object.
///
/// `*json` is yours; free it with `mcp_text_free`; `len` is in bytes and may be NULL. Errors: NOT_FOUND. Any
/// thread.
///
/// # Safety
/// `server` is NULL or a live handle; `name` is NULL or NUL-terminated; the outputs are NULL or may be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_find_tool(
    server: *mut Server,
    name: *const c_char,
    json: *mut *mut c_char,
    len: *mut usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, name, out) =
            unsafe { (Server::borrow(server)?, text::required(name, "name")?, Output::new(json, "json")?) };
        let tool = server
            .engine
            .find_tool(name)
            .ok_or_else(|| Fault::new(Status::ErrNotFound, format!("there is no tool \"{name}\"")))?;
        // SAFETY: as promised by the caller.
        unsafe { text::give_away(&tool, out, len) };
        Ok(())
    })
}

/// The tools in the shape that the API of a model's provider takes, an mcp_export_format: a JSON array, the
/// value of `tools` in a request to that API. What the model calls is then run by `mcp_server_call_tool`.
///
/// Tools that only user interfaces may call (`mcp_tool_set_visibility`) are left out. A name that the API
/// does not take is changed: `mcp_server_call_tool` takes either. Of the root of an input schema goes what
/// the API is known to refuse; the rest stays as it was written. `*json` is yours; free it with
/// `mcp_text_free`; `len` is in bytes and may be NULL. Errors: INVALID_ARG for a number that is no format. Any
/// thread.
///
/// # Safety
/// `server` is NULL or a live handle; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_export_tools(
    server: *mut Server,
    format: c_int,
    json: *mut *mut c_char,
    len: *mut usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { give_list(server, json, len, |host| Ok(host.export_tools(provider_of(format)?))) }
}

/// # Safety
/// `server` is NULL or a live handle; the outputs are NULL or may be written to.
unsafe fn give_list(
    server: *mut Server,
    json: *mut *mut c_char,
    len: *mut usize,
    list: impl FnOnce(&mcp_core::server::engine::Server) -> Result<Vec<u8>, Fault>,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, out) = unsafe { (Server::borrow(server)?, Output::new(json, "json")?) };
        let list = list(&server.engine)?;
        // SAFETY: as promised by the caller.
        unsafe { text::give_away(&list, out, len) };
        Ok(())
    })
}

fn provider_of(number: c_int) -> Result<Provider, Fault> {
    let known = [
        (ExportFormat::McpExportOpenaiChat, Provider::OpenAiChat),
        (ExportFormat::McpExportOpenaiResponses, Provider::OpenAiResponses),
        (ExportFormat::McpExportAnthropic, Provider::Anthropic),
        (ExportFormat::McpExportGemini, Provider::Gemini),
    ];
    let found = known.into_iter().find(|(value, _)| *value as c_int == number);
    found.map(|(_, provider)| provider).ok_or_else(|| {
        let message =
            format!("format {number} is none of MCP_EXPORT_OPENAI_CHAT (0) to MCP_EXPORT_GEMINI (3)");
        Fault::new(Status::ErrInvalidArg, message)
    })
}
