//! Bytes to frames and back, and what each transport demands.

#[cfg(feature = "http")]
pub mod http;
pub mod stdio;
