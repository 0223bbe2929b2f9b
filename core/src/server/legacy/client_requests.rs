//! Requests of the server's to the client of a session, until they are answered.
//!
//! Specification: 2025-11-25, client/elicitation, client/sampling, client/roots.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::protocol::frame::Response;
use crate::protocol::request_id::RequestId;
use crate::runtime::library_log;
use crate::runtime::lock::Mutex;

/// Requests that wait for an answer.
#[derive(Default)]
pub struct ClientRequests(Mutex<Table>);

#[derive(Default)]
struct Table {
    waiting: HashMap<i64, Waiting>,
    next: i64,
    ended: bool,
}

struct Waiting {
    key: String,
    asker: Arc<dyn Asker>,
}

/// Who asked, and wants to know the answer.
pub trait Asker: Send + Sync {
    /// The client answered the question `key`: with a result, or an error, as JSON text. `None`: it never will.
    fn answered(self: Arc<Self>, key: &str, answer: Option<Result<Bytes, Bytes>>);
}

impl ClientRequests {
    /// Makes an id for the question `key` of `asker`; `None` if the session has ended.
    pub fn ask(&self, key: &str, asker: Arc<dyn Asker>) -> Option<i64> {
        let mut table = self.0.lock();
        if table.ended {
            return None;
        }
        table.next += 1;
        let id = table.next;
        table.waiting.insert(id, Waiting { key: key.into(), asker });
        Some(id)
    }

    /// Nobody waits for the answer to `id` any more; false if it has come.
    pub fn forget(&self, id: i64) -> bool {
        let forgotten = self.0.lock().waiting.remove(&id);
        forgotten.is_some()
    }

    /// An answer came. One that nobody waits for is passed over.
    pub fn answered(&self, response: Response) {
        let waiting = match response.id {
            Some(RequestId::Integer(id)) => self.0.lock().waiting.remove(&id),
            _ => None,
        };
        match waiting {
            Some(Waiting { key, asker }) => asker.answered(&key, Some(response.outcome)),
            None => library_log::debug(format_args!("an answer to no request was passed over")),
        }
    }

    /// Whether the client is gone.
    pub fn have_ended(&self) -> bool {
        self.0.lock().ended
    }

    /// The client is gone: no answer comes.
    pub fn abandon(&self) {
        let mut table = self.0.lock();
        table.ended = true;
        let waiting = std::mem::take(&mut table.waiting);
        drop(table);
        for Waiting { key, asker } in waiting.into_values() {
            asker.answered(&key, None);
        }
    }
}
