//! Objects of Python as JSON: what the language has built in is written here, without a step in between.

use mcp_core::protocol::json_write;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::guarded_call;

/// Containers within containers. What is deeper contains itself, most likely.
const MAX_DEPTH: usize = 200;

/// The JSON text of `value`.
pub fn text(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let mut out = Vec::with_capacity(128);
    append(value, &mut out, 0)?;
    Ok(out)
}

fn append(value: &Bound<'_, PyAny>, out: &mut Vec<u8>, depth: usize) -> PyResult<()> {
    if depth > MAX_DEPTH {
        return Err(PyValueError::new_err(format!(
            "a value is nested more than {MAX_DEPTH} levels deep; perhaps it contains itself"
        )));
    }
    if let Ok(text) = value.cast::<PyString>() {
        json_write::string(out, text.to_str()?);
    } else if value.is_none() {
        out.extend_from_slice(b"null");
    } else if let Ok(value) = value.cast::<PyBool>() {
        out.extend_from_slice(if value.is_true() { b"true" } else { b"false" });
    } else if let Ok(value) = value.cast::<PyInt>() {
        append_integer(value, out)?;
    } else if let Ok(value) = value.cast::<PyFloat>() {
        append_float(value.value(), out)?;
    } else if let Ok(dict) = value.cast::<PyDict>() {
        append_object(dict, out, depth)?;
    } else if let Ok(list) = value.cast::<PyList>() {
        append_array(list.iter(), out, depth)?;
    } else if let Ok(tuple) = value.cast::<PyTuple>() {
        append_array(tuple.iter(), out, depth)?;
    } else {
        static SIMPLER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let simpler = guarded_call::imported(value.py(), &SIMPLER, "libmcp.results", "simpler")?;
        let value = guarded_call::call(simpler, &(value,).into_pyobject(value.py())?, None)?;
        append(&value, out, depth + 1)?;
    }
    Ok(())
}

fn append_array<'py>(
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    out: &mut Vec<u8>,
    depth: usize,
) -> PyResult<()> {
    out.push(b'[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        append(&item, out, depth + 1)?;
    }
    out.push(b']');
    Ok(())
}

fn append_object(dict: &Bound<'_, PyDict>, out: &mut Vec<u8>, depth: usize) -> PyResult<()> {
    let py = dict.py();
    let size = dict.len();
    let mut position = 0;
    let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
    out.push(b'{');
    // What a value makes of itself is code that may change the dict, as may other threads meanwhile.
    // SAFETY: the thread is attached, and the dict is one.
    while unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut position, &raw mut key, &raw mut value) } != 0 {
        // SAFETY: the dict, which nothing has changed since, has both.
        let (key, value) =
            unsafe { (Bound::from_borrowed_ptr(py, key), Bound::from_borrowed_ptr(py, value)) };
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        append_key(&key, out)?;
        out.push(b':');
        append(&value, out, depth + 1)?;
        if dict.len() != size {
            return Err(PyRuntimeError::new_err("a dict changed its size while it was written as JSON"));
        }
    }
    out.push(b'}');
    Ok(())
}

/// Keys are what `json.dumps` takes for keys, and enumerations of them.
fn append_key(key: &Bound<'_, PyAny>, out: &mut Vec<u8>) -> PyResult<()> {
    if let Ok(text) = key.cast::<PyString>() {
        json_write::string(out, text.to_str()?);
        return Ok(());
    }
    let mut written = Vec::new();
    if key.is_none() || key.cast::<PyInt>().is_ok() || key.cast::<PyFloat>().is_ok() {
        append(key, &mut written, 0)?;
    } else {
        return Err(PyTypeError::new_err(format!(
            "a key of a dict is a {}, which JSON cannot have as the name of a member; make it a str",
            key.get_type().qualname()?
        )));
    }
    json_write::string(out, &String::from_utf8_lossy(&written));
    Ok(())
}

fn append_integer(value: &Bound<'_, PyInt>, out: &mut Vec<u8>) -> PyResult<()> {
    let mut overflow = 0;
    // SAFETY: the value is an int, so that this neither fails nor runs code.
    let number = unsafe { ffi::PyLong_AsLongLongAndOverflow(value.as_ptr(), &mut overflow) };
    if overflow == 0 {
        json_write::integer(out, number);
        return Ok(());
    }
    // Of a subclass, as an enumeration, the digits are wanted and not the name.
    let digits = value.py().get_type::<PyInt>().getattr("__repr__")?.call1((value,))?;
    out.extend_from_slice(digits.cast::<PyString>()?.to_str()?.as_bytes());
    Ok(())
}

fn append_float(value: f64, out: &mut Vec<u8>) -> PyResult<()> {
    match serde_json::to_string(&value) {
        Ok(text) if value.is_finite() => {
            out.extend_from_slice(text.as_bytes());
            Ok(())
        }
        _ => Err(PyValueError::new_err(format!("{value} is no number of JSON"))),
    }
}
