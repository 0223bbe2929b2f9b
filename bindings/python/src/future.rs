//! Futures of asyncio.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::guarded_call;

/// Ends a future, on the thread of its loop, unless it has ended.
pub fn end(future: &Bound<'_, PyAny>, result: PyResult<Bound<'_, PyAny>>) -> PyResult<()> {
    let py = future.py();
    if guarded_call::method(future, "done", &PyTuple::empty(py))?.is_truthy()? {
        return Ok(());
    }
    match result {
        Ok(value) => guarded_call::method(future, "set_result", &(value,).into_pyobject(py)?)?,
        Err(raised) => {
            guarded_call::method(future, "set_exception", &(raised.into_value(py),).into_pyobject(py)?)?
        }
    };
    Ok(())
}
