//! The result of a call, put together piece by piece.

use std::ffi::{c_char, c_int, c_void};

use mcp_core::protocol::content::ContentBlock;
use mcp_core::protocol::resource_contents::ResourceContents;

use crate::boundary;
use crate::call::Call;
use crate::call_read;
use crate::media_type;
use crate::status::Fault;
use crate::text;

/// Adds a text to the result. What this and the functions below add is a content block of a tool's result; a
/// message of a prompt; and of a resource, contents under the URI that was asked for and with the resource's
/// media type.
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Copied. Errors of this and the functions below: INVALID_UTF8;
/// INVALID_ARG in a completion; ALREADY_FINISHED, CANCELLED. Any thread. (Specification: server/tools, "Tool
/// Result"; server/prompts, "PromptMessage"; server/resources, "Resource Contents".)
///
/// # Safety
/// `call` is NULL or a live handle; `text` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_add_text(call: *mut Call, text: *const c_char, len: usize) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, text) = unsafe { (Call::borrow(call)?, text::sized(text, len, "text")?) };
        call.core().add_content(ContentBlock::Text { text })?;
        Ok(())
    })
}

/// Adds an image: the bytes of the file, which the library encodes, and its media type, as "image/png".
///
/// Errors: INVALID_ARG for a media type that is none of an image.
///
/// # Safety
/// `call` is NULL or a live handle; `bytes` is NULL or has `len` bytes; `mime_type` is NULL or
/// NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_add_image(
    call: *mut Call,
    bytes: *const c_void,
    len: usize,
    mime_type: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, data, mime_type) = unsafe { media(call, bytes, len, mime_type)? };
        media_type::check(mime_type, "image", "image/png")?;
        call.core().add_content(ContentBlock::Image { data, mime_type })?;
        Ok(())
    })
}

/// Adds a sound: the bytes of the file, which the library encodes, and its media type, as "audio/wav".
///
/// Errors: INVALID_ARG for a media type that is none of a sound.
///
/// # Safety
/// `call` is NULL or a live handle; `bytes` is NULL or has `len` bytes; `mime_type` is NULL or
/// NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_add_audio(
    call: *mut Call,
    bytes: *const c_void,
    len: usize,
    mime_type: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, data, mime_type) = unsafe { media(call, bytes, len, mime_type)? };
        media_type::check(mime_type, "audio", "audio/wav")?;
        call.core().add_content(ContentBlock::Audio { data, mime_type })?;
        Ok(())
    })
}

/// Adds a link to a resource that the client may fetch. `title`, `description` and `mime_type` may be NULL.
///
/// Errors: INVALID_ARG for a URI without a scheme or an empty name, and in the read of a resource.
///
/// # Safety
/// `call` is NULL or a live handle; the texts are NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_add_resource_link(
    call: *mut Call,
    uri: *const c_char,
    name: *const c_char,
    title: *const c_char,
    description: *const c_char,
    mime_type: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, block) = unsafe {
            let call = Call::borrow(call)?;
            let block = ContentBlock::ResourceLink {
                uri: text::required(uri, "uri")?,
                name: text::required(name, "name")?,
                title: text::optional(title, "title")?,
                description: text::optional(description, "description")?,
                mime_type: text::optional(mime_type, "mime_type")?,
            };
            (call, block)
        };
        call.core().add_content(block)?;
        Ok(())
    })
}

/// Adds a resource with its text. `mime_type` may be NULL; `len` is in bytes, or MCP_NUL_TERMINATED.
///
/// In the read of a resource, `uri` may be NULL too: the one that was asked for; others are for what belongs to
/// it, as the files of a folder. Errors: INVALID_ARG for a URI without a scheme.
///
/// # Safety
/// `call` is NULL or a live handle; `uri` and `mime_type` are NULL or NUL-terminated; `text` is NULL or has
/// `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_add_resource_text(
    call: *mut Call,
    uri: *const c_char,
    mime_type: *const c_char,
    text: *const c_char,
    len: usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        unsafe {
            add_resource(call, uri, mime_type, || Ok(ResourceContents::Text(text::sized(text, len, "text")?)))
        }
    })
}

/// Adds a resource with its bytes, which the library encodes. `mime_type` may be NULL, and in the read of a
/// resource also `uri`.
///
/// Errors: INVALID_ARG for a URI without a scheme.
///
/// # Safety
/// `call` is NULL or a live handle; `uri` and `mime_type` are NULL or NUL-terminated; `bytes` is NULL or
/// has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_add_resource_blob(
    call: *mut Call,
    uri: *const c_char,
    mime_type: *const c_char,
    bytes: *const c_void,
    len: usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        unsafe {
            add_resource(call, uri, mime_type, || {
                Ok(ResourceContents::Blob(text::bytes(bytes, len, "bytes")?))
            })
        }
    })
}

/// Adds a content block of any kind, as JSON, with its `annotations` and `_meta`; in the read of a resource,
/// an item of its `contents`.
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for what is no
/// content block.
///
/// # Safety
/// `call` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_add_content(call: *mut Call, json: *const c_char, len: usize) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, json) = unsafe { (Call::borrow(call)?, text::raw(json, len, "json")?) };
        call.core().add_content_json(json).map_err(|fault| text::json_fault(fault, json, "json"))
    })
}

/// Sets the structured content of a tool's result, any JSON value. For clients that know no better it is
/// repeated as text, unless the result has a text of its own.
///
/// It is checked against the output schema by the finish. `len` is in bytes, or MCP_NUL_TERMINATED. Errors:
/// INVALID_JSON, INVALID_UTF8; INVALID_ARG in a call of anything but a tool.
///
/// # Safety
/// `call` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_set_structured(call: *mut Call, json: *const c_char, len: usize) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, json) = unsafe { (Call::borrow(call)?, text::raw(json, len, "json")?) };
        call.core().set_structured(json).map_err(|fault| text::json_fault(fault, json, "json"))
    })
}

/// Sets the result's `_meta`, a JSON object.
///
/// `len` is in bytes, or MCP_NUL_TERMINATED. Errors: INVALID_JSON, INVALID_UTF8; INVALID_ARG for what is no
/// such object.
///
/// # Safety
/// `call` is NULL or a live handle; `json` is NULL or has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_set_meta(call: *mut Call, json: *const c_char, len: usize) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, json) = unsafe { (Call::borrow(call)?, text::raw(json, len, "json")?) };
        call.core().set_meta(json).map_err(|fault| text::json_fault(fault, json, "json"))
    })
}

/// # Safety
/// As for [`mcp_call_add_image`].
unsafe fn media<'a>(
    call: *mut Call,
    bytes: *const c_void,
    len: usize,
    mime_type: *const c_char,
) -> Result<(&'a Call, &'a [u8], &'a str), Fault> {
    // SAFETY: as promised by the caller.
    unsafe {
        let call = Call::borrow(call)?;
        Ok((call, text::bytes(bytes, len, "bytes")?, text::required(mime_type, "mime_type")?))
    }
}

/// # Safety
/// `call` is NULL or a live handle; the texts are NULL or NUL-terminated.
unsafe fn add_resource<'a>(
    call: *mut Call,
    uri: *const c_char,
    mime_type: *const c_char,
    contents: impl FnOnce() -> Result<ResourceContents<'a>, Fault>,
) -> Result<(), Fault> {
    // SAFETY: as promised by the caller.
    let (call, uri, mime_type) = unsafe {
        (Call::borrow(call)?, text::optional(uri, "uri")?, text::optional(mime_type, "mime_type")?)
    };
    let uri = uri.or_else(|| call_read::uri_that_is_read(call)).ok_or_else(|| text::null("uri"))?;
    let contents = contents()?;
    call.core().add_content(ContentBlock::Resource { uri, mime_type, contents })?;
    Ok(())
}
