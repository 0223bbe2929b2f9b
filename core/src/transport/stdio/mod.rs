//! JSON-RPC messages as lines on a pair of byte streams: standard input and output, or any two descriptors.

mod readiness;
mod wakeup;

pub mod connection;
pub mod line_reader;
pub mod output_queue;
pub mod output_stream;
pub mod owned_streams;
pub mod serve;

pub use output_queue::OutputQueue;
pub use serve::{serve, serve_flushing};
pub use wakeup::Wakeup;

#[cfg(test)]
mod tests;
