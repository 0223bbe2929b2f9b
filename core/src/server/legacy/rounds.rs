//! The rounds of one request of a session: its handler runs; what it lacks, the client is asked; it runs again.
//!
//! Specification: 2025-11-25, client/elicitation, client/sampling, client/roots.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;

use super::client_requests::Asker;
use super::session::Session;
use super::{answering, shape};
use crate::call::arguments::Arguments;
use crate::call::handler::{Dispatch, Handler};
use crate::call::host::Host;
use crate::call::invocation::{Call, Rates};
use crate::call::outcome::Outcome;
use crate::call::outlet::Outlet;
use crate::call::request::{CallRequest, RequestContext};
use crate::call::rounds::{Carried, InputRequired, MAX_ROUNDS};
use crate::call::subject::Subject;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::input_request::{InputKind, InputRequest};
use crate::protocol::log_level::LogLevel;
use crate::protocol::message::Message;
use crate::protocol::notification;
use crate::protocol::request_id::RequestId;
use crate::runtime::async_runtime::Timer;
use crate::runtime::library_log;
use crate::runtime::lock::Mutex;
use crate::server::called::Called;
use crate::server::concurrency::Place;
use crate::server::engine::{Incoming, Server};
use crate::server::execution::{self, Runnable};
use crate::server::in_flight::{Handled, InFlight};
use crate::server::outbox::Outbox;
use crate::server::settings::Settings;

/// How long the client may take to answer a question, unless set otherwise.
pub const DEFAULT_ANSWER_TIMEOUT: Duration = Duration::from_secs(600);

/// One request of a session and the rounds of its handler.
pub struct Rounds {
    session: Arc<Session>,
    id: RequestId,
    outbox: Arc<dyn Outbox>,
    progress_token: Option<Bytes>,
    handler: Arc<dyn Handler>,
    dispatch: Dispatch,
    rates: Rates,
    answer_timeout: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    stage: Stage,
    /// Given back with the answer, or when a handler that is not waited for any more returns.
    place: Option<Place>,
}

#[derive(Default)]
enum Stage {
    #[default]
    Begun,
    Running(Weak<Call>),
    Asking(Box<Asking>),
    Over,
}

/// A round that waits for the client.
struct Asking {
    subject: Subject,
    arguments: Bytes,
    context: RequestContext,
    carried: Carried,
    /// The ids of the requests that have no answer, by the key of the question.
    waiting: BTreeMap<String, i64>,
    timer: Option<Timer>,
}

impl Rounds {
    /// The rounds of a request that calls `called`.
    pub fn new(
        session: &Arc<Session>,
        incoming: &Incoming,
        called: &Called,
        settings: &Settings,
        progress_token: Option<Bytes>,
    ) -> Arc<Rounds> {
        Arc::new(Rounds {
            session: session.clone(),
            id: incoming.request.id.clone(),
            outbox: incoming.outbox.clone(),
            progress_token,
            handler: called.handler.clone(),
            dispatch: called.dispatch,
            rates: settings.rates,
            answer_timeout: settings.answer_timeout,
            state: Mutex::default(),
        })
    }

    /// Answers without running anything.
    pub fn refuse(&self, subject: &Subject, why: &str) {
        self.answer(subject, subject.failure(why).into());
    }

    /// Runs the first round.
    pub fn begin(
        self: &Arc<Self>,
        called: Called,
        context: RequestContext,
        place: Place,
        settings: &Settings,
    ) -> Handled {
        self.state.lock().place = Some(place);
        let Called { subject, arguments, check_first, .. } = called;
        let request = CallRequest { subject, arguments, context, carried: Carried::default() };
        self.run(request, check_first, settings);
        match self.state.lock().stage {
            Stage::Over => Handled::Answered,
            _ => Handled::Running(InFlight::Rounds(self.clone())),
        }
    }

    /// The client does not want the answer any more: nothing is sent from now on, but for the cancellation of what
    /// it was asked.
    pub fn cancel(&self) {
        let stage = std::mem::replace(&mut self.state.lock().stage, Stage::Over);
        match stage {
            Stage::Begun | Stage::Over => {}
            Stage::Running(call) => {
                if let Some(call) = call.upgrade() {
                    call.cancel();
                }
            }
            Stage::Asking(asking) => {
                self.withdraw(*asking, "the request that asked was cancelled");
                self.release();
            }
        }
    }

    /// What is called, if it has no answer.
    pub fn unanswered(&self) -> Option<String> {
        match &self.state.lock().stage {
            Stage::Running(call) => call.upgrade().map(|call| call.subject().to_string()),
            Stage::Asking(asking) => Some(asking.subject.to_string()),
            Stage::Begun | Stage::Over => None,
        }
    }

    fn run(self: &Arc<Self>, request: CallRequest, check_first: bool, settings: &Settings) {
        let outlet = Box::new(RoundOutlet { rounds: self.clone(), server: self.session.server().clone() });
        let call = Arc::new(Call::new(request, outlet, self.rates));
        {
            let mut state = self.state.lock();
            if matches!(state.stage, Stage::Over) {
                drop(state);
                return call.cancel();
            }
            state.stage = Stage::Running(Arc::downgrade(&call));
        }
        let runnable = Runnable { handler: self.handler.clone(), dispatch: self.dispatch, check_first };
        execution::run(self.session.server(), settings, runnable, call);
    }

    /// Answers the request, unless it was cancelled.
    fn answer(&self, subject: &Subject, outcome: Outcome) {
        let mut state = self.state.lock();
        if matches!(std::mem::replace(&mut state.stage, Stage::Over), Stage::Over) {
            return;
        }
        drop(state);
        match outcome {
            Outcome::Result(result) => {
                let contract = if let Subject::Tool(contract) = subject { Some(&**contract) } else { None };
                let message = shape::write(self.session.revision(), &self.id, contract, result);
                answering::send(&*self.outbox, message);
            }
            Outcome::Error(error) => {
                answering::fail(&*self.outbox, &self.id, error);
            }
            Outcome::InputRequired(_) => {
                let error = ProtocolError::internal(format!("{subject} asked too often"));
                answering::fail(&*self.outbox, &self.id, error);
            }
        }
    }

    /// No handler is at work for an answered request.
    fn release(&self) {
        let place = self.state.lock().place.take();
        drop(place);
    }

    /// Asks the client what the handler wants to know.
    fn ask(self: &Arc<Self>, request: &CallRequest, required: InputRequired) {
        let InputRequired { questions, mut carried } = required;
        carried.rounds += 1;
        if carried.rounds > MAX_ROUNDS {
            library_log::error(format_args!("{}: its handler asked {MAX_ROUNDS} times", request.subject));
            let error = ProtocolError::internal(format!("{} asked too often", request.subject));
            return self.answer(&request.subject, Outcome::Error(error));
        }
        let mut messages = Vec::new();
        let mut waiting = BTreeMap::new();
        for (key, question) in &questions {
            let Some(id) = self.session.requests().ask(key, self.clone()) else {
                return self.cancel();
            };
            waiting.insert(key.clone(), id);
            match self.word(id, key, question, &mut carried) {
                Ok(message) => messages.push(message),
                Err(why) => return self.cannot_ask(&request.subject, &waiting, &why),
            }
        }
        let asking = Asking {
            subject: request.subject.clone(),
            arguments: request.arguments.raw().clone(),
            context: request.context.clone(),
            carried,
            waiting,
            timer: self.expire(),
        };
        {
            let mut state = self.state.lock();
            if matches!(state.stage, Stage::Over) {
                drop(state);
                return self.withdraw(asking, "the request that asked was cancelled");
            }
            state.stage = Stage::Asking(Box::new(asking));
        }
        for message in messages {
            if !self.outbox.request(message.clone()) {
                self.session.push().request(message);
            }
        }
    }

    /// The request that asks `question`; a text for the author if the session's revision has no such request.
    fn word(
        &self,
        id: i64,
        key: &str,
        question: &InputRequest,
        carried: &mut Carried,
    ) -> Result<Message, String> {
        let revision = self.session.revision();
        let elicitation = (question.kind() == InputKind::Url).then(|| carried.elicitation(key).to_owned());
        let params = question.legacy_params(revision, elicitation.as_deref())?;
        if let Some(elicitation) = elicitation {
            self.session.server().elicitations().begin(&elicitation, &self.session);
        }
        Ok(Message::request(id, question.method(), &params))
    }

    fn cannot_ask(&self, subject: &Subject, waiting: &BTreeMap<String, i64>, why: &str) {
        for id in waiting.values() {
            self.session.requests().forget(*id);
        }
        library_log::warning(format_args!("{subject}: {why}"));
        let revision = self.session.revision().name();
        let message = format!("{subject} needs to ask what a client of revision {revision} cannot be asked.");
        self.answer(subject, subject.failure(&message).into());
        self.release();
    }

    fn expire(self: &Arc<Self>) -> Option<Timer> {
        let rounds = Arc::downgrade(self);
        let limit = self.answer_timeout;
        let timer = self.session.server().runtime().after(limit, move || {
            if let Some(rounds) = rounds.upgrade() {
                let message = format!("The client did not answer within {} ms.", limit.as_millis());
                rounds.give_up(&message);
            }
        });
        timer.inspect_err(|fault| library_log::warning(format_args!("no limit for an answer: {fault}"))).ok()
    }

    /// The questions are answered by nobody: so is the request.
    fn give_up(&self, why: &str) {
        let mut state = self.state.lock();
        let Stage::Asking(asking) = std::mem::replace(&mut state.stage, Stage::Over) else { return };
        state.stage = Stage::Begun;
        drop(state);
        let subject = asking.subject.clone();
        self.withdraw(*asking, why);
        self.answer(&subject, subject.failure(why).into());
        self.release();
    }

    /// Tells the client that it need not answer any more.
    fn withdraw(&self, asking: Asking, why: &str) {
        if let Some(timer) = asking.timer {
            timer.cancel();
        }
        for id in asking.waiting.into_values() {
            if self.session.requests().forget(id) {
                let message = notification::cancelled(&RequestId::Integer(id), Some(why));
                self.session.push().notify(message, None);
            }
        }
    }

    fn take_answer(self: &Arc<Self>, key: &str, answer: Bytes) {
        let mut state = self.state.lock();
        let Stage::Asking(asking) = &mut state.stage else { return };
        asking.waiting.remove(key);
        asking.carried.offered.insert(key.into(), answer);
        if !asking.waiting.is_empty() {
            return;
        }
        let Stage::Asking(asking) = std::mem::take(&mut state.stage) else { return };
        drop(state);
        let Asking { subject, arguments, context, carried, timer, .. } = *asking;
        if let Some(timer) = timer {
            timer.cancel();
        }
        // They decoded before.
        let Ok(arguments) = Arguments::decode(Some(arguments)) else { return };
        let request = CallRequest { subject, arguments, context, carried };
        self.run(request, false, &self.session.server().settings());
    }
}

impl Asker for Rounds {
    fn answered(self: Arc<Self>, key: &str, answer: Option<Result<Bytes, Bytes>>) {
        match answer {
            Some(Ok(answer)) => self.take_answer(key, answer),
            Some(Err(error)) => {
                let said = serde_json::from_slice::<serde_json::Value>(&error).unwrap_or_default();
                let said = said["message"].as_str().unwrap_or("without a message").to_owned();
                self.give_up(&format!("The client answered the question \"{key}\" with an error: {said}"));
            }
            None => self.cancel(),
        }
    }
}

/// The way out of one round.
struct RoundOutlet {
    rounds: Arc<Rounds>,
    server: Arc<Server>,
}

impl Outlet for RoundOutlet {
    fn wants_progress(&self) -> bool {
        self.rounds.progress_token.is_some()
    }

    fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let message = message.filter(|_| self.rounds.session.revision().has_progress_messages());
        if let Some(token) = &self.rounds.progress_token {
            self.rounds.outbox.notify(notification::progress(token, progress, total, message), None);
        }
    }

    fn wants_log(&self, level: LogLevel) -> bool {
        self.server.settings().logging && level >= self.rounds.session.log_level()
    }

    fn log(&self, level: LogLevel, logger: Option<&str>, data: &[u8]) {
        self.rounds.outbox.notify(notification::log_message(level, logger, data), None);
    }

    fn finish(&self, request: &CallRequest, outcome: Outcome) {
        match outcome {
            Outcome::InputRequired(required) => self.rounds.ask(request, *required),
            // A session's client is told in words what it did not declare.
            Outcome::Error(error) if error.code == ErrorCode::MISSING_CAPABILITY => {
                self.rounds.answer(&request.subject, request.subject.failure(&error.message).into());
            }
            outcome => self.rounds.answer(&request.subject, outcome),
        }
    }

    fn handler_is_done(&self) {
        if matches!(self.rounds.state.lock().stage, Stage::Over) {
            self.rounds.release();
        }
    }

    fn close_stream(&self, retry: Option<Duration>) {
        self.rounds.outbox.close_stream(retry);
    }

    fn host(&self) -> Arc<dyn Host> {
        self.server.clone()
    }
}
