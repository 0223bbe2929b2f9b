//! Where the messages of a session go that belong to no request of its client's.

use crate::protocol::message::Message;
use crate::protocol::notification::Change;

/// The way to the client of a session. Implemented by each transport, one for each session.
///
/// Both methods may be called from any thread and must not block.
pub trait Push: Send + Sync {
    /// Sends a notification. With a `change`, the message is dropped where one of the same change still waits
    /// unsent; without, it may be dropped where too much waits unsent.
    fn notify(&self, message: Message, change: Option<Change>);

    /// Sends a message that is never dropped while the client is there: a request of the server's, or a notification
    /// that must arrive.
    fn send(&self, message: Message);
}
