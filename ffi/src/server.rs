//! A server: made, described, set, and freed.

use std::ffi::{c_char, c_int};
use std::sync::{Arc, Weak};

use mcp_core::call::host::Host;
use mcp_core::call::invocation::Call;
use mcp_core::host_error::HostError;
use mcp_core::runtime::library_log;
use mcp_core::server::engine;

use crate::boundary;
use crate::handle::{self, Output};
use crate::status::Fault;
#[cfg(feature = "http")]
use crate::status::Status;
use crate::text;

/// A server: named tools, resources and prompts, and the ways in which it serves them.
///
/// Its functions may be called from any thread, but for `mcp_server_free`, after which the handle is gone.
/// In a child process after fork() each of them returns FORKED; a server made in the child works there.
pub struct Server {
    pub(crate) engine: Arc<engine::Server>,
    /// The call to which the handle belongs, of one that `mcp_call_server` lent.
    caller: Option<Weak<Call>>,
}

/// Makes a server that tells clients its name and version. It starts no thread yet.
///
/// Handlers of the pool run with the signal mask that the calling thread has now. Texts are copied. `*out`
/// is yours; free it with `mcp_server_free`. Errors: INVALID_ARG for an empty name or version.
///
/// # Safety
/// The texts are NULL or NUL-terminated; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_new(
    name: *const c_char,
    version: *const c_char,
    out: *mut *mut Server,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (name, version, out) = unsafe {
            (text::required(name, "name")?, text::required(version, "version")?, Output::new(out, "out")?)
        };
        out.give(Server { engine: engine::Server::new(name, version)?, caller: None });
        Ok(())
    })
}

/// Shuts the server down and frees it. NULL is fine.
///
/// Every transport stops; calls in flight get as long as the option `drain_ms` says, and are cancelled
/// then. When this returns, the server has no thread left, except that of a handler that did not return: it
/// is left alone, and the log says how many there are. The destructors of handlers and executor have run,
/// except those of calls that are still held. Threads inside `mcp_server_run_stdio` or `mcp_server_wait`
/// return by it.
///
/// It waits, and so it is refused inside a handler or another callback: the server lives on then,
/// `mcp_last_error` says why, and so does the log. It is refused as well for what `mcp_call_server` returned,
/// which is borrowed. In a child process after fork() it does nothing: what the parent made is the parent's.
///
/// # Safety
/// `server` is NULL or a live handle, which nobody uses any more, but for threads that wait inside
/// `mcp_server_run_stdio` or `mcp_server_wait`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_free(server: *mut Server) {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let Some(alive) = (unsafe { server.as_ref() }) else { return Ok(()) };
        alive.engine.check_process()?;
        let closed = match alive.caller {
            None => alive.engine.close(),
            Some(_) => Err(HostError::Deadlock(
                "a call lent this server and needs it; free the handle that mcp_server_new made".into(),
            )),
        };
        if let Err(fault) = closed {
            let fault = Fault::from(fault);
            library_log::error(format_args!("mcp_server_free is refused: {}", fault.message));
            return Err(fault);
        }
        // SAFETY: as promised by the caller.
        unsafe { handle::free(server) };
        Ok(())
    });
}

/// Sets the server's name for people. The text is copied.
///
/// # Safety
/// `server` is NULL or a live handle; `title` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_title(server: *mut Server, title: *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, title) = unsafe { (Server::borrow(server)?, text::required(title, "title")?) };
        server.engine.configure(|settings| {
            Arc::make_mut(&mut settings.identity).set_text("title", title);
            Ok(())
        })?;
        Ok(())
    })
}

/// Sets what `server/discover` tells models about the use of the server. The text is copied.
///
/// # Safety
/// `server` is NULL or a live handle; `instructions` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_instructions(
    server: *mut Server,
    instructions: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, text) =
            unsafe { (Server::borrow(server)?, text::required(instructions, "instructions")?) };
        server.engine.configure(|settings| {
            Arc::make_mut(&mut settings.identity).instructions = Some(text.into());
            Ok(())
        })?;
        Ok(())
    })
}

/// Sets an option by its key; docs/limits.md has the list, with units and defaults.
///
/// The option holds for requests that come from now on, with these exceptions: stdio and sessions read
/// `max_message_bytes`, `max_depth`, `max_in_flight_per_connection` and `drain_ms` once, when they begin;
/// bounds of threads are read when the first of them starts, bounds of schemas when a tool is added.
/// Errors: INVALID_ARG for an unknown key or a value out of range.
///
/// # Safety
/// `server` is NULL or a live handle; the texts are NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_option(
    server: *mut Server,
    key: *const c_char,
    value: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, key, value) = unsafe {
            (Server::borrow(server)?, text::required(key, "key")?, text::required(value, "value")?)
        };
        let set = server.engine.configure(|settings| settings.set(key, value));
        #[cfg(feature = "http")]
        if set.is_err() && crate::http_config::is_option(key) {
            let message = format!("\"{key}\" is no option of a server; mcp_http_config_set_option sets it");
            return Err(Fault::new(Status::ErrInvalidArg, message));
        }
        Ok(set?)
    })
}

impl Server {
    /// A handle on the server of `call`, to be lent to its handler.
    pub fn of_call(call: &Arc<Call>) -> Option<Self> {
        let engine = call.host().into_any().downcast::<engine::Server>().ok()?;
        Some(Server { engine, caller: Some(Arc::downgrade(call)) })
    }

    /// The server as the core's handlers see it, and the call on whose behalf it is used, if any.
    pub fn as_host(&self) -> (Arc<dyn Host>, Option<Arc<Call>>) {
        (self.engine.clone(), self.caller.as_ref().and_then(Weak::upgrade))
    }

    /// The server behind a handle, if it belongs to this process.
    ///
    /// # Safety
    /// `server` is NULL or a live handle, which stays alive for `'a`.
    pub unsafe fn borrow<'a>(server: *mut Server) -> Result<&'a Server, Fault> {
        // SAFETY: as promised by the caller.
        let server = unsafe { handle::shared(server, "server")? };
        server.engine.check_process()?;
        Ok(server)
    }
}
