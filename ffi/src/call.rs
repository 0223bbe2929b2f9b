//! A call as C holds it: counted references, and the texts borrowed from it.

use std::ffi::{c_char, c_int};
use std::sync::{Arc, OnceLock};

use mcp_core::call::invocation;
use mcp_core::call::subject::Subject;
use mcp_core::runtime::fork_guard::ForkGuard;

use crate::borrowed_text::BorrowedTexts;
use crate::boundary;
use crate::handle;
use crate::server::Server;
use crate::status::{Fault, Status};
use crate::user_data::UserData;

/// A call in flight: of a tool, a prompt, a resource or a completion.
///
/// It is counted: the handler borrows one reference, `mcp_call_retain` makes another. Its functions may be
/// called from any thread that has a reference. Texts borrowed from it live until the last reference is
/// given back.
pub struct Call {
    call: Arc<invocation::Call>,
    texts: BorrowedTexts,
    process: ForkGuard,
    /// The server as the handler sees it, once it has asked.
    server: OnceLock<Option<Server>>,
    /// The handler's pointer is not freed before its last call.
    _user_data: Arc<UserData>,
}

/// Makes another reference to a call, so that it can be finished after its handler has returned. Returns
/// `call`; NULL for NULL.
///
/// Give it back with `mcp_call_release`. A call that is kept and neither finished nor given back is answered
/// by the option `handler_timeout_ms` alone, which is off by default. Any thread that has a reference.
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_retain(call: *mut Call) -> *mut Call {
    if !call.is_null() {
        // SAFETY: every handle of a call points into an Arc, which is alive as promised by the caller.
        unsafe { Arc::increment_strong_count(call) };
    }
    call
}

/// Gives back a reference that `mcp_call_retain` made, never the handler's own, which the library takes back
/// when the handler returns. NULL is fine. An unfinished call whose last reference goes is answered with what
/// was asked of the client, or else the error -32603.
///
/// # Safety
/// `call` is NULL or a reference that was not given back before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_release(call: *mut Call) {
    boundary::infallible((), || {
        // SAFETY: as promised by the caller.
        match unsafe { call.as_ref() } {
            // A child after a fork gives nothing back: the call is the parent's to end.
            Some(alive) if !alive.process.forked() => {
                // SAFETY: the reference was made by `mcp_call_retain`.
                unsafe { Arc::decrement_strong_count(call) };
            }
            _ => {}
        }
    });
}

/// What a call is a call of.
///
/// cbindgen:rename-all=ScreamingSnakeCase
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(clippy::enum_variant_names, reason = "C knows no other scope for the names of values")]
pub enum Kind {
    /// A tool: the client calls it.
    McpCallTool = 0,
    /// A prompt: the client gets it.
    McpCallPrompt = 1,
    /// A resource: the client reads it.
    McpCallResource = 2,
    /// A completion: the client asks what an argument may become.
    McpCallCompletion = 3,
}

/// What is called, an mcp_kind: for a handler that serves several. NULL_ARG for NULL, as the only error.
///
/// Any thread.
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_kind(call: *const Call) -> c_int {
    boundary::infallible(Status::ErrPanic as c_int, || {
        // SAFETY: as promised by the caller.
        let Some(call) = (unsafe { call.as_ref() }) else { return Status::ErrNullArg as c_int };
        let kind = match call.core().subject() {
            Subject::Tool(_) => Kind::McpCallTool,
            Subject::Prompt(_) => Kind::McpCallPrompt,
            Subject::Resource(..) => Kind::McpCallResource,
            Subject::Completion(_) => Kind::McpCallCompletion,
        };
        kind as c_int
    })
}

/// The name of what is called: of the tool or prompt; of a resource, the URI that the client named; of a
/// completion, the name of the prompt or the URI template. NULL for NULL.
///
/// Borrowed from the call. Any thread.
///
/// # Safety
/// `call` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_name(call: *const Call) -> *const c_char {
    boundary::infallible(std::ptr::null(), || {
        // SAFETY: as promised by the caller.
        let Ok(call) = (unsafe { Call::borrow(call) }) else { return std::ptr::null() };
        call.texts.keep(call.core().name()).0
    })
}

impl Call {
    /// A handle's inside, of a call whose handler was registered with `user_data` by `process`.
    pub fn new(call: Arc<invocation::Call>, user_data: Arc<UserData>, process: ForkGuard) -> Self {
        let (texts, server) = (BorrowedTexts::default(), OnceLock::new());
        Call { call, texts, process, server, _user_data: user_data }
    }

    /// The call behind a handle, if it belongs to this process: a lock of it may be held in the parent.
    ///
    /// # Safety
    /// `call` is NULL or a live handle, which stays alive for `'a`.
    pub unsafe fn borrow<'a>(call: *const Call) -> Result<&'a Call, Fault> {
        // SAFETY: as promised by the caller.
        let call = unsafe { handle::shared(call, "call")? };
        if call.process.forked() {
            return Err(mcp_core::host_error::HostError::Forked.into());
        }
        Ok(call)
    }

    /// The call itself.
    pub fn core(&self) -> &Arc<invocation::Call> {
        &self.call
    }

    /// The server of the call, as its handler sees it: a handle that lives as long as the call.
    pub fn server(&self) -> Option<&Server> {
        self.server.get_or_init(|| Server::of_call(&self.call)).as_ref()
    }

    /// The texts that C borrowed from the call.
    pub fn texts(&self) -> &BorrowedTexts {
        &self.texts
    }
}
