//! What a function returned, as the answer to its call.

use std::sync::Arc;

use mcp_core::call::invocation::Call;
use mcp_core::call::subject::Subject;
use mcp_core::host_error::HostError;
use mcp_core::protocol::content::ContentBlock;
use mcp_core::protocol::error::ErrorCode;
use mcp_core::protocol::resource_contents::ResourceContents;
use mcp_core::runtime::library_log;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::function::{Function, ResultKind};
use crate::guarded_call;
use crate::json_write;

/// A longer text is not copied: its object is kept instead, though that is dropped later.
const WORTH_KEEPING: usize = 16 << 10;

/// How a call ends. Made with the GIL, given without.
pub enum Answer {
    /// A text.
    Text(String),
    /// A text that is long.
    LongText(PyBackedStr),
    /// The bytes of a resource.
    Blob(PyBackedBytes),
    /// Structured content, JSON.
    Structured(Vec<u8>),
    /// A whole result, JSON.
    Whole(Vec<u8>),
    /// What the model can mend.
    ToolError(String),
    /// A JSON-RPC error.
    Error {
        /// Its code.
        code: i32,
        /// What it says.
        message: String,
        /// Its data, JSON.
        data: Option<Vec<u8>>,
    },
    /// There is no such resource.
    NotFound,
    /// The call's own end: what it asked its client, or -32603.
    None,
}

impl Answer {
    /// The answer that `value` is to a call of `function`.
    pub fn of_value(call: &Call, function: &Function, value: &Bound<'_, PyAny>) -> PyResult<Answer> {
        match call.subject() {
            Subject::Tool(_) => of_tool(function, value),
            Subject::Prompt(_) => whole(value, "prompt_result", None),
            Subject::Resource(contract, uri) => of_resource(value, uri, contract.mime_type.as_deref()),
            Subject::Completion(_) => whole(value, "completion_result", None),
        }
    }

    /// Whether the function failed.
    pub fn is_failure(&self) -> bool {
        matches!(self, Answer::ToolError(_) | Answer::Error { .. } | Answer::NotFound | Answer::None)
    }

    /// Ends `call` with it. A fault of the answer's own goes to the log; the peer is told that there is none.
    pub fn give(self, call: &Arc<Call>) {
        let given = match &self {
            Answer::Text(text) => call.finish_text(text),
            Answer::LongText(text) => call.finish_text(text),
            Answer::Blob(bytes) => blob(call, bytes),
            Answer::Structured(json) => call.set_structured(json).and_then(|()| call.finish()),
            Answer::Whole(json) => call.finish_json(json),
            Answer::ToolError(message) => call.finish_tool_error(message),
            Answer::Error { code, message, data } => {
                call.finish_error(ErrorCode(*code), message, data.as_deref())
            }
            Answer::NotFound => call.finish_not_found(),
            Answer::None => Ok(()),
        };
        match given {
            Ok(()) | Err(HostError::Cancelled | HostError::AlreadyFinished | HostError::InputRequired(_)) => {
            }
            Err(fault) => {
                library_log::error(format_args!("{}: {fault}", call.subject()));
                let _ = call.finish_tool_error(&format!("{} failed to produce a result", call.subject()));
            }
        }
    }
}

fn of_tool(function: &Function, value: &Bound<'_, PyAny>) -> PyResult<Answer> {
    match function.result {
        ResultKind::Structured if is_builtin(value) => {
            return json_write::text(value).map(Answer::Structured);
        }
        ResultKind::Dump if !is_of_this_package(value)? => {
            if let Some(dump) = &function.dump {
                let py = value.py();
                let json = guarded_call::call(dump.bind(py), &(value,).into_pyobject(py)?, None)?;
                return Ok(Answer::Structured(json.cast::<PyBytes>()?.as_bytes().to_vec()));
            }
        }
        _ => {}
    }
    if let Ok(text) = value.cast_exact::<PyString>() {
        return of_text(text);
    }
    let plain = match value.cast_exact::<PyList>() {
        Ok(list) => list.iter().all(|item| is_builtin(&item)),
        Err(_) => match value.cast_exact::<PyTuple>() {
            Ok(tuple) => tuple.iter().all(|item| is_builtin(&item)),
            Err(_) => is_builtin(value) && !value.is_none(),
        },
    };
    if plain { json_write::text(value).map(Answer::Structured) } else { whole(value, "tool_result", None) }
}

fn of_resource(value: &Bound<'_, PyAny>, uri: &str, mime_type: Option<&str>) -> PyResult<Answer> {
    if let Ok(text) = value.cast_exact::<PyString>() {
        return of_text(text);
    }
    if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        return Ok(Answer::Blob(bytes.clone().into()));
    }
    whole(value, "read_result", Some((uri, mime_type)))
}

fn of_text(text: &Bound<'_, PyString>) -> PyResult<Answer> {
    let read = text.to_str()?;
    if read.len() > WORTH_KEEPING {
        return Ok(Answer::LongText(PyBackedStr::try_from(text.clone())?));
    }
    Ok(Answer::Text(read.to_owned()))
}

/// A whole result, which `libmcp.results` makes of the value.
fn whole(value: &Bound<'_, PyAny>, maker: &str, of: Option<(&str, Option<&str>)>) -> PyResult<Answer> {
    static MAKERS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let maker = guarded_call::imported(py, &MAKERS, "libmcp.results", "MAKERS")?.get_item(maker)?;
    let arguments = match of {
        None => (value,).into_pyobject(py)?,
        Some((uri, mime_type)) => (value, uri, mime_type).into_pyobject(py)?,
    };
    json_write::text(&guarded_call::call(&maker, &arguments, None)?).map(Answer::Whole)
}

fn blob(call: &Call, bytes: &[u8]) -> Result<(), HostError> {
    let contents = ResourceContents::Blob(bytes);
    call.add_content(ContentBlock::Resource { uri: call.name(), mime_type: None, contents })?;
    call.finish()
}

/// Whether JSON has a value like this one. What its parts are shows when it is written.
fn is_builtin(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyDict>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyTuple>()
        || value.is_none()
}

/// Whether the value is a content block or a result of the package's own, whatever the signature says.
fn is_of_this_package(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (kind, name) = (value.get_type(), pyo3::intern!(value.py(), "__libmcp_result__"));
    guarded_call::guarded(|| kind.hasattr(name))
}
