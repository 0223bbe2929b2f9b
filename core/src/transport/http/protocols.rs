//! How HTTP/1.1 and HTTP/2 are spoken. What the HTTP library would decide for us is set here, by name.

use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto;

/// How many headers a request may have.
const MAX_HEADERS: usize = 100;

/// How many bytes the head of an HTTP/1.1 request, and what waits to be written of a response, may take.
const MAX_BUFFER: usize = 400 << 10;

/// How many bytes the headers of an HTTP/2 request may take.
const MAX_HEADER_LIST: u32 = 64 << 10;

/// How many requests may be in work on one HTTP/2 connection.
const MAX_STREAMS: u32 = 256;

/// How many bytes of a body an HTTP/2 client may send ahead, for one request and for all of a connection.
const WINDOW: u32 = 1 << 20;

/// Both protocols on one port: HTTP/1.1 with connections kept alive, and HTTP/2 by prior knowledge.
pub(super) fn protocols() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        // How long a head may take is the rule of `patience`, which needs no timer per request.
        .header_read_timeout(None)
        .keep_alive(true)
        // A client that closes its sending side is gone: this is how it cancels.
        .half_close(false)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_BUFFER);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADER_LIST)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    builder
}
