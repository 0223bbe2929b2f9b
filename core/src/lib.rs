//! The Model Context Protocol: one core for C, C++, Python and Node.
//!
//! The modules stand in the order in which they may use one another: each uses only those above it.

pub mod protocol;
pub mod runtime;
