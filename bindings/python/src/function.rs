//! A function of Python that handles calls, and what its signature says: how it takes arguments and what it returns.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A function and its signature.
pub struct Function {
    /// What is called.
    pub callable: Py<PyAny>,
    /// What it takes, all by keyword.
    pub parameters: Vec<Parameter>,
    /// What it returns.
    pub result: ResultKind,
    /// For [`ResultKind::Dump`]: makes JSON, as bytes, of the value.
    pub dump: Option<Py<PyAny>>,
    /// Whether it is a coroutine function.
    pub is_async: bool,
}

/// A parameter of a function.
pub struct Parameter {
    /// Its keyword.
    pub keyword: Py<PyString>,
    /// The name of the argument in the protocol.
    pub argument: String,
    /// How it gets its value.
    pub kind: ParameterKind,
    /// For the two kinds that convert.
    pub convert: Option<Py<PyAny>>,
}

/// How a parameter gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// The value as it is.
    Plain,
    /// A number without a fraction, as an `int`.
    Int,
    /// A number, as a `float`.
    Float,
    /// What `convert` makes of the value.
    Convert,
    /// What `convert` makes of the value's JSON text.
    ConvertJson,
    /// The `Context` of the call.
    Context,
    /// All arguments that no other parameter takes.
    Rest,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// A text.
    Text,
    /// Structured content that the extension writes.
    Structured,
    /// Structured content that `dump` writes.
    Dump,
    /// As the value shows.
    Auto,
}

/// Keyword, argument, kind and converter.
type ParameterTuple = (Py<PyString>, String, u8, Option<Py<PyAny>>);

/// The function as `libmcp.server` has it.
#[pyclass(name = "Function", module = "libmcp._libmcp", frozen)]
pub struct PyFunction(pub Arc<Function>);

#[pymethods]
impl PyFunction {
    /// `parameters` are tuples of keyword, argument, kind and converter, `result` is the kind of the result: the numbers
    /// are those of `libmcp.signature`.
    #[new]
    #[pyo3(signature = (callable, parameters, result, dump, is_async))]
    fn new(
        callable: Py<PyAny>,
        parameters: Vec<ParameterTuple>,
        result: u8,
        dump: Option<Py<PyAny>>,
        is_async: bool,
    ) -> PyResult<Self> {
        let parameters = parameters
            .into_iter()
            .map(|(keyword, argument, kind, convert)| {
                Ok(Parameter { keyword, argument, kind: parameter_kind(kind)?, convert })
            })
            .collect::<PyResult<_>>()?;
        let result = result_kind(result)?;
        Ok(PyFunction(Arc::new(Function { callable, parameters, result, dump, is_async })))
    }
}

fn parameter_kind(number: u8) -> PyResult<ParameterKind> {
    use ParameterKind::{Context, Convert, ConvertJson, Float, Int, Plain, Rest};
    let kinds = [Plain, Int, Float, Convert, ConvertJson, Context, Rest];
    kinds.get(usize::from(number)).copied().ok_or_else(|| no_kind("parameter", number))
}

fn result_kind(number: u8) -> PyResult<ResultKind> {
    use ResultKind::{Auto, Dump, Structured, Text};
    [Text, Structured, Dump, Auto].get(usize::from(number)).copied().ok_or_else(|| no_kind("result", number))
}

fn no_kind(what: &str, number: u8) -> PyErr {
    PyValueError::new_err(format!("{number} is no kind of {what}"))
}
