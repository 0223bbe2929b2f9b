//! Bytes to frames and back, and what each transport demands.

pub mod channel;
pub mod host_channel;
#[cfg(feature = "http")]
pub mod http;
pub mod stdio;
