//! Where the messages of one request go.

use std::time::Duration;

use crate::protocol::message::{Answer, Message};
use crate::protocol::notification::Change;

/// The way from one request back to its client. Implemented by each transport, one for each request.
///
/// The methods may be called from any thread and must not block.
pub trait Outbox: Send + Sync {
    /// Sends a notification that belongs to the request, before its answer.
    ///
    /// With a `change`, the message is dropped where one of the same change of this request still waits
    /// unsent: the one that waits says all. Without, it may be dropped where too much waits unsent.
    fn notify(&self, message: Message, change: Option<Change>);

    /// Sends a message that belongs to the request and is never dropped: a request of the server's (legacy era), or a
    /// notification that must arrive. False where it cannot go this way, as the client takes one JSON object and
    /// nothing else.
    fn send(&self, message: Message) -> bool;

    /// Ends the response's stream now, where it can be resumed; the client comes back for the rest, after
    /// `retry` if that is said. Nothing elsewhere.
    ///
    /// Specification: 2025-11-25, Streamable HTTP, "Sending Messages to the Server".
    fn close_stream(&self, retry: Option<Duration>);

    /// Sends the answer: the last message of this request. Called once at most.
    fn answer(&self, answer: Answer);
}
