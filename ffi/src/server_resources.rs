//! The resources and resource templates of a server.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use mcp_core::call::host::Host;

use crate::boundary;
use crate::handle;
use crate::handler::{Handler, HostHandler};
use crate::resource::Resource;
use crate::resource_template::ResourceTemplate;
use crate::server::Server;
use crate::text;
use crate::user_data::{FreeFunction, UserData};

/// Adds a resource, in place of one of the same URI, also while serving: subscribers are told that the list
/// changed.
///
/// `resource` is copied and stays yours. `handler` is called for each read, with `user_data`, where the
/// resource's dispatch says. In it, `mcp_call_name` is the URI, and what the `mcp_call_add_...` functions
/// add are the contents. `user_data_free` (may be NULL) is called as `mcp_server_add_tool` says.
///
/// Any thread. (Specification: server/resources.)
///
/// # Safety
/// The handles are NULL or alive; the functions may be called with `user_data` from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_add_resource(
    server: *mut Server,
    resource: *const Resource,
    handler: Handler,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
) -> c_int {
    let user_data = UserData::new(user_data, user_data_free);
    boundary::fallible(move || {
        // SAFETY: as promised by the caller.
        let (server, resource) = unsafe { (Server::borrow(server)?, handle::shared(resource, "resource")?) };
        let handler = handler.ok_or_else(|| text::null("handler"))?;
        let handler = Arc::new(HostHandler::new(handler, user_data));
        let parts = &resource.parts;
        let capabilities = parts.required_capabilities.clone();
        server.engine.add_resource(&parts.definition, handler, parts.dispatch, capabilities);
        Ok(())
    })
}

/// Removes a resource, also while serving. Reads of it in flight go on.
///
/// Errors: NOT_FOUND. Any thread.
///
/// # Safety
/// `server` is NULL or a live handle; `uri` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_remove_resource(server: *mut Server, uri: *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, uri) = unsafe { (Server::borrow(server)?, text::required(uri, "uri")?) };
        server.engine.remove_resource(uri)?;
        Ok(())
    })
}

/// Adds a resource template, in place of one of the same text, also while serving: `handler` is called for
/// reads of the URIs that it matches and that no resource has.
///
/// In it, `mcp_call_name` is the URI that was asked for, and the arguments are the template's variables,
/// decoded: `mcp_call_get_string(call, "folder", ...)`. Where several templates match, the one with the most
/// literal characters is read. `resource_template` is copied and stays yours; everything else as in
/// `mcp_server_add_resource`.
///
/// Errors: INVALID_ARG for what is no URI template (RFC 6570), for one whose matches would be ambiguous, and
/// for a variable of `mcp_resource_template_allow_traversal` that it does not have. Any thread.
/// (Specification: server/resources, "Resource Templates".)
///
/// # Safety
/// The handles are NULL or alive; the functions may be called with `user_data` from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_add_resource_template(
    server: *mut Server,
    resource_template: *const ResourceTemplate,
    handler: Handler,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
) -> c_int {
    let user_data = UserData::new(user_data, user_data_free);
    boundary::fallible(move || {
        // SAFETY: as promised by the caller.
        let (server, template) =
            unsafe { (Server::borrow(server)?, handle::shared(resource_template, "resource_template")?) };
        let handler = handler.ok_or_else(|| text::null("handler"))?;
        let handler = Arc::new(HostHandler::new(handler, user_data));
        let parts = &template.parts;
        let traversal: Vec<&str> = template.traversal.iter().map(String::as_str).collect();
        let capabilities = parts.required_capabilities.clone();
        server.engine.add_resource_template(
            &parts.definition,
            &traversal,
            handler,
            parts.dispatch,
            capabilities,
        )?;
        Ok(())
    })
}

/// Removes the resource template of this text, also while serving. Reads in flight go on.
///
/// Errors: NOT_FOUND. Any thread.
///
/// # Safety
/// `server` is NULL or a live handle; `uri_template` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_remove_resource_template(
    server: *mut Server,
    uri_template: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, uri_template) =
            unsafe { (Server::borrow(server)?, text::required(uri_template, "uri_template")?) };
        server.engine.remove_resource_template(uri_template)?;
        Ok(())
    })
}

/// Tells those who subscribed to the resource at `uri` that it changed, a moment later, several changes as
/// one. It need not be one that was added: those that templates match can be subscribed to as well.
///
/// With a `principal`, only those are told who subscribed on its behalf; NULL tells every subscriber. Texts
/// are copied. Any thread. (Specification: server/resources, "Subscriptions".)
///
/// # Safety
/// `server` is NULL or a live handle; the texts are NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_resource_updated(
    server: *mut Server,
    uri: *const c_char,
    principal: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, uri, principal) = unsafe {
            let (server, uri) = (Server::borrow(server)?, text::required(uri, "uri")?);
            (server, uri, text::optional(principal, "principal")?)
        };
        server.engine.resource_updated(uri, principal);
        Ok(())
    })
}
