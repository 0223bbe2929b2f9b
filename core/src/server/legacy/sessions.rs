//! The sessions that are open, so that each is told of changes.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use super::session::Session;
use crate::protocol::notification::Change;
use crate::runtime::lock::Mutex;

/// The open sessions of a server.
#[derive(Default)]
pub struct Sessions(Mutex<Table>);

#[derive(Default)]
struct Table {
    open: HashMap<u64, Weak<Session>>,
    next: u64,
}

impl Sessions {
    /// Counts the session that `open` makes of its key among the open ones.
    pub fn add(&self, open: impl FnOnce(u64) -> Arc<Session>) -> Arc<Session> {
        let mut table = self.0.lock();
        let key = table.next;
        table.next += 1;
        let session = open(key);
        table.open.insert(key, Arc::downgrade(&session));
        session
    }

    /// Forgets a session.
    pub fn remove(&self, key: u64) {
        let removed = self.0.lock().open.remove(&key);
        drop(removed);
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.0.lock().open.len()
    }

    /// Tells `change` to every session that asked for it; with a principal, to those of that one alone.
    pub fn announce(&self, change: &Change, principal: Option<&str>) {
        let open: Vec<_> = self.0.lock().open.values().filter_map(Weak::upgrade).collect();
        for session in open {
            if principal.is_none() || principal == session.principal().as_deref() {
                session.tell(change);
            }
        }
    }
}
