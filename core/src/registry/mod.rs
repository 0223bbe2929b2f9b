//! What a server offers, by name: ordered, paged, and replaced as a whole when it changes.

pub mod catalog;
pub mod cursor;
pub mod item;
pub mod list;
pub mod list_kind;
mod listings;
pub mod page;
pub mod registered_prompt;
pub mod registered_resource;
pub mod registered_template;
pub mod registered_tool;
pub mod resource_lookup;
pub mod variant;
mod view;

#[cfg(test)]
mod tests;
