//! JSON Schema stub (to be replaced)
pub mod compile;
pub mod header_annotation;
pub mod problem;
