//! Bytes to frames and back, and what each transport demands.

pub mod channel;
#[cfg(feature = "http")]
pub mod http;
pub mod stdio;
