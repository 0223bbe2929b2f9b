//! Open `subscriptions/listen` requests, and the changes that they are told.
//!
//! Specification: basic/patterns/subscriptions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use crate::runtime::lock::Mutex;

use super::concurrency::Place;
use super::identity::Identity;
use super::outbox::Outbox;
use crate::protocol::json_write;
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::notification::{self, Change};
use crate::protocol::request_id::RequestId;

/// Resources that one subscription may name.
pub const MAX_RESOURCES: usize = 1000;

/// Bytes of a URI that is subscribed to, as long as the subscription is kept.
pub const MAX_URI_BYTES: usize = 8192;

/// Which changes a subscription is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// `toolsListChanged`
    pub tools: bool,
    /// `promptsListChanged`
    pub prompts: bool,
    /// `resourcesListChanged`
    pub resources: bool,
    /// `resourceSubscriptions`
    pub uris: Vec<Arc<str>>,
}

impl Filter {
    /// The filter as the acknowledgment repeats it, a JSON object.
    pub fn json(&self) -> Vec<u8> {
        let lists = [
            (self.tools, "toolsListChanged"),
            (self.prompts, "promptsListChanged"),
            (self.resources, "resourcesListChanged"),
        ];
        let mut members: Vec<_> =
            lists.iter().filter(|(wanted, _)| *wanted).map(|(_, name)| format!("\"{name}\":true")).collect();
        if !self.uris.is_empty() {
            let mut uris = Vec::new();
            for (index, uri) in self.uris.iter().enumerate() {
                uris.extend_from_slice(if index == 0 { b"" } else { b"," });
                json_write::string(&mut uris, uri);
            }
            members.push(format!("\"resourceSubscriptions\":[{}]", String::from_utf8_lossy(&uris)));
        }
        format!("{{{}}}", members.join(",")).into_bytes()
    }

    fn wants_list(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::Resource(_) => false,
        }
    }
}

/// The open subscriptions of a server.
#[derive(Default)]
pub struct Subscriptions {
    open: Mutex<Open>,
    next_key: AtomicU64,
}

#[derive(Default)]
struct Open {
    by_key: HashMap<u64, Arc<Subscription>>,
    by_uri: HashMap<Arc<str>, Vec<u64>>,
}

impl Subscriptions {
    /// Opens a subscription: acknowledges it, and tells it changes from then on.
    pub fn open(self: &Arc<Self>, listener: Listener, filter: Filter) -> Arc<Subscription> {
        let key = self.next_key.fetch_add(1, Ordering::Relaxed);
        let registry = Arc::downgrade(self);
        let ended = Mutex::new(false);
        let subscription = Arc::new(Subscription { key, listener, filter, registry, ended });
        // In the books before it is acknowledged, and acknowledged before it is told anything: a change in
        // between waits for the lock.
        let ended = subscription.ended.lock();
        self.open.lock().insert(&subscription);
        let Listener { id, outbox, .. } = &subscription.listener;
        // Nothing may be told before it, so that it must not get lost.
        outbox.send(notification::acknowledged(id, &subscription.filter.json()));
        drop(ended);
        subscription
    }

    /// Tells `change` to every subscription that asked for it; with a principal, to those of that one alone.
    pub fn announce(&self, change: &Change, principal: Option<&str>) {
        let told = self.open.lock().that_want(change);
        for subscription in told {
            if principal.is_none() || principal == subscription.listener.principal.as_deref() {
                subscription.tell(change);
            }
        }
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.open.lock().by_key.len()
    }

    /// How many URIs anybody wants to know of.
    #[cfg(test)]
    pub fn watched_uris(&self) -> usize {
        self.open.lock().by_uri.len()
    }
}

impl Open {
    fn insert(&mut self, subscription: &Arc<Subscription>) {
        for uri in &subscription.filter.uris {
            self.by_uri.entry(uri.clone()).or_default().push(subscription.key);
        }
        self.by_key.insert(subscription.key, subscription.clone());
    }

    fn remove(&mut self, key: u64) -> Option<Arc<Subscription>> {
        let removed = self.by_key.remove(&key)?;
        for uri in &removed.filter.uris {
            if let Some(keys) = self.by_uri.get_mut(uri) {
                keys.retain(|other| *other != key);
                if keys.is_empty() {
                    self.by_uri.remove(uri);
                }
            }
        }
        Some(removed)
    }

    fn that_want(&self, change: &Change) -> Vec<Arc<Subscription>> {
        match change {
            Change::Resource(uri) => {
                let keys = self.by_uri.get(uri).into_iter().flatten();
                keys.filter_map(|key| self.by_key.get(key)).cloned().collect()
            }
            _ => self.by_key.values().filter(|open| open.filter.wants_list(change)).cloned().collect(),
        }
    }
}

/// Who listens.
pub struct Listener {
    /// The `subscriptions/listen` request.
    pub id: RequestId,
    /// On whose behalf it came.
    pub principal: Option<Arc<str>>,
    /// Who answers it.
    pub identity: Option<Arc<Identity>>,
    /// Where the changes go.
    pub outbox: Arc<dyn Outbox>,
    /// Its place among the open subscriptions.
    pub place: Place,
}

/// One open `subscriptions/listen` request.
pub struct Subscription {
    key: u64,
    listener: Listener,
    filter: Filter,
    registry: Weak<Subscriptions>,
    /// Held while a notification is sent, so that none follows the end.
    ended: Mutex<bool>,
}

impl Subscription {
    /// On whose behalf it was opened.
    pub fn principal(&self) -> Option<&Arc<str>> {
        self.listener.principal.as_ref()
    }

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
        self.listener.id.write(&mut out);
        out.extend_from_slice(b",\"result\":{\"resultType\":\"complete\",\"_meta\":{");
        out.extend_from_slice(b"\"io.modelcontextprotocol/subscriptionId\":");
        self.listener.id.write(&mut out);
        if let Some(identity) = &self.listener.identity {
            out.push(b',');
            identity.write_member(&mut out);
        }
        out.extend_from_slice(b"}}}");
        self.listener.outbox.answer(Answer { message: Message::whole(out), status: AnswerStatus::Ok });
        true
    }

    fn tell(&self, change: &Change) {
        let ended = self.ended.lock();
        if !*ended {
            let message = notification::changed(change, Some(&self.listener.id));
            self.listener.outbox.notify(message, Some(change.clone()));
        }
    }

    /// True for the caller that ends it.
    fn close(&self) -> bool {
        if std::mem::replace(&mut *self.ended.lock(), true) {
            return false;
        }
        if let Some(registry) = self.registry.upgrade() {
            let removed = registry.open.lock().remove(self.key);
            drop(removed);
        }
        true
    }
}
