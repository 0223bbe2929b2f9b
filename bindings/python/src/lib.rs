//! The extension module `libmcp._libmcp`: the core as the package `libmcp` uses it.

mod attachment;
mod endpoint;
mod engine;
mod exchange;
mod fault;
mod http_config;
mod loop_queue;

use pyo3::prelude::*;

/// The core of libmcp. Use the package `libmcp`: what is here may change with any release.
#[pymodule(gil_used = true)]
mod _libmcp {
    #[pymodule_export]
    use crate::endpoint::Endpoint;
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::exchange::Exchange;
    #[pymodule_export]
    use crate::loop_queue::PyLoopQueue;
}
