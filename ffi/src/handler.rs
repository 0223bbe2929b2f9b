//! The host's handler, as the core calls it.

use std::ffi::c_void;
use std::sync::Arc;

use mcp_core::call::handler;
use mcp_core::call::invocation;
use mcp_core::runtime::fork_guard::ForkGuard;

use crate::call::Call;
use crate::user_data::UserData;

/// The code behind a tool, a prompt, a resource or a completion. `call` is borrowed until the function
/// returns.
///
/// Either it finishes the call before it returns; or it keeps it with `mcp_call_retain`, returns, and has
/// any thread finish it later and give it back with `mcp_call_release`; or it asks the client by
/// `mcp_call_request_input`, and returns to be called again. A call whose last reference goes away unfinished
/// and with nothing asked is answered with the error -32603. No longjmp and no C++ exception may leave the function:
/// an exception that does ends the process.
pub type Handler = Option<unsafe extern "C" fn(call: *mut Call, user_data: *mut c_void)>;

/// A handler and what it was registered with.
pub struct HostHandler {
    function: unsafe extern "C" fn(*mut Call, *mut c_void),
    user_data: Arc<UserData>,
    process: ForkGuard,
}

impl HostHandler {
    /// A handler that hands `user_data` to `function`.
    pub fn new(function: unsafe extern "C" fn(*mut Call, *mut c_void), user_data: UserData) -> Self {
        HostHandler { function, user_data: Arc::new(user_data), process: ForkGuard::new() }
    }
}

impl handler::Handler for HostHandler {
    fn handle(&self, call: &Arc<invocation::Call>) {
        let call = Arc::new(Call::new(call.clone(), self.user_data.clone(), self.process));
        // SAFETY: the host registered this function for this pointer; call and pointer live until it returns.
        unsafe { (self.function)(Arc::as_ptr(&call).cast_mut(), self.user_data.pointer()) };
        if self.process.forked() {
            // The handler forked, and this is the child: the call is the parent's to end.
            std::mem::forget(call);
        }
    }
}
