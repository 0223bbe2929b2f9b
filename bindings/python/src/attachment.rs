//! What an ASGI request takes along to the handlers of the calls that it makes.

use std::sync::Arc;

use mcp_core::call::request::RequestContext;
use pyo3::prelude::*;

use crate::loop_queue::LoopQueue;

/// Attached to an `ExchangeRequest`; inherited by the calls in process of its handlers.
pub struct Attachment {
    /// What `Context.request` is: the scope.
    pub request: Py<PyAny>,
    /// The `contextvars.Context` of the request: handlers run in copies of it.
    pub context: Py<PyAny>,
    /// The loop of the request, on which its coroutines run.
    pub queue: Arc<LoopQueue>,
}

impl Attachment {
    /// What came with a request, if it came that way.
    pub fn of(context: &RequestContext) -> Option<&Attachment> {
        context.attachment()?.downcast_ref()
    }
}
