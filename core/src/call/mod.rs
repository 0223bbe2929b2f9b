//! One invocation in flight: its arguments, progress, log and cancellation, and exactly one finish.

pub mod arguments;
pub mod contract;
pub mod draft;
mod form_content;
pub mod handler;
pub mod headers;
pub mod host;
pub mod input_response;
pub mod invocation;
pub mod job;
pub mod lenient_arguments;
pub mod outcome;
pub mod outlet;
pub mod progress_rate;
pub mod rate_limit;
pub mod request;
pub mod rounds;
pub mod subject;
pub mod text_twin;
