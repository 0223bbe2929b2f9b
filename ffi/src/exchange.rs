//! One request that came by the host's own web server, and its response.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;

use mcp_core::runtime::lock::Mutex;
use mcp_core::transport::http::{Abort, ExchangeRequest, HttpEndpoint, ResponseWriter};

use crate::boundary;
use crate::endpoint::Endpoint;
use crate::handle::{self, Output};
use crate::status::{Fault, Status};
use crate::text;
use crate::user_data::{FreeFunction, UserData};

/// The response of an exchange begins. The two arrays have `headers` entries each and are borrowed, with their
/// texts, until the function returns. Headers that are a connection's own are not among them. With a `content-length`
/// the body has that length; without, it is a stream of events, to be sent on as it comes.
pub type HeadFunction = Option<
    unsafe extern "C" fn(
        status: c_int,
        header_names: *const *const c_char,
        header_values: *const *const c_char,
        headers: usize,
        user_data: *mut c_void,
    ),
>;

/// A piece of the response's body, borrowed until the function returns. It must not block for long: the thread is
/// one that others wait for.
pub type BodyFunction =
    Option<unsafe extern "C" fn(bytes: *const c_void, len: usize, user_data: *mut c_void)>;

/// The response is over: nothing comes any more. Without a head before it, there is none: the exchange was aborted,
/// or its server shut down, and a client that is still there gets the host's own answer, as 503.
pub type EndFunction = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// One request that came by the host's own web server, and its response.
///
/// It is built by one thread, then started, once. From then on any thread may abort it.
pub struct Exchange {
    endpoint: Arc<HttpEndpoint>,
    /// What is built; taken when the exchange starts.
    request: Mutex<Option<ExchangeRequest>>,
    abort: Abort,
}

/// Makes an exchange for a request that came in. `path` is the request's target as it stands in its first line, with
/// or without a query: whether it is the endpoint's is checked with everything else, and answered with 404.
///
/// The texts are copied. `*out` is yours; free it with `mcp_exchange_free`. Errors: INVALID_ARG for what is no method
/// or no path: answer with 400. Any thread.
///
/// # Safety
/// `endpoint` is NULL or a live handle; the texts are NULL or NUL-terminated; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_new(
    endpoint: *mut Endpoint,
    method: *const c_char,
    path: *const c_char,
    out: *mut *mut Exchange,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (endpoint, method, path, out) = unsafe {
            let endpoint = Endpoint::borrow(endpoint)?;
            let (method, path) = (text::required(method, "method")?, text::required(path, "path")?);
            (endpoint, method, path, Output::new(out, "out")?)
        };
        let request = Mutex::new(Some(ExchangeRequest::new(method, path)?));
        let abort = Abort::default();
        out.give(Exchange { endpoint: endpoint.endpoint.clone(), request, abort });
        Ok(())
    })
}

/// Adds a header of the request. Add all of them, as they came: `Host` and `Origin` say whether the request is let in,
/// others what the client accepts and means.
///
/// Several of one name are several lines. The texts are copied; the value may have any bytes that HTTP allows. Errors:
/// INVALID_ARG for what is no header: answer with 400.
///
/// # Safety
/// `exchange` is NULL or a live handle; the texts are NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_add_header(
    exchange: *mut Exchange,
    name: *const c_char,
    value: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (exchange, name, value) = unsafe {
            let exchange = Exchange::borrow(exchange)?;
            (exchange, text::required(name, "name")?, text::raw(value, text::NUL_TERMINATED, "value")?)
        };
        exchange.change(|request| Ok(request.add_header(name, value)?))
    })
}

/// Says on whose behalf the request comes, where the web server has found out: handlers learn it, and so does whatever
/// is kept between two requests of a client. NULL: nobody that is known. The text is copied.
///
/// # Safety
/// `exchange` is NULL or a live handle; `principal` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_set_principal(
    exchange: *mut Exchange,
    principal: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (exchange, principal) =
            unsafe { (Exchange::borrow(exchange)?, text::optional(principal, "principal")?) };
        exchange.change(|request| {
            request.set_principal(principal);
            Ok(())
        })
    })
}

/// Starts the exchange with the body of the request, whole, and returns at once.
///
/// The body is copied; one that is larger than the server's option `max_message_bytes` is answered with 413, as a
/// listener does. The callbacks are called with `user_data` on threads of the library's, one call at a time for each
/// exchange, and perhaps before this returns: `on_head` once, `on_body` any number of times, `on_end` once, whatever
/// happens. They must not wait for a server; they may free the exchange. `user_data_free` (may be NULL) is called with
/// `user_data` exactly once: after `on_end`, or before this returns, if it fails; then none of the others is called.
///
/// What the client reads slowly has to wait in the host: nothing holds the pieces back, but progress and log messages
/// are as rare as the options `progress_per_second` and `logs_per_second` make them.
///
/// Errors: SHUTDOWN: answer with 503; INVALID_ARG if it was started before.
///
/// # Safety
/// `exchange` is NULL or a live handle; `body` points to `body_len` bytes, or is NULL; the functions may be called with
/// `user_data` from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_start(
    exchange: *mut Exchange,
    body: *const c_void,
    body_len: usize,
    on_head: HeadFunction,
    on_body: BodyFunction,
    on_end: EndFunction,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
) -> c_int {
    let user_data = UserData::new(user_data, user_data_free);
    boundary::fallible(move || {
        // SAFETY: as promised by the caller.
        let (exchange, body) = unsafe { (Exchange::borrow(exchange)?, text::bytes(body, body_len, "body")?) };
        let writer = HostWriter {
            head: on_head.ok_or_else(|| text::null("on_head"))?,
            body: on_body.ok_or_else(|| text::null("on_body"))?,
            end: on_end.ok_or_else(|| text::null("on_end"))?,
            user_data,
        };
        let request = exchange.request.lock().take().ok_or_else(started)?;
        let body = body.to_vec().into();
        // From here on a callback may free the handle.
        let (endpoint, abort) = (exchange.endpoint.clone(), exchange.abort.clone());
        endpoint.start(request, body, Box::new(writer), &abort)?;
        Ok(())
    })
}

/// Breaks the exchange off: its client has gone. What runs for it is cancelled, unless the client is one of the older
/// revisions, which may come back for the answer. Nothing is said any more but the end. An exchange that has ended does not mind; one that was not started will say nothing but its end.
///
/// A callback that is running, or just begins, still ends. Any thread, callbacks too.
///
/// # Safety
/// `exchange` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_abort(exchange: *mut Exchange) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        unsafe { Exchange::borrow(exchange)? }.abort.abort();
        Ok(())
    })
}

/// Frees the handle, and aborts the exchange if it runs. NULL is fine.
///
/// It does not wait: callbacks may still come, `on_end` in any case, and `user_data` lives until `user_data_free`. Any
/// thread, callbacks too. In a child process after fork() it does nothing.
///
/// # Safety
/// `exchange` is NULL or a live handle, which nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_free(exchange: *mut Exchange) {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let Some(alive) = (unsafe { exchange.as_ref() }) else { return Ok(()) };
        alive.endpoint.check_process()?;
        alive.abort.abort();
        // SAFETY: as promised by the caller.
        unsafe { handle::free(exchange) };
        Ok(())
    });
}

impl Exchange {
    /// The exchange behind a handle, if it belongs to this process.
    ///
    /// # Safety
    /// `exchange` is NULL or a live handle, which stays alive for `'a`.
    unsafe fn borrow<'a>(exchange: *mut Exchange) -> Result<&'a Exchange, Fault> {
        // SAFETY: as promised by the caller.
        let exchange = unsafe { handle::shared(exchange, "exchange")? };
        exchange.endpoint.check_process()?;
        Ok(exchange)
    }

    fn change(&self, change: impl FnOnce(&mut ExchangeRequest) -> Result<(), Fault>) -> Result<(), Fault> {
        change(self.request.lock().as_mut().ok_or_else(started)?)
    }
}

/// The host's functions as the core calls them.
struct HostWriter {
    head: unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char, usize, *mut c_void),
    body: unsafe extern "C" fn(*const c_void, usize, *mut c_void),
    end: unsafe extern "C" fn(*mut c_void),
    user_data: UserData,
}

impl ResponseWriter for HostWriter {
    fn head(&mut self, status: u16, headers: &[(&str, &[u8])]) {
        let names: Vec<_> = headers.iter().map(|(name, _)| c_bytes(name.as_bytes())).collect();
        let values: Vec<_> = headers.iter().map(|(_, value)| c_bytes(value)).collect();
        let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let (name_pointers, value_pointers) = (pointers(&names), pointers(&values));
        boundary::call_host(|| {
            // SAFETY: the host registered this function for this pointer; arrays and texts stay until it returns.
            unsafe {
                (self.head)(
                    status.into(),
                    name_pointers.as_ptr(),
                    value_pointers.as_ptr(),
                    names.len(),
                    self.user_data.pointer(),
                )
            }
        });
    }

    fn body(&mut self, piece: &[u8]) {
        // SAFETY: the host registered this function for this pointer; the piece stays until it returns.
        boundary::call_host(|| unsafe {
            (self.body)(piece.as_ptr().cast(), piece.len(), self.user_data.pointer())
        });
    }

    fn end(&mut self) {
        // SAFETY: the host registered this function for this pointer.
        boundary::call_host(|| unsafe { (self.end)(self.user_data.pointer()) });
    }
}

/// A text of HTTP, which has no NUL.
fn c_bytes(text: &[u8]) -> CString {
    CString::new(text).unwrap_or_default()
}

fn started() -> Fault {
    Fault::new(Status::ErrInvalidArg, "the exchange was started: it can only be aborted and freed now")
}
