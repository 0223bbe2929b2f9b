//! The guest's manners: the library's threads, signals, log lines and timers inside a process that is not its own.
//!
//! Nothing here starts a thread before it is needed, touches a signal disposition, or knows the protocol.

pub mod async_runtime;
pub mod fork_guard;
pub mod handler_pool;
pub mod library_log;
pub mod library_thread;
pub mod lock;
pub mod signal_mask;
pub mod undivided;
pub mod unguessable;
