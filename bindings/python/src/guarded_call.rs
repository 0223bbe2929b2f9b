//! Calls of Python code that may last: the interpreter can end meanwhile, and ends its threads by an unwinding that
//! must not pass through Rust, whose values would be dropped by it without the GIL. Such a thread stays where it is instead, as Python 3.14 has it.

use pyo3::exceptions::PySystemError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};

unsafe extern "C-unwind" {
    /// As `pyo3::ffi` has it, but for the unwinding.
    fn PyObject_Call(
        callable: *mut ffi::PyObject,
        arguments: *mut ffi::PyObject,
        keywords: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
}

/// Calls `callable`.
pub fn call<'py>(
    callable: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let stay = StayHere;
    let keywords = keywords.map_or(std::ptr::null_mut(), |keywords| keywords.as_ptr());
    // SAFETY: the thread is attached, as the bound values show, and they outlive the call.
    let returned = unsafe { PyObject_Call(callable.as_ptr(), arguments.as_ptr(), keywords) };
    std::mem::forget(stay);
    // SAFETY: a new reference, or NULL with an exception set.
    let value = unsafe { Bound::from_owned_ptr_or_opt(callable.py(), returned) };
    value.ok_or_else(|| {
        PyErr::take(callable.py())
            .unwrap_or_else(|| PySystemError::new_err("a call failed without saying why"))
    })
}

/// Calls a method.
pub fn method<'py>(
    object: &Bound<'py, PyAny>,
    name: &str,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    call(&object.getattr(name)?, arguments, None)
}

/// What a module has, imported once.
pub fn imported<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    module: &str,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    let found = cell.get_or_try_init(py, || {
        let import = py.import("builtins")?.getattr("__import__")?;
        // With a list of names it returns the module itself, and not the package around it.
        let arguments = (module, py.None(), py.None(), (name,)).into_pyobject(py)?;
        call(&import, &arguments, None)?.getattr(name).map(Bound::unbind)
    });
    found.map(|found| found.bind(py))
}

/// Runs `run`, amid which the interpreter may end too.
pub fn guarded<R>(run: impl FnOnce() -> R) -> R {
    let stay = StayHere;
    let returned = run();
    std::mem::forget(stay);
    returned
}

/// Drops what is a program's own: its finalizer may last.
pub fn let_go(own: Bound<'_, PyAny>) {
    guarded(|| drop(own));
}

/// The same for an exception, which has with its traceback all that its functions had. An error of `PyO3` has several
/// parts, and an unwinding from one would drop the others.
pub fn let_go_of(py: Python<'_>, raised: PyErr) {
    let_go(raised.into_value(py).into_bound(py).into_any());
}

/// An attribute that may be computed.
pub fn attribute<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| object.getattr(name))
}

/// Stays where an unwinding comes from Python. One of Rust's, a panic, goes on.
struct StayHere;

impl Drop for StayHere {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        loop {
            std::thread::park();
        }
    }
}
