//! The arguments of a call as those of a function.

use mcp_core::call::invocation::Call;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt};
use serde_json::Value;

use crate::function::{Function, Parameter, ParameterKind};
use crate::guarded_call;
use crate::json_read::{self, ReadFault};

/// Why a function cannot be called.
pub enum ArgumentFault {
    /// A converter refused what the client sent.
    Refused(String, PyErr),
    /// Something else.
    Failed(PyErr),
}

impl From<PyErr> for ArgumentFault {
    fn from(fault: PyErr) -> Self {
        ArgumentFault::Failed(fault)
    }
}

/// The keyword arguments for `function`. An argument that the client left out is left to its default.
pub fn keywords<'py>(
    py: Python<'py>,
    function: &Function,
    call: &Call,
    context: impl Fn() -> PyResult<Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyDict>, ArgumentFault> {
    let source = Source { call, slow: None };
    match fill(py, function, &source, &context) {
        Err(Fault::NeedsText) => {
            let slow =
                json_read::slowly(py, call.arguments().raw())?.cast_into::<PyDict>().map_err(PyErr::from)?;
            match fill(py, function, &Source { call, slow: Some(slow) }, &context) {
                Ok(keywords) => Ok(keywords),
                Err(Fault::Argument(fault)) => Err(fault),
                Err(Fault::NeedsText) => {
                    Err(ArgumentFault::Failed(PyValueError::new_err("the arguments cannot be read")))
                }
            }
        }
        Err(Fault::Argument(fault)) => Err(fault),
        Ok(keywords) => Ok(keywords),
    }
}

enum Fault {
    NeedsText,
    Argument(ArgumentFault),
}

impl From<ReadFault> for Fault {
    fn from(fault: ReadFault) -> Self {
        match fault {
            ReadFault::NeedsText => Fault::NeedsText,
            ReadFault::Python(fault) => fault.into(),
        }
    }
}

impl From<PyErr> for Fault {
    fn from(fault: PyErr) -> Self {
        Fault::Argument(ArgumentFault::Failed(fault))
    }
}

/// Where the values come from: what the core decoded, or Python's own reader where that does not have everything.
struct Source<'a, 'py> {
    call: &'a Call,
    slow: Option<Bound<'py, PyDict>>,
}

impl<'a, 'py> Source<'a, 'py> {
    fn decoded(&self, argument: &str) -> Option<&'a Value> {
        self.call.arguments().decoded().get(argument)
    }

    fn object(&self, py: Python<'py>, argument: &str, decoded: &Value) -> Result<Bound<'py, PyAny>, Fault> {
        if let Some(slow) = &self.slow {
            return Ok(slow.as_any().get_item(argument)?);
        }
        Ok(json_read::object(py, decoded)?)
    }
}

fn fill<'py>(
    py: Python<'py>,
    function: &Function,
    source: &Source<'_, 'py>,
    context: &impl Fn() -> PyResult<Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyDict>, Fault> {
    let keywords = PyDict::new(py);
    for parameter in &function.parameters {
        let value = match parameter.kind {
            ParameterKind::Context => context()?,
            ParameterKind::Rest => {
                fill_rest(py, function, source, &keywords)?;
                continue;
            }
            _ => match source.decoded(&parameter.argument) {
                Some(decoded) => argument(py, parameter, source, decoded)?,
                None => continue,
            },
        };
        keywords.set_item(&parameter.keyword, value)?;
    }
    Ok(keywords)
}

fn argument<'py>(
    py: Python<'py>,
    parameter: &Parameter,
    source: &Source<'_, 'py>,
    decoded: &Value,
) -> Result<Bound<'py, PyAny>, Fault> {
    let name = &parameter.argument;
    match (parameter.kind, decoded) {
        (ParameterKind::Int, Value::Number(number)) if number.is_f64() => {
            let object = source.object(py, name, decoded)?;
            if object.cast::<PyInt>().is_ok() {
                return Ok(object);
            }
            // SAFETY: the thread is attached. The schema lets only whole numbers through: this is NULL for others.
            Ok(unsafe {
                Bound::from_owned_ptr_or_err(py, ffi::PyLong_FromDouble(number.as_f64().unwrap_or(f64::NAN)))
            }?)
        }
        (ParameterKind::Float, Value::Number(number)) => {
            Ok(PyFloat::new(py, number.as_f64().unwrap_or(f64::NAN)).into_any())
        }
        (ParameterKind::Convert, _) => {
            let object = source.object(py, name, decoded)?;
            convert(parameter, object)
        }
        (ParameterKind::ConvertJson, _) => {
            let raw = source.call.arguments().get_raw(name).unwrap_or_default();
            convert(parameter, PyBytes::new(py, &raw).into_any())
        }
        _ => source.object(py, name, decoded),
    }
}

fn convert<'py>(parameter: &Parameter, value: Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Fault> {
    let py = value.py();
    let Some(convert) = &parameter.convert else { return Ok(value) };
    let converted = guarded_call::call(convert.bind(py), &(value,).into_pyobject(py)?, None);
    converted.map_err(|fault| Fault::Argument(ArgumentFault::Refused(parameter.argument.clone(), fault)))
}

fn fill_rest<'py>(
    py: Python<'py>,
    function: &Function,
    source: &Source<'_, 'py>,
    keywords: &Bound<'py, PyDict>,
) -> Result<(), Fault> {
    let taken = |name: &str| function.parameters.iter().any(|parameter| parameter.argument == name);
    let Value::Object(members) = source.call.arguments().decoded() else { return Ok(()) };
    for (name, value) in members.iter().filter(|(name, _)| !taken(name)) {
        keywords.set_item(name, source.object(py, name, value)?)?;
    }
    Ok(())
}
