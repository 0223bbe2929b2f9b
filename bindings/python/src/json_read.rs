//! JSON as objects of Python.

use mcp_core::protocol::json_decode;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};
use serde_json::{Number, Value};

use crate::guarded_call;

/// Why a decoded value does not become an object.
pub enum ReadFault {
    /// An integer that the core has only as a float, or members, whose order it does not keep: the text has everything,
    /// see [`slowly`].
    NeedsText,
    /// Python refused.
    Python(PyErr),
}

impl From<PyErr> for ReadFault {
    fn from(fault: PyErr) -> Self {
        ReadFault::Python(fault)
    }
}

/// A decoded value as an object.
pub fn object<'py>(py: Python<'py>, value: &Value) -> Result<Bound<'py, PyAny>, ReadFault> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Number(value) => number(py, value)?,
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(object(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(members) if members.is_empty() => PyDict::new(py).into_any(),
        Value::Object(_) => return Err(ReadFault::NeedsText),
    })
}

/// The object of a JSON text.
pub fn text<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let value = json_decode::decode(json).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    match object(py, &value) {
        Ok(object) => Ok(object),
        Err(ReadFault::NeedsText) => slowly(py, json),
        Err(ReadFault::Python(fault)) => Err(fault),
    }
}

/// The object of a JSON text, by Python's own reader, which knows integers of any size and keeps the order of members.
pub fn slowly<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let loads = guarded_call::imported(py, &LOADS, "json", "loads")?;
    guarded_call::call(loads, &(PyBytes::new(py, json),).into_pyobject(py)?, None)
}

fn number<'py>(py: Python<'py>, value: &Number) -> Result<Bound<'py, PyAny>, ReadFault> {
    if let Some(value) = value.as_i64() {
        return Ok(PyInt::new(py, value).into_any());
    }
    if let Some(value) = value.as_u64() {
        return Ok(PyInt::new(py, value).into_any());
    }
    let value = value.as_f64().unwrap_or(f64::NAN);
    if value.abs() >= BIG {
        return Err(ReadFault::NeedsText);
    }
    Ok(PyFloat::new(py, value).into_any())
}

/// From here on a float may stand for an integer that is too long for one.
const BIG: f64 = 9.2e18;
