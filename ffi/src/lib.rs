//! The C ABI of libmcp.
