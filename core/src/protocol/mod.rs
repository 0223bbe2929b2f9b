//! The wire: JSON-RPC frames, `_meta`, error codes, content blocks, tool definitions and results.
//! Parsing and writing, pure functions.

pub mod annotations;
pub mod base64_text;
pub mod cache_hint;
pub mod client_capability;
pub mod content;
pub mod document;
pub mod error;
pub mod frame;
pub mod header_value;
pub mod icon;
pub mod json_canonical;
pub mod json_compact;
pub mod json_decode;
pub mod json_scan;
pub mod json_write;
pub mod log_level;
pub mod message;
pub mod message_size;
pub mod meta_key;
pub mod nearest_name;
pub mod notification;
pub mod request_id;
pub mod revision;
pub mod special_bytes;
pub mod tool_annotations;
pub mod tool_definition;
pub mod tool_name;
pub mod tool_result;
