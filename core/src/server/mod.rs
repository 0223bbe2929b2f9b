//! The engine: a request and who sent it go in, answers and notifications come out.

pub mod caching;
pub mod committed_rounds;
pub mod concurrency;
#[cfg(test)]
pub mod conversation;
pub mod engine;
pub mod execution;
pub mod identity;
pub mod in_flight;
pub mod list_page;
pub mod modern;
pub mod offer;
pub mod once_marks;
pub mod outbox;
pub mod request_state;
pub mod settings;
pub mod shutdown;
pub mod subscription;
