//! Open `subscriptions/listen` requests, and the changes that they are told.
//!
//! Specification: basic/patterns/subscriptions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::runtime::lock::Mutex;

use super::concurrency::Place;
use super::identity::Identity;
use super::outbox::Outbox;
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::notification::{self, Change};
use crate::protocol::request_id::RequestId;

/// Changes of one kind within this time are announced once.
pub const COALESCING_WINDOW: Duration = Duration::from_millis(10);

/// Which changes a subscription is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// `toolsListChanged`
    pub tools: bool,
}

impl Filter {
    /// The filter as the acknowledgment repeats it, a JSON object.
    pub fn json(self) -> &'static [u8] {
        if self.tools { b"{\"toolsListChanged\":true}" } else { b"{}" }
    }

    fn wants(self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts | Change::Resources | Change::Resource(_) => false,
        }
    }
}

/// The open subscriptions of a server.
#[derive(Default)]
pub struct Subscriptions {
    open: Mutex<HashMap<u64, Arc<Subscription>>>,
    next_key: AtomicU64,
    announced: Mutex<Vec<Change>>,
}

impl Subscriptions {
    /// Opens a subscription: acknowledges it, and tells it changes from then on.
    pub fn open(
        self: &Arc<Self>,
        id: RequestId,
        filter: Filter,
        identity: Option<Arc<Identity>>,
        outbox: Arc<dyn Outbox>,
        place: Place,
    ) -> Arc<Subscription> {
        let key = self.next_key.fetch_add(1, Ordering::Relaxed);
        let registry = Arc::downgrade(self);
        let ended = Mutex::new(false);
        let subscription =
            Arc::new(Subscription { key, id, filter, identity, outbox, registry, ended, _place: place });
        // In the books before it is acknowledged, and acknowledged before it is told anything: a change in
        // between waits for the lock.
        let ended = subscription.ended.lock();
        self.open.lock().insert(key, subscription.clone());
        let acknowledged = notification::acknowledged(&subscription.id, filter.json());
        subscription.outbox.notify(acknowledged, None);
        drop(ended);
        subscription
    }

    /// Notes `change`. True if the caller must see to it that [`Self::announce`] runs soon; false if that is
    /// under way already, or nobody listens.
    pub fn note(&self, change: Change) -> bool {
        if self.open.lock().is_empty() {
            return false;
        }
        let mut announced = self.announced.lock();
        if announced.contains(&change) {
            return false;
        }
        announced.push(change);
        announced.len() == 1
    }

    /// Tells the noted changes to every subscription that asked for them.
    pub fn announce(&self) {
        let changes = std::mem::take(&mut *self.announced.lock());
        let open: Vec<_> = self.open.lock().values().cloned().collect();
        for subscription in open {
            for change in changes.iter().filter(|change| subscription.filter.wants(change)) {
                subscription.tell(change);
            }
        }
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.open.lock().len()
    }
}

/// One open `subscriptions/listen` request.
pub struct Subscription {
    key: u64,
    id: RequestId,
    filter: Filter,
    identity: Option<Arc<Identity>>,
    outbox: Arc<dyn Outbox>,
    registry: Weak<Subscriptions>,
    /// Held while a notification is sent, so that none follows the end.
    ended: Mutex<bool>,
    _place: Place,
}

impl Subscription {
    /// Ends it without a word.
    pub fn cancel(&self) {
        self.close();
    }

    /// Ends it with the result that tells a graceful end; false if it had ended.
    pub fn conclude(&self) -> bool {
        if !self.close() {
            return false;
        }
        let mut out = Vec::with_capacity(256);
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        self.id.write(&mut out);
        out.extend_from_slice(b",\"result\":{\"resultType\":\"complete\",\"_meta\":{");
        out.extend_from_slice(b"\"io.modelcontextprotocol/subscriptionId\":");
        self.id.write(&mut out);
        if let Some(identity) = &self.identity {
            out.push(b',');
            identity.write_member(&mut out);
        }
        out.extend_from_slice(b"}}}");
        self.outbox.answer(Answer { message: Message::whole(out), status: AnswerStatus::Ok });
        true
    }

    fn tell(&self, change: &Change) {
        let ended = self.ended.lock();
        if !*ended {
            self.outbox.notify(notification::changed(change, Some(&self.id)), Some(change.clone()));
        }
    }

    /// True for the caller that ends it.
    fn close(&self) -> bool {
        if std::mem::replace(&mut *self.ended.lock(), true) {
            return false;
        }
        if let Some(registry) = self.registry.upgrade() {
            registry.open.lock().remove(&self.key);
        }
        true
    }
}
