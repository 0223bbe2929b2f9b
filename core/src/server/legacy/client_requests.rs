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
    silence: Option<Silence>,
}

struct Waiting {
    key: String,
    asker: Arc<dyn Asker>,
}

/// Who asked, and wants to know the answer.
pub trait Asker: Send + Sync {
    /// What the client said to the question `key`.
    fn answered(self: Arc<Self>, key: &str, said: Said);
}

/// What comes of a question.
#[derive(Debug, PartialEq, Eq)]
pub enum Said {
    /// A result, as JSON text.
    Result(Bytes),
    /// An error, as JSON text.
    Error(Bytes),
    /// Nothing, now or later.
    Nothing(Silence),
}

/// Why a client says nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Silence {
    /// Nothing is taken from it any more, but it may still listen.
    Unheard,
    /// It is gone.
    Gone,
}

impl ClientRequests {
    /// Makes an id for the question `key` of `asker`, unless the client says nothing any more.
    pub fn ask(&self, key: &str, asker: Arc<dyn Asker>) -> Result<i64, Silence> {
        let mut table = self.0.lock();
        if let Some(silence) = table.silence {
            return Err(silence);
        }
        table.next += 1;
        let id = table.next;
        table.waiting.insert(id, Waiting { key: key.into(), asker });
        Ok(id)
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
        let said = response.outcome.map_or_else(Said::Error, Said::Result);
        match waiting {
            Some(Waiting { key, asker }) => asker.answered(&key, said),
            None => library_log::debug(format_args!("an answer to no request was passed over")),
        }
    }

    /// Whether the client is gone.
    pub fn client_is_gone(&self) -> bool {
        self.0.lock().silence == Some(Silence::Gone)
    }

    /// No answer comes any more.
    pub fn abandon(&self, silence: Silence) {
        let mut table = self.0.lock();
        table.silence = table.silence.max(Some(silence));
        let waiting = std::mem::take(&mut table.waiting);
        drop(table);
        for Waiting { key, asker } in waiting.into_values() {
            asker.answered(&key, Said::Nothing(silence));
        }
    }
}
