//! A server: what it offers, how it is set, and what it does with a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::runtime::lock::RwLock;
use once_cell::sync::OnceCell;

use super::audience::{Audience, COALESCING_WINDOW};
use super::committed_rounds::CommittedRounds;
use super::concurrency::{Gauge, Place};
use super::execution::Executor;
use super::identity::Identity;
use super::in_flight::Handled;
use super::legacy::elicitations::Elicitations;
use super::legacy::sessions::Sessions;
use super::modern::door::Visit;
use super::modern::reply::Ended;
use super::modern::rounds;
use super::offer::Offer;
use super::once_marks::OnceMarks;
use super::outbox::Outbox;
use super::request_state::state::ChainId;
use super::settings::Settings;
use super::shutdown::Services;
use super::subscription::Subscriptions;
use crate::call::handler::{Dispatch, Handler};
use crate::call::headers::Headers;
use crate::call::job;
use crate::call::rounds::MAX_ROUNDS;
use crate::host_error::HostError;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame;
use crate::protocol::notification::Change;
use crate::runtime::async_runtime::AsyncRuntime;
use crate::runtime::fork_guard::ForkGuard;
use crate::runtime::handler_pool::HandlerPool;
use crate::runtime::signal_mask::HostMask;

/// How long [`Server::close`] waits, past the drain bound, for what only has to be torn down.
const CLOSING_SLACK: Duration = Duration::from_secs(1);

/// How long it then waits for handlers whose calls are over, so that they notice and return.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// A request, as a transport hands it in.
pub struct Incoming {
    /// The request.
    pub request: frame::Request,
    /// Its HTTP headers, where it came by HTTP.
    pub headers: Option<Arc<dyn Headers>>,
    /// On whose behalf it comes, as the host says.
    pub principal: Option<Arc<str>>,
    /// Where its answer goes.
    pub outbox: Arc<dyn Outbox>,
    /// Whether the transport has as many requests in flight as it may: a call is told to try again.
    pub overloaded: bool,
}

/// The handler that completes arguments, and where it runs.
#[derive(Clone)]
pub struct Completion {
    /// The code.
    pub handler: Arc<dyn Handler>,
    /// Where it runs.
    pub dispatch: Dispatch,
}

/// A server. Every method may be called from any thread.
pub struct Server {
    settings: RwLock<Arc<Settings>>,
    offer: Offer,
    completion: RwLock<Option<Completion>>,
    /// Arguments were completed once: the capability stays declared.
    had_completion: AtomicBool,
    audience: Arc<Audience>,
    committed_rounds: CommittedRounds<Arc<Ended>>,
    once_marks: OnceMarks,
    elicitations: Elicitations,
    calls: Gauge,
    open_subscriptions: Gauge,
    /// Calls that wait for their clients, where no handler is at work.
    asking: Gauge,
    executor: RwLock<Option<Arc<dyn Executor>>>,
    services: Arc<Services>,
    pool: OnceCell<HandlerPool>,
    runtime: OnceCell<AsyncRuntime>,
    host_mask: HostMask,
    fork_guard: ForkGuard,
}

impl Server {
    /// A server called `name`. Handlers will run with the signal mask of the calling thread.
    pub fn new(name: &str, version: &str) -> Result<Arc<Server>, HostError> {
        let settings = Settings::new(Identity::new(name, version)?);
        Ok(Arc::new(Server {
            offer: Offer::new(&settings),
            runtime: OnceCell::new(),
            settings: RwLock::new(Arc::new(settings)),
            completion: RwLock::default(),
            had_completion: AtomicBool::new(false),
            audience: Arc::default(),
            committed_rounds: CommittedRounds::default(),
            once_marks: OnceMarks::default(),
            elicitations: Elicitations::default(),
            calls: Gauge::default(),
            open_subscriptions: Gauge::default(),
            asking: Gauge::default(),
            executor: RwLock::default(),
            services: Arc::default(),
            pool: OnceCell::new(),
            host_mask: HostMask::current(),
            fork_guard: ForkGuard::new(),
        }))
    }

    /// Changes settings through `change`. Requests that are in flight keep those they began with.
    pub fn configure(
        &self,
        change: impl FnOnce(&mut Settings) -> Result<(), HostError>,
    ) -> Result<(), HostError> {
        let mut current = self.settings.write();
        let mut settings = Settings::clone(&current);
        change(&mut settings)?;
        let stale = self.offer.set_style(&settings);
        *current = Arc::new(settings);
        drop(current);
        drop(stale);
        Ok(())
    }

    /// The settings as they are now.
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.read().clone()
    }

    /// Runs handlers of [`Dispatch::Host`] from now on.
    pub fn set_executor(&self, executor: Arc<dyn Executor>) {
        let before = self.executor.write().replace(executor);
        drop(before);
    }

    /// Takes a request.
    pub fn handle(self: &Arc<Self>, incoming: Incoming) -> Handled {
        let Incoming { request, headers, principal, outbox, overloaded } = incoming;
        Visit { server: self, settings: self.settings(), request, headers, principal, outbox, overloaded }
            .handle()
    }

    /// Completes the arguments of prompts and the variables of templates from now on; `None`: no more.
    pub fn set_completion(&self, completion: Option<Completion>) {
        self.had_completion.fetch_or(completion.is_some(), Ordering::AcqRel);
        let before = std::mem::replace(&mut *self.completion.write(), completion);
        drop(before);
    }

    /// Whether the `completions` capability is declared.
    pub fn offers_completions(&self) -> bool {
        self.had_completion.load(Ordering::Acquire) || self.settings().completions
    }

    /// The handler that completes arguments.
    pub fn completion(&self) -> Option<Completion> {
        self.completion.read().clone()
    }

    /// Tells the client that was sent to a page under `id` that it is done there.
    ///
    /// Specification: 2025-11-25, client/elicitation, "Completion Notifications for URL Mode Elicitation".
    pub fn complete_elicitation(&self, id: &str) -> Result<(), HostError> {
        if self.elicitations.complete(id) {
            return Ok(());
        }
        Err(HostError::NotFound(format!("no client waits to be told of the elicitation \"{id}\"")))
    }

    /// Everybody who may want to know of a change.
    pub fn audience(&self) -> &Audience {
        &self.audience
    }

    /// The open subscriptions.
    pub fn subscriptions(&self) -> &Arc<Subscriptions> {
        &self.audience.subscriptions
    }

    /// The open sessions of the legacy era.
    pub fn sessions(&self) -> &Sessions {
        &self.audience.sessions
    }

    /// The transports that serve.
    pub fn services(&self) -> &Arc<Services> {
        &self.services
    }

    /// The private Tokio runtime, which starts when it is first needed.
    pub fn runtime(&self) -> &AsyncRuntime {
        self.runtime.get_or_init(|| AsyncRuntime::new(self.settings().worker_threads))
    }

    /// Fails in a child process after a fork, where the server's threads do not exist.
    pub fn check_process(&self) -> Result<(), HostError> {
        if self.fork_guard.forked() { Err(HostError::Forked) } else { Ok(()) }
    }

    /// Fails on a thread for which the server would have to wait: one that runs a handler or the protocol.
    pub fn check_may_wait(&self) -> Result<(), HostError> {
        if job::inside_handler() || self.runtime.get().is_some_and(AsyncRuntime::owns_current_thread) {
            return Err(HostError::Deadlock(
                "a handler or callback cannot wait for a server; do so from another thread".into(),
            ));
        }
        Ok(())
    }

    /// Shuts down and ends every thread, but for those of handlers that do not return: they are left
    /// alone, and said so in the log. Waits as long as the drain bound if something still serves, and a moment
    /// for the handlers.
    pub fn close(&self) -> Result<(), HostError> {
        self.check_process()?;
        self.check_may_wait()?;
        let drain = self.settings().drain;
        self.services.shut_down(drain);
        self.services.wait(Some(drain + CLOSING_SLACK));
        if let Some(pool) = self.pool.get() {
            // Every call was answered or cancelled by now: no second drain.
            pool.shutdown(Instant::now() + LAST_MOMENT);
        }
        if let Some(runtime) = self.runtime.get() {
            runtime.shutdown(CLOSING_SLACK);
        }
        self.offer.clear();
        let executor = self.executor.write().take();
        drop(executor);
        self.set_completion(None);
        Ok(())
    }

    pub(super) fn offer(&self) -> &Offer {
        &self.offer
    }

    pub(super) fn pool(&self) -> &HandlerPool {
        self.pool.get_or_init(|| HandlerPool::new(self.settings().pool, self.host_mask))
    }

    pub(super) fn executor(&self) -> Option<Arc<dyn Executor>> {
        self.executor.read().clone()
    }

    pub(super) fn take_place(&self, settings: &Settings) -> Option<Place> {
        self.calls.take(settings.max_in_flight)
    }

    /// A place among the calls that wait for their clients. They are counted apart: clients that answer nothing must not
    /// keep others from calling.
    pub(super) fn take_asking_place(&self, settings: &Settings) -> Option<Place> {
        self.asking.take(settings.max_in_flight)
    }

    /// How many calls have a place.
    #[cfg(test)]
    pub(crate) fn calls_in_flight(&self) -> usize {
        self.calls.taken()
    }

    pub(super) fn take_subscription(&self, settings: &Settings) -> Result<Place, ProtocolError> {
        let most = settings.max_subscriptions;
        self.open_subscriptions.take(most).ok_or_else(|| {
            ProtocolError::internal(format!("the server has {most} subscriptions open and takes no more"))
        })
    }

    pub(super) fn committed_rounds(&self) -> &CommittedRounds<Arc<Ended>> {
        &self.committed_rounds
    }

    pub(super) fn elicitations(&self) -> &Elicitations {
        &self.elicitations
    }

    /// Notes that a chain of rounds has an effect; false if it had it before.
    pub(super) fn is_first_in_chain(&self, chain: &[u8; 16], key: &str) -> bool {
        let now = rounds::now();
        // An older state of the chain may be renewed, round after round, before the effect is asked for again.
        let longest = self.settings().request_state.lifetime.as_millis() * u128::from(MAX_ROUNDS + 1);
        let until = now.saturating_add(u64::try_from(longest).unwrap_or(u64::MAX));
        self.once_marks.first(ChainId(*chain), key, until, now)
    }

    /// Tells whoever asked of a change, a moment later, so that several changes are told as one; with a principal,
    /// those alone who came on its behalf.
    pub(super) fn announce(&self, change: Change, principal: Option<Arc<str>>) {
        if self.audience.note(change, principal) {
            let audience = self.audience.clone();
            if self.runtime().after(COALESCING_WINDOW, move || audience.tell()).is_err() {
                // Better at once, and perhaps more than once, than never.
                self.audience.tell();
            }
        }
    }
}
