//! How the messages of a call leave it.

use std::sync::Arc;
use std::time::Duration;

use super::host::Host;
use super::outcome::Outcome;
use super::request::CallRequest;
use crate::protocol::log_level::LogLevel;

/// The way out of a call, made by the door through which its request came. None of these may block.
pub trait Outlet: Send + Sync {
    /// Whether the client asked for progress.
    fn wants_progress(&self) -> bool;
    /// Sends `notifications/progress`; the numbers are finite.
    fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>);
    /// Whether the client asked for log messages of this level.
    fn wants_log(&self, level: LogLevel) -> bool;
    /// Sends `notifications/message`; `data` is JSON text without line breaks.
    fn log(&self, level: LogLevel, logger: Option<&str>, data: &[u8]);
    /// Answers the request that was made. Called once at most; no message of it follows.
    fn finish(&self, request: &CallRequest, outcome: Outcome);
    /// The handler ends the call itself, so that it is no longer at work: said before the answer is sent, or when the
    /// client was asked.
    fn handler_is_done(&self);
    /// The handler will not run, for want of a thread to run on: the answer that follows is none of its.
    fn handler_does_not_run(&self);
    /// Ends the response's stream now, where it can be resumed.
    fn close_stream(&self, retry: Option<Duration>);
    /// The server of the call.
    fn host(&self) -> Arc<dyn Host>;
}
