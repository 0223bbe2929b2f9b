//! What the request of a call says: its documents, as the client wrote them.

use std::ffi::{CStr, c_char, c_int};

use mcp_core::protocol::revision::Revision;

use crate::boundary;
use crate::call::Call;
use crate::handle::Output;
use crate::status::{Fault, Status};
use crate::text;

/// The arguments of the call, a JSON object: of a tool or prompt the client's own bytes, or "{}" if it gave
/// none, which fit what the tool or prompt takes; of a resource, the variables of its template, which are
/// strings; of a completion, `ref`, `argument` and `context`.
///
/// Borrowed from the call, NUL-terminated; `len` is in bytes and may be NULL. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_arguments(
    call: *mut Call,
    json: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { give_document(call, json, len, |call| Ok(call.core().arguments().raw())) }
}

/// The request's `_meta`, a JSON object (specification, basic, "Per-request protocol fields").
///
/// Borrowed from the call, NUL-terminated; `len` is in bytes and may be NULL. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_meta(call: *mut Call, json: *mut *const c_char, len: *mut usize) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { give_document(call, json, len, |call| Ok(&call.core().context().meta)) }
}

/// What the client declares that it can do, a JSON object.
///
/// Borrowed from the call, NUL-terminated; `len` is in bytes and may be NULL. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_client_capabilities(
    call: *mut Call,
    json: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { give_document(call, json, len, |call| Ok(call.core().context().capabilities.json())) }
}

/// The value of an HTTP header of the request; of several lines of that name, their values with ", "
/// between them.
///
/// Upper and lower case are the same in `name`. The bytes are the client's own and need not be UTF-8.
/// Borrowed from the call, NUL-terminated; `len` is in bytes and may be NULL. Errors: NOT_FOUND if there is
/// none, and always on stdio. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `name` is NULL or NUL-terminated; the outputs are NULL or may be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_header(
    call: *mut Call,
    name: *const c_char,
    out: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, name, out) =
            unsafe { (Call::borrow(call)?, text::required(name, "name")?, Output::new(out, "out")?) };
        let lower = name.to_ascii_lowercase();
        let headers = call.core().context().headers.as_deref();
        let value = |nth| headers.and_then(|headers| headers.value(&lower, nth));
        if value(0).is_none() {
            let why = if headers.is_some() { "" } else { ": it did not come by HTTP" };
            let message = format!("the request has no header \"{name}\"{why}");
            return Err(Fault::new(Status::ErrNotFound, message));
        }
        let all = || (0..).map_while(value).collect::<Vec<_>>().join(b", ".as_slice());
        // SAFETY: as promised by the caller.
        unsafe { give(call.texts().keep_header(lower.clone(), all), out, len) };
        Ok(())
    })
}

/// On whose behalf the client speaks, as the host said by `mcp_session_set_principal` or
/// `mcp_exchange_set_principal`.
///
/// Borrowed from the call. Errors: NOT_FOUND if the host said nothing. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_principal(call: *mut Call, out: *mut *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, out) = unsafe { (Call::borrow(call)?, Output::new(out, "out")?) };
        let principal = call.core().context().principal.as_ref();
        let principal = principal.ok_or_else(|| {
            Fault::new(Status::ErrNotFound, "nobody said on whose behalf the request comes")
        })?;
        out.set(call.texts().keep(principal.as_bytes()).0);
        Ok(())
    })
}

/// The revision of the protocol that the client speaks, as "2026-07-28".
///
/// The text is static. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_protocol_version(call: *mut Call, out: *mut *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, out) = unsafe { (Call::borrow(call)?, Output::new(out, "out")?) };
        out.set(revision_name(call.core().context().revision).as_ptr());
        Ok(())
    })
}

/// Writes a borrowed text to the outputs.
///
/// # Safety
/// `len` is NULL or may be written to.
pub unsafe fn give(text: (*const c_char, usize), out: Output<*const c_char>, len: *mut usize) {
    out.set(text.0);
    if !len.is_null() {
        // SAFETY: not NULL, and writable as promised by the caller.
        unsafe { len.write(text.1) };
    }
}

/// # Safety
/// `call` is NULL or a live handle; the outputs are NULL or may be written to.
unsafe fn give_document<'a, T: AsRef<[u8]> + 'a>(
    call: *mut Call,
    json: *mut *const c_char,
    len: *mut usize,
    document: impl FnOnce(&'a Call) -> Result<&'a T, Fault>,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, json) = unsafe { (Call::borrow(call)?, Output::new(json, "json")?) };
        // SAFETY: as promised by the caller.
        unsafe { give(call.texts().keep(document(call)?), json, len) };
        Ok(())
    })
}

fn revision_name(revision: Revision) -> &'static CStr {
    match revision {
        Revision::V2024_11_05 => c"2024-11-05",
        Revision::V2025_03_26 => c"2025-03-26",
        Revision::V2025_06_18 => c"2025-06-18",
        Revision::V2025_11_25 => c"2025-11-25",
        Revision::V2026_07_28 => c"2026-07-28",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_each_revision_as_the_wire_does() {
        for revision in Revision::PER_REQUEST.into_iter().chain(Revision::NEGOTIATED) {
            assert_eq!(revision_name(revision).to_bytes(), revision.name().as_bytes());
        }
    }
}
