//! The arguments of a call, one by one.

use std::ffi::{c_char, c_int};

use serde_json::Value;

use crate::boundary;
use crate::call::Call;
use crate::call_request::give;
use crate::handle::Output;
use crate::status::{Fault, Status};
use crate::text;
use crate::whole_number::{self, Whole};

/// A string argument. `name` is its name, or a JSON Pointer into the arguments, as "/cities/0".
///
/// `*out` is UTF-8, NUL-terminated, and borrowed from the call; `len` is in bytes and may be NULL. Errors,
/// of this and the other getters: NOT_FOUND if the client did not give it; NULL_VALUE if it is null;
/// WRONG_TYPE if it is something else; INVALID_ARG for a name that is neither among the arguments that the
/// tool or prompt declares nor in the call, which is a mistake in the handler. A string with a NUL in it is INVALID_ARG if
/// `len` is NULL. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `name` is NULL or NUL-terminated; the outputs are NULL or may be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_get_string(
    call: *mut Call,
    name: *const c_char,
    out: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, name, out) = unsafe { getter(call, name, out)? };
        let Value::String(text) = argument(call, name)? else {
            return Err(wrong_type(call, name, "a string"));
        };
        if len.is_null() && text.as_bytes().contains(&0) {
            let message =
                format!("the argument \"{name}\" has a NUL in it; ask for its length to read it whole");
            return Err(Fault::new(Status::ErrInvalidArg, message));
        }
        // SAFETY: as promised by the caller.
        unsafe { give(call.texts().keep(text), out, len) };
        Ok(())
    })
}

/// A whole number. 3.0 is 3, as the specification has it, and is read exactly; 3.5 is WRONG_TYPE, a number
/// that does not fit is OUT_OF_RANGE.
///
/// Otherwise as `mcp_call_get_string`. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `name` is NULL or NUL-terminated; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_get_int64(call: *mut Call, name: *const c_char, out: *mut i64) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, name, out) = unsafe { getter(call, name, out)? };
        let Value::Number(number) = argument(call, name)? else {
            return Err(wrong_type(call, name, "a whole number"));
        };
        if let Some(whole) = number.as_i64() {
            out.set(whole);
            return Ok(());
        }
        match whole_number::read(&json_of(call, name)) {
            Whole::Fits(whole) => out.set(whole),
            Whole::TooLarge => {
                let message = format!("the argument \"{name}\" does not fit into 64 bits");
                return Err(Fault::new(Status::ErrOutOfRange, message));
            }
            Whole::Fraction => return Err(wrong_type(call, name, "a whole number")),
        }
        Ok(())
    })
}

/// A number, as the nearest double.
///
/// Otherwise as `mcp_call_get_string`. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `name` is NULL or NUL-terminated; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_get_double(call: *mut Call, name: *const c_char, out: *mut f64) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, name, out) = unsafe { getter(call, name, out)? };
        let number = argument(call, name)?.as_f64().ok_or_else(|| wrong_type(call, name, "a number"))?;
        out.set(number);
        Ok(())
    })
}

/// A boolean.
///
/// Otherwise as `mcp_call_get_string`. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `name` is NULL or NUL-terminated; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_get_bool(call: *mut Call, name: *const c_char, out: *mut bool) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, name, out) = unsafe { getter(call, name, out)? };
        let truth = argument(call, name)?.as_bool().ok_or_else(|| wrong_type(call, name, "true or false"))?;
        out.set(truth);
        Ok(())
    })
}

/// An argument of any type but null, as the client's own JSON text.
///
/// `*out` is NUL-terminated and borrowed from the call; `len` is in bytes and may be NULL. Otherwise as
/// `mcp_call_get_string`. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `name` is NULL or NUL-terminated; the outputs are NULL or may be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_get_json(
    call: *mut Call,
    name: *const c_char,
    out: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, name, out) = unsafe { getter(call, name, out)? };
        let value = argument(call, name)?;
        let text = call.texts().keep_json(value, || json_of(call, name));
        // SAFETY: as promised by the caller.
        unsafe { give(text, out, len) };
        Ok(())
    })
}

/// # Safety
/// `call` is NULL or a live handle; `name` is NULL or NUL-terminated; `out` is NULL or may be written to.
unsafe fn getter<'a, T>(
    call: *mut Call,
    name: *const c_char,
    out: *mut T,
) -> Result<(&'a Call, &'a str, Output<T>), Fault> {
    // SAFETY: as promised by the caller.
    unsafe { Ok((Call::borrow(call)?, text::required(name, "name")?, Output::new(out, "out")?)) }
}

/// The argument, which is there and not null.
fn argument<'a>(call: &'a Call, name: &str) -> Result<&'a Value, Fault> {
    let value = call.core().argument(name)?;
    if value.is_null() {
        return Err(Fault::new(Status::ErrNullValue, format!("the argument \"{name}\" is null")));
    }
    Ok(value)
}

fn json_of(call: &Call, name: &str) -> Vec<u8> {
    call.core().arguments().get_raw(name).unwrap_or_default().into()
}

fn wrong_type(call: &Call, name: &str, wanted: &str) -> Fault {
    let found = match call.core().arguments().get(name) {
        Some(Value::String(_)) => "a string",
        Some(Value::Number(number)) if number.is_f64() && wanted == "a whole number" => {
            "a number with a fraction"
        }
        Some(Value::Number(_)) => "a number",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Array(_)) => "an array",
        Some(Value::Object(_)) => "an object",
        Some(Value::Null) | None => "null",
    };
    Fault::new(Status::ErrWrongType, format!("the argument \"{name}\" is {found}, not {wanted}"))
}
