//! The wire: JSON-RPC frames, `_meta`, error codes, content blocks, tool definitions and results.
//! Parsing and writing, pure functions.

pub mod json_scan;
pub mod json_write;
