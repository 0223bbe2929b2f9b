//! Texts and bytes that cross the border.

use std::ffi::{CStr, CString, c_char, c_void};

use mcp_core::host_error::HostError;
use mcp_core::protocol::document;

use crate::boundary;
use crate::handle::Output;
use crate::status::{Fault, Status};

/// As the length of a text: it ends at its first NUL, as strings in C do. `MCP_NUL_TERMINATED` of the
/// header.
pub const NUL_TERMINATED: usize = usize::MAX;

/// Frees a text that the library gave away. NULL is fine.
///
/// Only for texts that a function's comment says are yours. Borrowed ones belong to their handle. Any thread.
///
/// # Safety
/// `text` is NULL or was given away by the library, and was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_text_free(text: *mut c_char) {
    // SAFETY: `free` takes NULL, and what `give_away` gave, which comes from `malloc`.
    boundary::infallible((), || unsafe { libc::free(text.cast::<c_void>()) });
}

/// Gives a copy of `text` away, NUL-terminated, with its length where that is wanted.
///
/// # Safety
/// `len` is NULL or may be written to.
pub unsafe fn give_away(text: &[u8], out: Output<*mut c_char>, len: *mut usize) {
    // SAFETY: `malloc` takes any size.
    let copy = unsafe { libc::malloc(text.len() + 1) }.cast::<u8>();
    if copy.is_null() {
        std::alloc::handle_alloc_error(std::alloc::Layout::for_value(text));
    }
    // SAFETY: the copy has room for the text and a NUL, and `len` may be written to where it is not NULL.
    unsafe {
        copy.copy_from_nonoverlapping(text.as_ptr(), text.len());
        copy.add(text.len()).write(0);
        if !len.is_null() {
            len.write(text.len());
        }
    }
    out.set(copy.cast());
}

/// A NUL-terminated text that must be there. `what` names the parameter.
///
/// # Safety
/// `text` is NULL or points to a NUL-terminated string that stays as it is for `'a`.
pub unsafe fn required<'a>(text: *const c_char, what: &str) -> Result<&'a str, Fault> {
    // SAFETY: as promised by the caller.
    match unsafe { optional(text, what) }? {
        Some(text) => Ok(text),
        None => Err(null(what)),
    }
}

/// A NUL-terminated text that may be NULL.
///
/// # Safety
/// As for [`required`].
pub unsafe fn optional<'a>(text: *const c_char, what: &str) -> Result<Option<&'a str>, Fault> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not NULL, so NUL-terminated, as promised by the caller.
    utf8(unsafe { CStr::from_ptr(text) }.to_bytes(), what).map(Some)
}

/// A text with a length, which may be [`NUL_TERMINATED`]; NULL and 0 are the empty text.
///
/// # Safety
/// As for [`raw`].
pub unsafe fn sized<'a>(text: *const c_char, len: usize, what: &str) -> Result<&'a str, Fault> {
    // SAFETY: as promised by the caller.
    utf8(unsafe { raw(text, len, what) }?, what)
}

/// The bytes of a text with a length, unchecked, for documents that the core checks itself.
///
/// # Safety
/// `text` points to `len` bytes that stay as they are for `'a`, or to a NUL-terminated string where `len`
/// is [`NUL_TERMINATED`]; or it is NULL.
pub unsafe fn raw<'a>(text: *const c_char, len: usize, what: &str) -> Result<&'a [u8], Fault> {
    if len == NUL_TERMINATED && !text.is_null() {
        // SAFETY: NUL-terminated, as promised by the caller.
        return Ok(unsafe { CStr::from_ptr(text) }.to_bytes());
    }
    // SAFETY: as promised by the caller.
    unsafe { bytes(text.cast(), len, what) }
}

/// Bytes of any kind; NULL and 0 are none.
///
/// # Safety
/// `bytes` points to `len` bytes that stay as they are for `'a`, or is NULL.
pub unsafe fn bytes<'a>(bytes: *const c_void, len: usize, what: &str) -> Result<&'a [u8], Fault> {
    if bytes.is_null() {
        return if len == 0 { Ok(&[]) } else { Err(null(what)) };
    }
    if isize::try_from(len).is_err() {
        let message = if len == NUL_TERMINATED {
            format!("{what}: bytes have no end of their own: give their number instead of MCP_NUL_TERMINATED")
        } else {
            format!("{what}: the length {len} is larger than any object")
        };
        return Err(Fault::new(Status::ErrInvalidArg, message));
    }
    // SAFETY: not NULL, `len` bytes as promised by the caller, and no more than an object can have.
    Ok(unsafe { std::slice::from_raw_parts(bytes.cast(), len) })
}

/// Checks that `text` is one JSON value in UTF-8, with the code that says which of the two it is not.
pub fn check_json(text: &[u8], what: &str) -> Result<(), Fault> {
    utf8(text, what)?;
    document::check_json(text, "")
        .map_err(|fault| Fault::new(Status::ErrInvalidJson, format!("{what} {fault}")))
}

/// The fault of a function of the core that took the document `text`, the parameter `what`: where that is no
/// UTF-8 or no JSON, with the code that says so.
pub fn json_fault(fault: HostError, text: &[u8], what: &str) -> Fault {
    if !matches!(fault, HostError::InvalidJson(_) | HostError::InvalidResult(_)) {
        return fault.into();
    }
    check_json(text, what).err().unwrap_or_else(|| fault.into())
}

/// The same, where any JSON value will do: many a caller means a mere text.
pub fn value_fault(fault: HostError, text: &[u8], what: &str) -> Fault {
    let mut fault = json_fault(fault, text, what);
    if fault.status == Status::ErrInvalidJson {
        fault.message.push_str("; a text is JSON in quotes");
    }
    fault
}

/// The fault of a parameter that is NULL.
pub fn null(what: &str) -> Fault {
    Fault::new(Status::ErrNullArg, format!("{what} is NULL"))
}

/// A text for C. NUL, which C would take for its end, becomes U+FFFD.
pub fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_else(|_| CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default())
}

fn utf8<'a>(text: &'a [u8], what: &str) -> Result<&'a str, Fault> {
    if let Ok(text) = simdutf8::basic::from_utf8(text) {
        return Ok(text);
    }
    // Only to say where.
    std::str::from_utf8(text).map_err(|fault| {
        let message = format!("{what} is not valid UTF-8 (byte {})", fault.valid_up_to());
        Fault::new(Status::ErrInvalidUtf8, message)
    })
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    #[test]
    fn reads_texts_with_and_without_a_length() {
        let text = c"ab\xc3\xa4".as_ptr();
        // SAFETY: `text` is NUL-terminated and static, and each length lies within it.
        unsafe {
            assert!(matches!(required(text, "x"), Ok("abä")));
            assert!(matches!(sized(text, NUL_TERMINATED, "x"), Ok("abä")));
            assert!(matches!(sized(text, 2, "x"), Ok("ab")));
            assert!(matches!(sized(text, 3, "x"), Err(Fault { status: Status::ErrInvalidUtf8, .. })));
            assert!(matches!(sized(ptr::null(), 0, "x"), Ok("")));
        }
    }

    #[test]
    fn refuses_null_and_impossible_lengths() {
        // SAFETY: NULL is allowed, and nothing is read behind an impossible length.
        unsafe {
            let codes = [
                required(ptr::null(), "x").map(|_| ()),
                sized(ptr::null(), 1, "x").map(|_| ()),
                sized(ptr::null(), NUL_TERMINATED, "x").map(|_| ()),
                bytes(ptr::null(), 1, "x").map(|_| ()),
            ];
            for code in codes {
                assert!(matches!(code, Err(Fault { status: Status::ErrNullArg, .. })));
            }
            for len in [NUL_TERMINATED, usize::MAX / 2 + 1] {
                let refused = bytes(c"x".as_ptr().cast(), len, "x");
                assert!(matches!(refused, Err(Fault { status: Status::ErrInvalidArg, .. })));
            }
        }
    }

    #[test]
    fn tells_bad_utf8_from_bad_json() {
        for (text, status) in [
            (b"{\"a\":\"\xff\"}".as_slice(), Status::ErrInvalidUtf8),
            (b"{", Status::ErrInvalidJson),
            (b"", Status::ErrInvalidJson),
        ] {
            assert!(matches!(check_json(text, "x"), Err(fault) if fault.status == status));
        }
    }
}
