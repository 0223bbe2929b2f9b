//! Url elicitations that are under way, so that the client that was sent to a page is told when it is done there.
//!
//! Specification: 2025-11-25, client/elicitation, "Completion Notifications for URL Mode Elicitation".

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};

use super::session::Session;
use crate::protocol::notification;
use crate::runtime::lock::Mutex;

/// How many are remembered; past it, the oldest are forgotten, and their clients are told nothing.
pub const MAX_UNDER_WAY: usize = 10_000;

/// The elicitations under way, by their ids.
#[derive(Default)]
pub struct Elicitations(Mutex<Table>);

#[derive(Default)]
struct Table {
    sessions: HashMap<String, Weak<Session>>,
    order: VecDeque<String>,
}

impl Elicitations {
    /// The client of `session` was sent to a page, under `id`.
    pub fn begin(&self, id: &str, session: &Arc<Session>) {
        let mut table = self.0.lock();
        if table.sessions.insert(id.into(), Arc::downgrade(session)).is_some() {
            return;
        }
        table.order.push_back(id.into());
        if table.order.len() > MAX_UNDER_WAY
            && let Some(oldest) = table.order.pop_front()
        {
            table.sessions.remove(&oldest);
        }
    }

    /// What was to be done under `id` is done: its client is told. False if nobody waits to be told.
    pub fn complete(&self, id: &str) -> bool {
        let mut table = self.0.lock();
        let Some(session) = table.sessions.remove(id) else { return false };
        table.order.retain(|other| other != id);
        drop(table);
        let Some(session) = session.upgrade() else { return false };
        session.send(notification::elicitation_complete(id))
    }
}
