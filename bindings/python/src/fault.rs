//! The core's errors as exceptions of `libmcp.errors`.

use mcp_core::host_error::HostError;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The exception for a failure of the core.
pub fn exception(py: Python<'_>, fault: &HostError) -> PyErr {
    raise(py, class_name(fault), &fault.to_string())
}

/// An exception of `libmcp.errors`, by the name of its class.
pub fn raise(py: Python<'_>, class: &str, message: &str) -> PyErr {
    match self::class(py, class) {
        Ok(class) => PyErr::from_type(class, (message.to_owned(),)),
        Err(fault) => fault,
    }
}

/// A class of `libmcp.errors`.
pub fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    // Imported with the package, before anything can fail.
    Ok(py.import("libmcp.errors")?.getattr(name)?.cast_into::<PyType>()?)
}

fn class_name(fault: &HostError) -> &'static str {
    match fault {
        HostError::InvalidArgument(_) | HostError::InvalidJson(_) => "InvalidArgument",
        HostError::InvalidSchema(_) => "InvalidSchema",
        HostError::NotFound(_) => "NotFound",
        HostError::InvalidResult(_) => "InvalidResult",
        HostError::AlreadyFinished | HostError::Cancelled => "CallEnded",
        HostError::Busy(_) => "Busy",
        HostError::Io(_) => "TransportError",
        HostError::Deadlock(_) => "Deadlock",
        HostError::Forked | HostError::ShutDown => "ServerClosed",
        HostError::InputRequired(_) => "InputRequired",
        HostError::MissingCapability(_) => "MissingCapability",
        HostError::CallFailed(_) => "CallFailed",
    }
}
