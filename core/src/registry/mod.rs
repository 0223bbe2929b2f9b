//! What a server offers, by name: ordered, paged, and replaced as a whole when it changes.

pub mod cursor;
pub mod page;
pub mod registered_tool;
pub mod tool_list;
pub mod tool_registry;
