//! The C ABI of libmcp: the functions of `include/mcp.h`, a small file for each noun.
//!
//! Every exported function stands plainly in its file, with the comment that the header has. `boundary`
//! keeps panics from crossing, `text` and `handle` check what comes from C. What the protocol wants is the
//! core's to know: here it is only told in C.

mod boundary;
mod handle;
mod text;
mod user_data;

mod last_error;
mod log;
mod status;
mod version;

mod mirrored_argument;
mod tool;
mod tool_arguments;
mod tool_execution;

#[cfg(feature = "http")]
mod endpoint;
#[cfg(feature = "http")]
mod exchange;
#[cfg(feature = "http")]
mod http_config;
#[cfg(not(feature = "http"))]
mod http_unsupported;
#[cfg(feature = "http")]
mod listener;
mod session;
mod stdio;
#[cfg(feature = "tls")]
mod tls_files;
#[cfg(not(feature = "tls"))]
mod tls_unsupported;

mod executor;
mod handler;
mod server;
mod server_end;
mod server_tools;

mod borrowed_text;
mod call;
mod call_argument;
mod call_cancel;
mod call_finish;
mod call_progress;
mod call_request;
mod call_result;
mod media_type;
mod whole_number;
