//! The engine: a request and who sent it go in, answers and notifications come out.

pub mod audience;
pub mod batch_answers;
pub mod caching;
pub mod called;
pub mod committed_rounds;
pub mod concurrency;
#[cfg(test)]
pub mod conversation;
pub mod engine;
pub mod era;
pub mod execution;
pub mod identity;
pub mod in_flight;
pub mod in_process;
#[cfg(test)]
mod in_process_tests;
pub mod legacy;
pub mod list_page;
pub mod modern;
pub mod offer;
pub mod once_marks;
pub mod open_requests;
pub mod outbox;
pub mod request_state;
pub mod result_members;
pub mod server_capabilities;
pub mod settings;
pub mod shutdown;
pub mod subscription;
#[cfg(test)]
mod subscription_tests;
