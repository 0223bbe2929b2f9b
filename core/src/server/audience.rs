//! Who is told of changes: the open subscriptions, and the sessions of the legacy era.
//!
//! A change is noted when it happens and told a moment later, so that several of one kind are told as one.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::legacy::sessions::Sessions;
use super::subscription::Subscriptions;
use crate::protocol::notification::Change;
use crate::runtime::lock::Mutex;

/// Changes of one kind within this time are announced once.
pub const COALESCING_WINDOW: Duration = Duration::from_millis(10);

/// Everybody who may want to know of a change.
#[derive(Default)]
pub struct Audience {
    /// The open subscriptions.
    pub subscriptions: Arc<Subscriptions>,
    /// The sessions of the legacy era.
    pub sessions: Sessions,
    noted: Mutex<HashSet<(Change, Option<Arc<str>>)>>,
}

impl Audience {
    /// Notes `change`, for those alone who came on behalf of `principal` if there is one. True if the caller must
    /// see to it that [`Self::tell`] runs soon; false if that is under way already, or nobody listens.
    pub fn note(&self, change: Change, principal: Option<Arc<str>>) -> bool {
        if self.subscriptions.count() == 0 && self.sessions.count() == 0 {
            return false;
        }
        let mut noted = self.noted.lock();
        let is_first = noted.is_empty();
        noted.insert((change, principal));
        is_first
    }

    /// Tells what was noted.
    pub fn tell(&self) {
        let noted = std::mem::take(&mut *self.noted.lock());
        for (change, principal) in &noted {
            if principal.is_some() && noted.contains(&(change.clone(), None)) {
                // Everybody is told, that principal too.
                continue;
            }
            self.subscriptions.announce(change, principal.as_deref());
            self.sessions.announce(change, principal.as_deref());
        }
    }
}
