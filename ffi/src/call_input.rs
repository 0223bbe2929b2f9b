//! Asking the client: a handler names its question and returns; it runs again when the answer is there.

use std::ffi::{c_char, c_int};

use mcp_core::call::arguments::Arguments;
use serde_json::Value;

use crate::boundary;
use crate::call::Call;
use crate::call_request::give;
use crate::handle::Output;
use crate::status::{Fault, Status};
use crate::text;

/// The client's answer to a question that the handler calls `key`; if there is none yet, asks.
///
/// A handler never waits for an answer. This function returns INPUT_REQUIRED instead, and the handler
/// returns: the client is asked, and once it has answered, the handler runs again, from its beginning, and
/// gets the answer here. So a question must be asked alike each time, and what stands before it is done
/// again; `mcp_call_memo_set` and `mcp_call_once` are for what must not be. A handler that asks:
///
/// ```c
/// static void book(mcp_call *call, void *user_data)
/// {
///     static const char question[] =
///         "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Which seat?\","
///         "\"requestedSchema\":{\"type\":\"object\",\"required\":[\"seat\"],"
///         "\"properties\":{\"seat\":{\"type\":\"string\"}}}}}";
///     const char *seat;
///     (void)user_data;
///     if (mcp_call_request_input(call, "seat", question, MCP_NUL_TERMINATED, NULL, NULL) != MCP_STATUS_OK)
///         return;
///     if (mcp_call_input_string(call, "seat", "/content/seat", &seat, NULL) == MCP_STATUS_OK)
///         mcp_call_finish_text(call, seat, MCP_NUL_TERMINATED);
///     else
///         mcp_call_finish_text(call, "The user would rather stand.", MCP_NUL_TERMINATED);
/// }
/// ```
///
/// `request_json` is the request of the specification, `len` bytes or MCP_NUL_TERMINATED: an object of
/// `method` and `params`. The method is "elicitation/create" (a form, or with `"mode":"url"` a page to
/// visit), "sampling/createMessage" or "roots/list". It is asked of clients of every revision, in the way
/// that theirs has; older ones have as long as the option `answer_timeout_ms` says. `*answer` is the result of that request, a JSON object: NUL-terminated, borrowed from
/// the call, and of the shape that the method has; the content of a form fits its schema. A wrong answer
/// counts as none and is asked for again. The user may say no: that is an answer too, whose `action` is
/// "decline" or "cancel". `answer` and `answer_len` may be NULL.
///
/// Several questions can be asked before the handler returns, at most 64; the client gets them together. A
/// handler that returns, or calls `mcp_call_finish_input_required`, sends them. Any other finish after
/// INPUT_REQUIRED sends them too, drops its own result and returns INPUT_REQUIRED.
///
/// Errors: INPUT_REQUIRED; MISSING_CAPABILITY if the client did not declare that it can be asked this: it is
/// not asked, and a handler that returns now answers with the error that says so, while one that goes on
/// may finish without; INVALID_ARG for a request that is none, and an empty key; INVALID_JSON, INVALID_UTF8;
/// ALREADY_FINISHED, CANCELLED. In a completion nothing can be asked. Any thread. (Specification:
/// basic/patterns/mrtr; client/elicitation.)
///
/// # Safety
/// `call` is NULL or a live handle; `key` is NULL or NUL-terminated; `request_json` is NULL or has
/// `request_len` bytes; the outputs are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_request_input(
    call: *mut Call,
    key: *const c_char,
    request_json: *const c_char,
    request_len: usize,
    answer: *mut *const c_char,
    answer_len: *mut usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, key, request) = unsafe {
            let call = Call::borrow(call)?;
            (call, text::required(key, "key")?, text::raw(request_json, request_len, "request_json")?)
        };
        let given = call
            .core()
            .request_input(key, request)
            .map_err(|fault| text::json_fault(fault, request, "request_json"))?;
        let lent = call.texts().keep_passing(given);
        // SAFETY: as promised by the caller.
        unsafe { give_if_wanted(lent, answer, answer_len) };
        Ok(())
    })
}

/// What the client answered to the question `key`, a JSON object, in this round or an earlier one. Unlike
/// `mcp_call_request_input` it asks nothing, and checks nothing.
///
/// `*answer` is NUL-terminated and borrowed from the call; `len` is in bytes and may be NULL. Errors:
/// NOT_FOUND; ALREADY_FINISHED, CANCELLED. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `key` is NULL or NUL-terminated; the outputs are NULL or may be written
/// to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_input(
    call: *mut Call,
    key: *const c_char,
    answer: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, key, answer) =
            unsafe { (Call::borrow(call)?, text::required(key, "key")?, Output::new(answer, "answer")?) };
        let given = call.core().input(key)?;
        // SAFETY: as promised by the caller.
        unsafe { give(call.texts().keep_passing(given), answer, len) };
        Ok(())
    })
}

/// A string in the client's answer to the question `key`: `name` is that of a member, as "action", or a JSON
/// Pointer into the answer, as "/content/seat".
///
/// `*out` is NUL-terminated and borrowed from the call; `len` is in bytes and may be NULL. Errors: NOT_FOUND
/// if there is no answer, or nothing of that name in it, as in the answer of a user who says no; NULL_VALUE;
/// WRONG_TYPE; a string with a NUL in it is INVALID_ARG if `len` is NULL; ALREADY_FINISHED, CANCELLED. Any
/// thread.
///
/// # Safety
/// `call` is NULL or a live handle; `key` and `name` are NULL or NUL-terminated; the outputs are NULL or may
/// be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_input_string(
    call: *mut Call,
    key: *const c_char,
    name: *const c_char,
    out: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, answer, out) = unsafe { part_getter(call, key, name, out)? };
        let Value::String(text) = answer.part()? else {
            let message = format!("{answer} is no string; mcp_call_input_json gives any value");
            return Err(Fault::new(Status::ErrWrongType, message));
        };
        if len.is_null() && text.as_bytes().contains(&0) {
            let message = format!("{answer} has a NUL in it; ask for its length to read it whole");
            return Err(Fault::new(Status::ErrInvalidArg, message));
        }
        // SAFETY: as promised by the caller.
        unsafe { give(call.texts().keep_passing(text.as_str()), out, len) };
        Ok(())
    })
}

/// A value of any type but null in the client's answer to the question `key`, as JSON text: "true", "42".
///
/// Otherwise as `mcp_call_input_string`. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle; `key` and `name` are NULL or NUL-terminated; the outputs are NULL or may
/// be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_input_json(
    call: *mut Call,
    key: *const c_char,
    name: *const c_char,
    out: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, answer, out) = unsafe { part_getter(call, key, name, out)? };
        answer.part()?;
        let json = answer.content.get_raw(answer.name).unwrap_or_default();
        // SAFETY: as promised by the caller.
        unsafe { give(call.texts().keep_passing(json), out, len) };
        Ok(())
    })
}

/// Ends this round of the call with the questions that were asked, as the return of the handler does: for a
/// handler that finishes later.
///
/// Errors: INVALID_ARG if nothing was asked; ALREADY_FINISHED, CANCELLED. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_finish_input_required(call: *mut Call) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        unsafe { Call::borrow(call)? }.core().finish_input_required()?;
        Ok(())
    })
}

/// A value in an answer.
struct Part<'a> {
    key: &'a str,
    name: &'a str,
    content: Arguments,
}

impl Part<'_> {
    /// The value, which is there and not null.
    fn part(&self) -> Result<&Value, Fault> {
        match self.content.get(self.name) {
            None => Err(Fault::new(Status::ErrNotFound, format!("{self} is not there"))),
            Some(Value::Null) => Err(Fault::new(Status::ErrNullValue, format!("{self} is null"))),
            Some(value) => Ok(value),
        }
    }
}

impl std::fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\" in the answer to \"{}\"", self.name, self.key)
    }
}

/// # Safety
/// `call` is NULL or a live handle; `key` and `name` are NULL or NUL-terminated; `out` is NULL or may be
/// written to.
unsafe fn part_getter<'a>(
    call: *mut Call,
    key: *const c_char,
    name: *const c_char,
    out: *mut *const c_char,
) -> Result<(&'a Call, Part<'a>, Output<*const c_char>), Fault> {
    // SAFETY: as promised by the caller.
    let (call, key, name, out) = unsafe {
        let (call, key) = (Call::borrow(call)?, text::required(key, "key")?);
        (call, key, text::required(name, "name")?, Output::new(out, "out")?)
    };
    let content = Arguments::decode(Some(call.core().input(key)?)).map_err(|fault| {
        Fault::new(Status::ErrWrongType, format!("the answer to \"{key}\" cannot be read: {fault}"))
    })?;
    Ok((call, Part { key, name, content }, out))
}

/// Writes a borrowed text to outputs, each of which may be NULL.
///
/// # Safety
/// The outputs are NULL or may be written to.
unsafe fn give_if_wanted(
    (start, text_len): (*const c_char, usize),
    out: *mut *const c_char,
    len: *mut usize,
) {
    // SAFETY: not NULL, and writable as promised by the caller.
    unsafe {
        if !out.is_null() {
            out.write(start);
        }
        if !len.is_null() {
            len.write(text_len);
        }
    }
}
