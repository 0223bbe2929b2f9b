//! One client of the legacy era, from its `initialize` to its end.
//!
//! Specification: 2025-11-25, basic/lifecycle.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use super::client_requests::{ClientRequests, Silence};
use super::push::Push;
use super::{answering, door, initialize};
use crate::protocol::client_capability::ClientCapabilities;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::{Notification, Response};
use crate::protocol::log_level::LogLevel;
use crate::protocol::message::Message;
use crate::protocol::notification::{self, Change};
use crate::protocol::resource_uri;
use crate::protocol::revision::Revision;
use crate::runtime::lock::Mutex;
use crate::server::engine::{Incoming, Server};
use crate::server::in_flight::Handled;
use crate::server::subscription::MAX_URI_BYTES;

/// Resources that one session may subscribe to.
pub const MAX_SUBSCRIBED: usize = 1000;

/// Log messages from this level on are sent until the client sets another.
pub const DEFAULT_LOG_LEVEL: LogLevel = LogLevel::Info;

/// A session. Every method may be called from any thread. It ends with [`Self::end`], or when it is dropped.
pub struct Session {
    key: u64,
    server: Arc<Server>,
    revision: Revision,
    capabilities: ClientCapabilities,
    introduction: Option<Bytes>,
    principal: Mutex<Option<Arc<str>>>,
    push: Arc<dyn Push>,
    log_level: Mutex<LogLevel>,
    /// The client has said that it is ready; before, it is told nothing that it did not ask for.
    initialized: AtomicBool,
    subscribed: Mutex<HashSet<Arc<str>>>,
    requests: ClientRequests,
}

impl Session {
    /// Answers `initialize` and opens the session, if it succeeds. What belongs to no request goes by `push`.
    pub fn initialize(server: &Arc<Server>, incoming: Incoming, push: Arc<dyn Push>) -> Option<Arc<Session>> {
        Session::open(server, incoming, push, |_| true)
    }

    /// The same; `keep` has the session before the client has the answer: where an answer may be sent while the
    /// request is being taken, the next message may come meanwhile. If it does not keep it, because the client has
    /// one, the request is refused.
    pub fn open(
        server: &Arc<Server>,
        incoming: Incoming,
        push: Arc<dyn Push>,
        keep: impl FnOnce(&Arc<Session>) -> bool,
    ) -> Option<Arc<Session>> {
        let outbox = incoming.outbox;
        let hello = match initialize::read(&incoming.request.params) {
            Ok(hello) => hello,
            Err(error) => {
                answering::fail(&*outbox, &incoming.request.id, error);
                return None;
            }
        };
        let session = server.sessions().add(|key| {
            Arc::new(Session {
                key,
                server: server.clone(),
                revision: hello.revision,
                capabilities: hello.capabilities,
                introduction: hello.introduction,
                principal: Mutex::new(incoming.principal),
                push,
                log_level: Mutex::new(DEFAULT_LOG_LEVEL),
                initialized: AtomicBool::new(false),
                subscribed: Mutex::default(),
                requests: ClientRequests::default(),
            })
        });
        if !keep(&session) {
            session.end();
            answering::fail(&*outbox, &incoming.request.id, initialize::again());
            return None;
        }
        initialize::answer(server, session.revision, &*outbox, &incoming.request.id);
        Some(session)
    }

    /// Takes a request.
    pub fn handle(self: &Arc<Self>, incoming: Incoming) -> Handled {
        door::handle(self, incoming)
    }

    /// Takes a notification, but for a cancellation, which is the transport's: it knows the requests in flight.
    pub fn notification(&self, notification: &Notification) {
        if notification.method.as_str() == "notifications/initialized" {
            self.initialized.store(true, Ordering::Release);
        }
    }

    /// Takes the answer to a request of the server's.
    pub fn response(&self, response: Response) {
        self.requests.answered(response);
    }

    /// Nothing more is asked of the client or told to it. What waits for an answer of its fails.
    pub fn end(&self) {
        self.server.sessions().remove(self.key);
        self.requests.abandon(Silence::Gone);
    }

    /// Nothing more is taken from the client, though it may listen: a request that waits for an answer of its, or comes
    /// to ask, is answered with a failure.
    pub fn hear_no_more(&self) {
        self.requests.abandon(Silence::Unheard);
    }

    /// The revision that was agreed on.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// On whose behalf the client came.
    pub fn principal(&self) -> Option<Arc<str>> {
        self.principal.lock().clone()
    }

    /// The client comes on behalf of another principal from now on, or is known at last. What was subscribed to on
    /// behalf of the one before ends.
    pub fn set_principal(&self, principal: Option<&Arc<str>>) {
        let before = std::mem::replace(&mut *self.principal.lock(), principal.cloned());
        if before.is_some() && before.as_ref() != principal {
            let ended = std::mem::take(&mut *self.subscribed.lock());
            drop(ended);
        }
    }

    /// Tells the client of `change`, if it asked for it.
    pub fn tell(&self, change: &Change) {
        let asked = match change {
            Change::Resource(uri) => self.subscribed.lock().contains(uri),
            _ => true,
        };
        if asked && self.initialized.load(Ordering::Acquire) && !self.requests.client_is_gone() {
            self.push.notify(notification::changed(change, None), Some(change.clone()));
        }
    }

    /// Sends a notification that belongs to no request; false if the session has ended.
    pub(super) fn send(&self, message: Message) -> bool {
        let is_open = !self.requests.client_is_gone();
        if is_open {
            self.push.send(message);
        }
        is_open
    }

    pub(super) fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// What the client said of itself.
    pub(super) fn introduction(&self) -> Option<Bytes> {
        self.introduction.clone()
    }

    pub(super) fn capabilities(&self) -> &ClientCapabilities {
        &self.capabilities
    }

    pub(super) fn requests(&self) -> &ClientRequests {
        &self.requests
    }

    pub(super) fn log_level(&self) -> LogLevel {
        *self.log_level.lock()
    }

    pub(super) fn set_log_level(&self, level: LogLevel) {
        *self.log_level.lock() = level;
    }

    /// Specification: 2025-11-25, server/resources, "Subscriptions".
    pub(super) fn subscribe(&self, uri: String) -> Result<(), ProtocolError> {
        if uri.len() > MAX_URI_BYTES {
            return Err(ProtocolError::invalid_params(format!(
                "params.uri has more than {MAX_URI_BYTES} bytes"
            )));
        }
        if let Some(fault) = resource_uri::fault(&uri) {
            return Err(ProtocolError::invalid_params(format!("params.uri: {fault}")));
        }
        let mut subscribed = self.subscribed.lock();
        if subscribed.len() >= MAX_SUBSCRIBED && !subscribed.contains(&*uri) {
            return Err(ProtocolError::internal(format!(
                "this session subscribes to {MAX_SUBSCRIBED} resources, and to no more"
            )));
        }
        subscribed.insert(uri.into());
        Ok(())
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.subscribed.lock().remove(uri);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.server.sessions().remove(self.key);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::call::host::Host;
    use crate::call::invocation::Call;
    use crate::server::conversation::{add, add_prompt, add_resource, server, text};
    use crate::server::legacy::conversation::{Client, LEGACY, initialize};

    fn subscribe(client: &Client, uri: &str) -> Value {
        client.ask("resources/subscribe", json!({"uri": uri}))
    }

    fn methods(client: &Client) -> Vec<String> {
        let said = client.push.so_far();
        said.iter().map(|message| message["method"].as_str().unwrap().to_owned()).collect()
    }

    /// A server with a resource, whose changes are told when the test says so.
    fn with_resource() -> Arc<Server> {
        let server = server();
        add_resource(&server, json!({"uri": "x:1", "name": "one"}), |_: &_| {});
        server
    }

    fn changed(server: &Arc<Server>, change: Change, principal: Option<&str>) {
        server.audience().note(change, principal.map(Arc::from));
        server.audience().tell();
    }

    #[test]
    fn tells_of_the_resources_that_its_client_subscribed_to() {
        let server = with_resource();
        for revision in LEGACY {
            let client = Client::begin(&server, revision);
            assert_eq!(subscribe(&client, "x:1")["result"], json!({}));
            assert_eq!(subscribe(&client, "x:1")["result"], json!({}), "again");
            changed(&server, Change::Resource("x:2".into()), None);
            changed(&server, Change::Resource("x:1".into()), None);
            let told = json!({"jsonrpc": "2.0", "method": "notifications/resources/updated",
                "params": {"uri": "x:1"}});
            assert_eq!(client.push.so_far(), [told]);
            for _ in 0..2 {
                let done = client.ask("resources/unsubscribe", json!({"uri": "x:1"}));
                assert_eq!(done["result"], json!({}));
            }
            changed(&server, Change::Resource("x:1".into()), None);
            assert_eq!(client.push.so_far().len(), 1);
            for method in ["resources/subscribe", "resources/unsubscribe"] {
                assert_eq!(client.ask(method, json!({"uri": 5}))["error"]["code"], -32602);
            }
        }
    }

    #[test]
    fn a_change_that_the_host_tells_reaches_those_who_subscribed() {
        let server = with_resource();
        let client = Client::begin(&server, Revision::V2025_06_18);
        subscribe(&client, "x:1");
        server.resource_updated("x:1", None);
        assert_eq!(client.push.told("notifications/resources/updated"), json!({"uri": "x:1"}));
    }

    #[test]
    fn tells_of_changed_lists_once_the_client_is_ready() {
        let server = with_resource();
        let hello = initialize("2025-03-26", json!({}));
        let client = Client::arriving(&server, None, &hello).0.unwrap();
        changed(&server, Change::Resources, None);
        assert_eq!(client.push.so_far().len(), 0);
        client.notify("notifications/roots/list_changed", json!({}));
        client.notify("notifications/unknown", json!([]));
        assert_eq!(client.push.so_far().len(), 0);
        client.notify("notifications/initialized", json!({}));
        for change in [Change::Tools, Change::Prompts, Change::Resources] {
            changed(&server, change, None);
        }
        let mut told = methods(&client);
        told.sort();
        assert_eq!(
            told,
            [
                "notifications/prompts/list_changed",
                "notifications/resources/list_changed",
                "notifications/tools/list_changed"
            ]
        );
        let told = client.push.told("notifications/tools/list_changed");
        assert_eq!(told, json!({}), "nothing of the modern era");
        add_prompt(&server, json!({"name": "new"}), |_: &_| {});
        client.push.wait(|messages| messages.len() == 4);
    }

    #[test]
    fn what_was_subscribed_to_ends_with_the_principal_it_was_for() {
        let server = server();
        server.configure(|settings| settings.set("resources", "true")).unwrap();
        let client = Client::begin(&server, Revision::V2025_11_25);
        let told = |principal: &str| {
            changed(&server, Change::Resource("a:b".into()), Some(principal));
            client.push.so_far().len()
        };
        client.ask("resources/subscribe", json!({"uri": "a:b"}));
        client.session.set_principal(Some(&"ann".into()));
        assert_eq!(told("ann"), 1, "known at last");
        client.session.set_principal(Some(&"bob".into()));
        assert_eq!((told("ann"), told("bob")), (1, 1), "bob has subscribed to nothing");
        client.ask("resources/subscribe", json!({"uri": "a:b"}));
        assert_eq!((told("ann"), told("bob")), (1, 2));
        let refused = client.ask("resources/subscribe", json!({"uri": "no scheme"}));
        assert_eq!(refused["error"]["code"], -32602);
    }

    #[test]
    fn tells_what_is_meant_for_one_principal_to_its_sessions_only() {
        let server = with_resource();
        let arrive = |principal| {
            let hello = initialize("2025-11-25", json!({}));
            let client = Client::arriving(&server, principal, &hello).0.unwrap();
            client.notify("notifications/initialized", json!({}));
            subscribe(&client, "x:1");
            client
        };
        let clients = [arrive(Some("ann")), arrive(Some("bob")), arrive(None)];
        let counts = || clients.each_ref().map(|client| client.push.so_far().len());
        changed(&server, Change::Resource("x:1".into()), Some("ann"));
        assert_eq!(counts(), [1, 0, 0]);
        // Told to everybody, it is not told to one of them twice.
        server.audience().note(Change::Resource("x:1".into()), Some("ann".into()));
        changed(&server, Change::Resource("x:1".into()), None);
        assert_eq!(counts(), [2, 1, 1]);
        assert_eq!(clients[0].session.principal().as_deref(), Some("ann"));
    }

    #[test]
    fn a_session_subscribes_to_so_many_resources() {
        let client = Client::begin(&with_resource(), Revision::V2025_11_25);
        for n in 0..MAX_SUBSCRIBED {
            assert_eq!(subscribe(&client, &format!("x:{n}"))["result"], json!({}));
        }
        assert_eq!(subscribe(&client, "x:more")["error"]["code"], -32603);
        assert_eq!(subscribe(&client, "x:0")["result"], json!({}), "it has that one");
        let long = format!("x:{}", "y".repeat(MAX_URI_BYTES));
        assert_eq!(subscribe(&client, &long)["error"]["code"], -32602);
        client.ask("resources/unsubscribe", json!({"uri": "x:0"}));
        assert_eq!(subscribe(&client, "x:more")["result"], json!({}));
    }

    #[test]
    fn an_ended_session_tells_nothing_and_its_calls_ask_nothing() {
        let server = with_resource();
        let (give, given) = std::sync::mpsc::channel();
        add(&server, "keep", json!({"type": "object"}), move |call: &Arc<Call>| {
            give.send(call.clone()).unwrap()
        });
        let client = Client::begin(&server, Revision::V2025_11_25);
        subscribe(&client, "x:1");
        let (asking, _asking) = client.begin_call("keep");
        let (finishing, _finishing) = client.begin_call("keep");
        assert_eq!(server.sessions().count(), 1);
        client.session.end();
        client.session.end();
        assert_eq!(server.sessions().count(), 0);
        changed(&server, Change::Resource("x:1".into()), None);
        client.session.tell(&Change::Tools);
        let call: Arc<Call> = given.recv().unwrap();
        assert!(call.request_input("where", br#"{"method": "roots/list"}"#).is_err());
        drop(call);
        given.recv().unwrap().finish_text("done").unwrap();
        assert_eq!(text(&finishing.answer()), "done", "whether anybody takes it, is the transport's");
        assert_eq!((asking.so_far().len(), client.push.so_far().len()), (0, 0));
        assert_eq!(server.calls_in_flight(), 0);
    }

    #[test]
    fn a_session_ends_when_nobody_keeps_it() {
        let server = server();
        let client = Client::begin(&server, Revision::V2025_11_25);
        let (session, push) = (Arc::downgrade(&client.session), Arc::downgrade(&client.push));
        client.ask("ping", json!({}));
        drop(client);
        assert!(session.upgrade().is_none() && push.upgrade().is_none());
        assert_eq!(server.sessions().count(), 0);
    }
}
