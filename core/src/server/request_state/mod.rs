//! The opaque `requestState` that a client carries from one round of a request to the next: everything that the
//! server would otherwise have to remember, sealed so that nobody else can read, change or reuse it.
//!
//! Specification: basic/patterns/mrtr, "Server Requirements".

pub mod binding;
mod encoding;
pub mod fault;
pub mod json_digest;
pub mod keys;
mod seal;
pub mod state;
