//! JSON Schema: compile once, validate many times.
//!
//! Dialects 2020-12 (the default), 2019-09 and draft-07; `format` is an annotation in all of them. A schema is
//! read, never changed: what an author wrote is what is published. References outside a schema are refused,
//! not followed, and everything that could make a check expensive has a bound in [`bounds::SchemaLimits`].

mod alternatives;
pub mod bounds;
pub mod compile;
pub mod declared_arguments;
pub mod dialect;
mod dynamic_scope;
mod effort;
pub mod header_annotation;
mod input_root;
mod misspelling;
pub mod object_wrapping;
pub mod problem;
mod reference;
mod repetition;
mod report;
mod subschemas;
mod validity;
mod wording;

/// Why a schema is refused, and where in it.
pub use crate::protocol::document::DocumentFault as SchemaFault;
