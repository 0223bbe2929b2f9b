//! What stands behind a tool, a prompt, a resource or a completion: something that takes a call and finishes it.

use std::sync::Arc;

use super::invocation::Call;

/// The code behind whatever is called.
///
/// It may finish the call before it returns, or keep a clone of the [`Arc`] and finish later from any
/// thread. A call that is dropped unfinished is answered with `-32603`.
pub trait Handler: Send + Sync + 'static {
    /// Takes a call.
    fn handle(&self, call: &Arc<Call>);
}

impl<F: Fn(&Arc<Call>) + Send + Sync + 'static> Handler for F {
    fn handle(&self, call: &Arc<Call>) {
        self(call);
    }
}

/// Where a handler runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dispatch {
    /// On a thread of the handler pool: it may block.
    #[default]
    Pool,
    /// On the thread that read the request: it promises not to block.
    Inline,
    /// Where the host's executor runs it.
    Host,
}
