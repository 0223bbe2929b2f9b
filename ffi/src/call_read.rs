//! What only the read of a resource has.

use std::ffi::{c_int, c_void};

use mcp_core::call::subject::Subject;
use mcp_core::protocol::cache_hint::{self, CacheHint};
use mcp_core::protocol::content::ContentBlock;
use mcp_core::protocol::resource_contents::ResourceContents;

use crate::boundary;
use crate::call::Call;
use crate::status::{Fault, Status};
use crate::text;

/// Who may be served from a cache of a result.
///
/// cbindgen:rename-all=ScreamingSnakeCase
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(clippy::enum_variant_names, reason = "C knows no other scope for the names of values")]
pub enum CacheScope {
    /// Anybody: the result is the same for all.
    McpCachePublic = 0,
    /// Only those who have the same authorization.
    McpCachePrivate = 1,
}

/// Adds bytes to what a resource contains, under the URI that was asked for and with the resource's media
/// type. The library encodes them.
///
/// Texts are added by `mcp_call_add_text`, contents of other URIs by `mcp_call_add_resource_text` and
/// `mcp_call_add_resource_blob`. Errors: INVALID_ARG in a call of anything but a resource; ALREADY_FINISHED,
/// CANCELLED. Any thread. (Specification: server/resources, "Resource Contents".)
///
/// # Safety
/// `call` is NULL or a live handle; `bytes` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_add_blob(call: *mut Call, bytes: *const c_void, len: usize) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, bytes) = unsafe { (Call::borrow(call)?, text::bytes(bytes, len, "bytes")?) };
        let uri = uri_that_is_read(call).ok_or_else(|| {
            let message = format!(
                "{} is no resource, whose bytes need no URI; use mcp_call_add_resource_blob",
                call.core().subject()
            );
            Fault::new(Status::ErrInvalidArg, message)
        })?;
        let contents = ResourceContents::Blob(bytes);
        call.core().add_content(ContentBlock::Resource { uri, mime_type: None, contents })?;
        Ok(())
    })
}

/// Sets how long what a resource contains counts as fresh, in milliseconds, and for whom, an
/// mcp_cache_scope. Clients of revision 2026-07-28 are told; without it they are told what the options
/// `resource_read_cache_ttl_ms` and `resource_read_cache_scope` say.
///
/// Errors: INVALID_ARG for a number that is no scope, and in a call of anything but a resource;
/// ALREADY_FINISHED, CANCELLED. Any thread. (Specification: server/utilities/caching.)
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_set_cache(call: *mut Call, ttl_ms: u64, scope: c_int) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let call = unsafe { Call::borrow(call)? };
        call.core().set_cache(CacheHint { ttl_ms, scope: scope_from(scope)? })?;
        Ok(())
    })
}

/// Finishes the read of a resource that does not exist, with the error that the client's revision has for
/// it. What was added before is dropped.
///
/// Errors: INVALID_ARG in a call of anything but a resource; ALREADY_FINISHED, CANCELLED. Any thread.
/// (Specification: server/resources, "Error Handling".)
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_finish_not_found(call: *mut Call) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        unsafe { Call::borrow(call)? }.core().finish_not_found()?;
        Ok(())
    })
}

/// The URI of the resource that is read; `None` in a call of anything else.
pub fn uri_that_is_read(call: &Call) -> Option<&str> {
    match call.core().subject() {
        Subject::Resource(_, uri) => Some(uri),
        _ => None,
    }
}

fn scope_from(number: c_int) -> Result<cache_hint::CacheScope, Fault> {
    let known = [
        (CacheScope::McpCachePublic, cache_hint::CacheScope::Public),
        (CacheScope::McpCachePrivate, cache_hint::CacheScope::Private),
    ];
    known.into_iter().find(|(value, _)| *value as c_int == number).map(|(_, scope)| scope).ok_or_else(|| {
        let message = format!("scope {number} is neither MCP_CACHE_PUBLIC (0) nor MCP_CACHE_PRIVATE (1)");
        Fault::new(Status::ErrInvalidArg, message)
    })
}
