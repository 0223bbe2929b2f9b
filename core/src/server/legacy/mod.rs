//! The legacy door: a client says who it is once, in `initialize`, and keeps a session (2024-11-05 to 2025-11-25).

pub mod answering;
pub mod call;
pub mod client_requests;
#[cfg(test)]
pub mod conversation;
pub mod door;
pub mod elicitations;
pub mod initialize;
pub mod push;
#[cfg(test)]
mod question_race_tests;
pub mod question_round;
#[cfg(test)]
mod question_round_tests;
pub mod round_outlet;
pub mod rounds;
pub mod session;
pub mod sessions;
pub mod shape;
