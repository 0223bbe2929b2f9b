//! The Model Context Protocol: one core for C, C++, Python and Node.
//!
//! The modules stand in the order in which they may use one another: each uses only those above it.

pub mod host_error;

pub mod protocol;

pub mod schema;

pub mod runtime;

pub mod call;

pub mod registry;

pub mod server;

pub mod transport;
