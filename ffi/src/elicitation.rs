//! Pages that a client is asked to visit, and the news that the user is done there.

use std::ffi::{c_char, c_int};

use crate::boundary;
use crate::call::Call;
use crate::handle::Output;
use crate::server::Server;
use crate::text;

/// The id of the page that is asked for under `key` (`"mode":"url"`), the same in every round of the call:
/// for the page's address, so that whoever serves it can say when the user is done.
///
/// The library makes it; nobody can guess it. Borrowed from the call, NUL-terminated. Errors:
/// ALREADY_FINISHED, CANCELLED. Any thread. (Specification: client/elicitation, "URL Mode".)
///
/// # Safety
/// `call` is NULL or a live handle; `key` is NULL or NUL-terminated; `id` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_elicitation_id(
    call: *mut Call,
    key: *const c_char,
    id: *mut *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (call, key, id) =
            unsafe { (Call::borrow(call)?, text::required(key, "key")?, Output::new(id, "id")?) };
        let own = call.core().elicitation_id(key)?;
        id.set(call.texts().keep_passing(own).0);
        Ok(())
    })
}

/// Tells the client that was sent to a page that the user is done there. Clients of revision 2025-11-25 want
/// to know; those of others find out as they can.
///
/// Errors: NOT_FOUND if no client waits to be told. Any thread. (Specification: revision 2025-11-25,
/// client/elicitation, "Completion Notifications for URL Mode Elicitation".)
///
/// # Safety
/// `server` is NULL or a live handle; `elicitation_id` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_complete_elicitation(
    server: *mut Server,
    elicitation_id: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (server, id) =
            unsafe { (Server::borrow(server)?, text::required(elicitation_id, "elicitation_id")?) };
        server.engine.complete_elicitation(id)?;
        Ok(())
    })
}
