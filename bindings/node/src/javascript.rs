//! The few things that delivering needs of the JavaScript engine, by its own C interface: they are done for each call.

use std::ffi::{c_char, c_void};
use std::ptr;

use napi::sys;

use crate::fault::{Result, invalid};

/// An environment, on its own thread.
pub struct Scope(sys::napi_env);

/// A value, good until the scope that was current when it was made is left.
pub type Value = sys::napi_value;

/// JavaScript cannot run here: the thread is being ended, or it threw, which was cleared.
pub struct Failed;

impl Scope {
    /// The environment `env`, on whose thread the caller is.
    pub fn new(env: sys::napi_env) -> Self {
        Scope(env)
    }

    /// Runs `run`; the values that it makes are free to go afterwards.
    pub fn within<T>(&self, run: impl FnOnce() -> T) -> T {
        let mut scope = ptr::null_mut();
        // SAFETY: on the environment's own thread.
        let opened = unsafe { sys::napi_open_handle_scope(self.0, &mut scope) };
        let result = run();
        if opened == sys::Status::napi_ok {
            // SAFETY: scopes nest as calls do, and this one was opened here.
            unsafe { sys::napi_close_handle_scope(self.0, scope) };
        }
        result
    }

    /// A string of UTF-8 text.
    pub fn text(&self, text: &[u8]) -> Result<Value> {
        if text.is_ascii() {
            // The engine need not decode anything.
            return self.latin1(text);
        }
        let (mut value, length) = (ptr::null_mut(), length_of(text)?);
        // SAFETY: on the environment's own thread; the pointer and the length are those of `text`, which the engine
        // copies.
        let status =
            unsafe { sys::napi_create_string_utf8(self.0, text.as_ptr().cast(), length, &mut value) };
        made(status, value, "a string")
    }

    /// A string with a character for each byte.
    pub fn latin1(&self, text: &[u8]) -> Result<Value> {
        let (mut value, length) = (ptr::null_mut(), length_of(text)?);
        // SAFETY: as in `text`.
        let status =
            unsafe { sys::napi_create_string_latin1(self.0, text.as_ptr().cast(), length, &mut value) };
        made(status, value, "a string")
    }

    /// A number.
    pub fn number(&self, number: u32) -> Result<Value> {
        let mut value = ptr::null_mut();
        // SAFETY: on the environment's own thread.
        let status = unsafe { sys::napi_create_uint32(self.0, number, &mut value) };
        made(status, value, "a number")
    }

    /// A Buffer with a copy of `bytes`.
    pub fn buffer(&self, bytes: &[u8]) -> Result<Value> {
        let (mut value, mut place) = (ptr::null_mut(), ptr::null_mut());
        let start = bytes.as_ptr().cast::<c_void>();
        // SAFETY: on the environment's own thread; the pointer and the length are those of `bytes`.
        let status =
            unsafe { sys::napi_create_buffer_copy(self.0, bytes.len(), start, &mut place, &mut value) };
        made(status, value, "a buffer")
    }

    /// An array of `values`.
    pub fn array(&self, values: &[Value]) -> Result<Value> {
        let mut array = ptr::null_mut();
        // SAFETY: on the environment's own thread.
        let status = unsafe { sys::napi_create_array_with_length(self.0, values.len(), &mut array) };
        made(status, array, "an array")?;
        for (index, value) in (0..).zip(values) {
            // SAFETY: on the environment's own thread; both values are of this scope.
            let status = unsafe { sys::napi_set_element(self.0, array, index, *value) };
            made(status, array, "an array")?;
        }
        Ok(array)
    }

    /// Calls a function. What it throws is cleared.
    pub fn call(&self, function: &Function, arguments: &[Value]) -> Result<Value, Failed> {
        let (mut callee, mut this, mut result) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: on the environment's own thread; the reference is of this environment and never deleted; the
        // arguments are values of this scope.
        let status = unsafe {
            sys::napi_get_reference_value(self.0, function.0, &mut callee);
            sys::napi_get_undefined(self.0, &mut this);
            sys::napi_call_function(self.0, this, callee, arguments.len(), arguments.as_ptr(), &mut result)
        };
        if status == sys::Status::napi_ok {
            return Ok(result);
        }
        let mut thrown = ptr::null_mut();
        // SAFETY: on the environment's own thread. An exception that stays pending would end the process.
        unsafe { sys::napi_get_and_clear_last_exception(self.0, &mut thrown) };
        Err(Failed)
    }

    /// The text of a string; nothing of any other value.
    pub fn read_text(&self, value: Value) -> Option<Vec<u8>> {
        let mut length = 0;
        // SAFETY: on the environment's own thread; without a buffer, the engine tells the length alone.
        let status =
            unsafe { sys::napi_get_value_string_utf8(self.0, value, ptr::null_mut(), 0, &mut length) };
        if status != sys::Status::napi_ok {
            return None;
        }
        // The engine writes a NUL behind the text.
        let mut text = Vec::<u8>::with_capacity(length + 1);
        let mut written = 0;
        // SAFETY: the buffer has room for the text and its NUL, and `written` bytes of it were initialized.
        unsafe {
            let start = text.as_mut_ptr().cast::<c_char>();
            sys::napi_get_value_string_utf8(self.0, value, start, length + 1, &mut written);
            text.set_len(written);
        }
        Some(text)
    }
}

/// A function that is kept as long as its environment lives. It is called on that environment's thread only.
pub struct Function(sys::napi_ref);

impl Function {
    /// Keeps `function`, a value of `env`.
    pub fn keep(env: sys::napi_env, function: Value) -> Result<Function> {
        let mut reference = ptr::null_mut();
        // SAFETY: on the environment's own thread; the value is of the current scope.
        let status = unsafe { sys::napi_create_reference(env, function, 1, &mut reference) };
        if status != sys::Status::napi_ok {
            return Err(invalid(format!("cannot keep a function (status {status})")));
        }
        Ok(Function(reference))
    }
}

fn length_of(text: &[u8]) -> Result<isize> {
    isize::try_from(text.len()).map_err(|_| invalid("the text is too long"))
}

fn made(status: sys::napi_status, value: Value, what: &str) -> Result<Value> {
    if status == sys::Status::napi_ok {
        return Ok(value);
    }
    Err(invalid(format!("the JavaScript engine cannot make {what} (status {status})")))
}
