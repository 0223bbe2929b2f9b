//! Where the messages of one request go.

use crate::protocol::message::{Answer, Message};
use crate::protocol::notification::Change;

/// The way from one request back to its client. Implemented by each transport, one for each request.
///
/// Both methods may be called from any thread and must not block.
pub trait Outbox: Send + Sync {
    /// Sends a notification that belongs to the request, before its answer.
    ///
    /// With a `change`, the message is dropped where one of the same change of this request still waits
    /// unsent: the one that waits says all. Without, it may be dropped where too much waits unsent.
    fn notify(&self, message: Message, change: Option<Change>);

    /// Sends the answer: the last message of this request. Called once at most.
    fn answer(&self, answer: Answer);
}
