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

mod builder;
mod dispatch;
mod mirrored_argument;
mod presence;
mod tool;
mod tool_arguments;

mod prompt;
mod resource;
mod resource_template;

mod app_ui;

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
mod in_process;
mod server;
mod server_completion;
mod server_end;
mod server_lists;
mod server_prompts;
mod server_resources;
mod server_tools;

mod borrowed_text;
mod call;
mod call_argument;
mod call_cancel;
mod call_completion;
mod call_finish;
mod call_input;
mod call_memory;
mod call_progress;
mod call_prompt;
mod call_read;
mod call_request;
mod call_result;
mod call_server;
mod call_stream;
mod elicitation;
mod media_type;
mod whole_number;
