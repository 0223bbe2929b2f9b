//! What a function raised, as the answer to its call. Only what its author meant for the peer goes there.

use mcp_core::call::invocation::Call;
use mcp_core::call::subject::Subject;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};

use crate::answer::Answer;
use crate::arguments::ArgumentFault;
use crate::fault;
use crate::guarded_call;
use crate::json_write;

/// The answer to a call whose function raised `raised`.
pub fn answer(py: Python<'_>, call: &Call, raised: &PyErr) -> Answer {
    told(py, call, raised).unwrap_or_else(|second| {
        // The exception itself is broken, as one whose __str__ raises.
        let told = report(py, call, &second);
        told.unwrap_or_else(|_| Answer::ToolError(plain(call)))
    })
}

/// The answer to a call whose arguments do not fit.
pub fn argument_answer(py: Python<'_>, call: &Call, fault: ArgumentFault) -> Answer {
    match fault {
        ArgumentFault::Refused(argument, raised) if raised.is_instance_of::<PyValueError>(py) => {
            let what = raised.value(py).to_string();
            Answer::ToolError(format!("{}: the argument \"{argument}\": {what}", call.subject()))
        }
        ArgumentFault::Refused(_, raised) | ArgumentFault::Failed(raised) => answer(py, call, &raised),
    }
}

fn told(py: Python<'_>, call: &Call, raised: &PyErr) -> PyResult<Answer> {
    let is = |name: &str| -> PyResult<bool> { Ok(raised.is_instance(py, class(py, name)?.as_any())) };
    let value = raised.value(py);
    if is("McpError")? {
        if is("ToolError")? {
            return Ok(Answer::ToolError(shown(value)?));
        }
        if is("ProtocolError")? {
            let part = |name| guarded_call::attribute(value, name);
            let data = part(intern!(py, "data"))?;
            return Ok(Answer::Error {
                code: part(intern!(py, "code"))?.extract()?,
                message: shown(&part(intern!(py, "message"))?)?,
                data: if data.is_none() { None } else { Some(json_write::text(&data)?) },
            });
        }
        if is("NotFound")? && matches!(call.subject(), Subject::Resource(..)) {
            return Ok(Answer::NotFound);
        }
        if is("MissingCapability")? || is("CallEnded")? {
            return Ok(Answer::None);
        }
    } else if is("InputRequired")? || call.is_cancelled() {
        return Ok(Answer::None);
    }
    report(py, call, raised)
}

/// Logs an exception, with its traceback, and tells the peer that there was one.
fn report(py: Python<'_>, call: &Call, raised: &PyErr) -> PyResult<Answer> {
    static REPORT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let report = guarded_call::imported(py, &REPORT, "libmcp.failures", "report")?;
    // Before Python 3.12 an exception that was caught here has its traceback beside itself; so the value has it too.
    let with_traceback = raised.clone_ref(py).into_value(py);
    let arguments = (call.subject().to_string(), with_traceback).into_pyobject(py)?;
    let sentence: String = guarded_call::call(report, &arguments, None)?.extract()?;
    Ok(Answer::ToolError(sentence))
}

/// The text of a value, which its own class may make.
fn shown(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    guarded_call::call(py.get_type::<PyString>().as_any(), &(value,).into_pyobject(py)?, None)?.extract()
}

fn plain(call: &Call) -> String {
    format!("{} failed", call.subject())
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    fault::class(py, name)
}
