//! The wire: JSON-RPC frames, `_meta`, error codes, content blocks, tool definitions and results.
//! Parsing and writing, pure functions.

pub mod error;
pub mod frame;
pub mod json_scan;
pub mod json_write;
pub mod message;
pub mod request_id;
