//! Serving one client over the host's own transport.

use std::ffi::{c_char, c_int, c_void};

use mcp_core::host_error::HostError;
use mcp_core::protocol::message::Message;
use mcp_core::runtime::library_log;
use mcp_core::transport::host_channel::{HostChannel, SendMessage};

use crate::boundary;
use crate::handle::{self, Output};
use crate::server::Server;
use crate::status::Fault;
use crate::text;
use crate::user_data::{FreeFunction, UserData};

/// What a buffer for messages keeps, in bytes, once a large one is sent.
const KEPT_BUFFER: usize = 64 << 10;

/// Sends a message to the client of a session: one JSON-RPC message in UTF-8, without a line break. It is `len`
/// bytes long, a NUL stands behind them, and it is borrowed until the function returns.
///
/// Called on a thread of the library's, or on one of the host's that is inside the library, one call at a time
/// for each session. It must not block for long, nor wait for a server; it may hand messages in, to the same
/// session too.
pub type SendFunction =
    Option<unsafe extern "C" fn(message: *const c_char, len: usize, user_data: *mut c_void)>;

/// A client over the host's own transport: a WebSocket, a message queue, a pipe, another part of the same
/// program. A server may have any number of them.
pub struct Session {
    channel: HostChannel,
}

/// Begins to serve a client over the host's own transport. `send` is called with `user_data` for each message to
/// the client.
///
/// `*out` is yours; free it with `mcp_session_free`, before or after the server. The session serves until then, or
/// until the server is shut down. It keeps the options `max_message_bytes`, `max_depth` and
/// `max_in_flight_per_connection` that the server has now. `user_data_free` (may be NULL) is called with
/// `user_data` exactly once: when the session is freed, or before this returns, if it fails. Errors: SHUTDOWN. Any
/// thread. (Specification: basic/transports, "Custom Transports".)
///
/// # Safety
/// `server` is NULL or a live handle; the functions may be called with `user_data` from any thread; `out` is NULL
/// or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_new(
    server: *mut Server,
    send: SendFunction,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
    out: *mut *mut Session,
) -> c_int {
    let user_data = UserData::new(user_data, user_data_free);
    boundary::fallible(move || {
        // SAFETY: as promised by the caller.
        let (server, out) = unsafe { (Server::borrow(server)?, Output::new(out, "out")?) };
        let send = send.ok_or_else(|| text::null("send"))?;
        let channel = HostChannel::open(&server.engine, sender(send, user_data))?;
        out.give(Session { channel });
        Ok(())
    })
}

/// Takes one JSON-RPC message from the client, and returns at once. A handler that runs inline runs on this
/// thread; answers may be sent before this returns, on this thread or another.
///
/// The message is copied; `len` may be MCP_NUL_TERMINATED. Whatever is wrong with it, even that it is no JSON or
/// too long, is told to the client, and this succeeds. A blank message is passed over. Errors: SHUTDOWN. Any thread;
/// messages of one client come in the order in which this is called.
///
/// # Safety
/// `session` is NULL or a live handle; `message` points to `len` bytes, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_receive(
    session: *mut Session,
    message: *const c_char,
    len: usize,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (session, message) =
            unsafe { (handle::shared(session, "session")?, text::raw(message, len, "message")?) };
        session.channel.receive(message)?;
        Ok(())
    })
}

/// Says on whose behalf the client speaks, once the host has found out who it is: handlers learn it, and so does
/// whatever is kept between two requests of a client. NULL: nobody that is known.
///
/// It holds for messages that are received from then on. The text is copied. Any thread.
///
/// # Safety
/// `session` is NULL or a live handle; `principal` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_set_principal(session: *mut Session, principal: *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (session, principal) =
            unsafe { (handle::shared(session, "session")?, text::optional(principal, "principal")?) };
        session.channel.check_process()?;
        session.channel.set_principal(principal);
        Ok(())
    })
}

/// Ends the session and frees it. NULL is fine.
///
/// Subscriptions end with their last message, calls in flight are cancelled. When this returns, `send` is not
/// running, will not be called again, and its `user_data` is freed.
///
/// It waits for a `send` that is running, and so it is refused inside a handler or a callback, `send` too: the
/// session lives on then, `mcp_last_error` says why, and so does the log. In a child process after fork() it does
/// nothing.
///
/// # Safety
/// `session` is NULL or a live handle, which nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_free(session: *mut Session) {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let Some(alive) = (unsafe { session.as_ref() }) else { return Ok(()) };
        match alive.channel.close() {
            Ok(()) => {}
            Err(fault @ HostError::Forked) => return Err(fault.into()),
            Err(fault) => {
                let fault = Fault::from(fault);
                library_log::error(format_args!("mcp_session_free is refused: {}", fault.message));
                return Err(fault);
            }
        }
        // SAFETY: as promised by the caller.
        unsafe { handle::free(session) };
        Ok(())
    });
}

/// The host's function as the core calls it. Messages lie in one buffer, one after the other.
fn sender(send: unsafe extern "C" fn(*const c_char, usize, *mut c_void), user_data: UserData) -> SendMessage {
    let mut text = Vec::new();
    Box::new(move |message: &Message| {
        text.clear();
        message.append_to(&mut text);
        text.push(0);
        let (start, len) = (text.as_ptr().cast(), text.len() - 1);
        // SAFETY: the host registered this function for this pointer; the text stays until it returns.
        boundary::call_host(|| unsafe { send(start, len, user_data.pointer()) });
        text.clear();
        text.shrink_to(KEPT_BUFFER);
    })
}
