//! The modern door: every request carries its revision and its client's capabilities (2026-07-28).

pub mod admission;
#[cfg(test)]
mod asking_tests;
pub mod call_tool;
pub mod complete;
pub mod discover;
pub mod door;
pub mod get_prompt;
pub mod listen;
pub mod mirrored_headers;
pub mod read_resource;
#[cfg(test)]
mod repeated_rounds_tests;
pub mod repetition;
pub mod reply;
pub mod result;
pub mod rounds;
#[cfg(test)]
mod rounds_tests;
pub mod start;
