//! The rounds of one request of a session: its handler runs; what it lacks, the client is asked; it runs again.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;

use super::question_round::QuestionRound;
use super::round_outlet::RoundOutlet;
use super::session::Session;
use super::{answering, shape};
use crate::call::handler::{Dispatch, Handler};
use crate::call::invocation::{Call, Rates};
use crate::call::outcome::Outcome;
use crate::call::request::{CallRequest, RequestContext};
use crate::call::subject::Subject;
use crate::protocol::error::ProtocolError;
use crate::protocol::request_id::RequestId;
use crate::runtime::lock::Mutex;
use crate::server::called::Called;
use crate::server::concurrency::Place;
use crate::server::engine::Incoming;
use crate::server::execution::{self, Runnable};
use crate::server::in_flight::{Handled, InFlight};
use crate::server::outbox::Outbox;
use crate::server::settings::Settings;

/// One request of a session and the rounds of its handler.
pub struct Rounds {
    pub(super) session: Arc<Session>,
    pub(super) outbox: Arc<dyn Outbox>,
    /// The client's progress token as JSON text.
    pub(super) progress_token: Option<Bytes>,
    pub(super) answer_timeout: Duration,
    id: RequestId,
    handler: Arc<dyn Handler>,
    dispatch: Dispatch,
    rates: Rates,
    /// How far the client was told that the request is.
    told_progress: Mutex<Option<f64>>,
    stage: Mutex<Stage>,
}

#[derive(Default)]
enum Stage {
    /// Nothing runs, and nothing is asked: for a moment.
    #[default]
    Between,
    Running(Weak<Call>),
    Asking(Box<QuestionRound>),
    Over,
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
            outbox: incoming.outbox.clone(),
            progress_token,
            answer_timeout: settings.answer_timeout,
            id: incoming.request.id.clone(),
            handler: called.handler.clone(),
            dispatch: called.dispatch,
            rates: settings.rates,
            told_progress: Mutex::default(),
            stage: Mutex::default(),
        })
    }

    /// Answers without running anything.
    pub fn refuse(&self, subject: &Subject, why: &str) {
        self.answer(subject, subject.failure(why).into());
    }

    /// Runs the first round. The `place` is given back when the handler ends the request, or else when it returns.
    pub fn begin(
        self: &Arc<Self>,
        called: Called,
        context: RequestContext,
        place: Place,
        settings: &Settings,
    ) -> Handled {
        let Called { subject, arguments, check_first, .. } = called;
        let request = CallRequest { subject, arguments, context, carried: None };
        self.run(request, Some(place), check_first, settings);
        if matches!(*self.stage.lock(), Stage::Over) {
            return Handled::Answered;
        }
        Handled::Running(InFlight::Rounds(self.clone()))
    }

    /// The client does not want the answer any more: nothing is sent from now on, but for the cancellation of what
    /// it was asked.
    pub fn cancel(&self) {
        let before = std::mem::replace(&mut *self.stage.lock(), Stage::Over);
        match before {
            Stage::Between | Stage::Over => {}
            Stage::Running(call) => {
                if let Some(call) = call.upgrade() {
                    call.cancel();
                }
            }
            Stage::Asking(questions) => questions.end(self),
        }
    }

    /// What is called, if it has no answer.
    pub fn unanswered(&self) -> Option<String> {
        let running = match &*self.stage.lock() {
            Stage::Running(call) => call.clone(),
            Stage::Asking(questions) => return Some(questions.subject.to_string()),
            Stage::Between | Stage::Over => return None,
        };
        // Without the lock: this may be the last reference to the call, which then answers.
        running.upgrade().map(|call| call.subject().to_string())
    }

    /// Whether the client is being asked.
    pub fn is_asking(&self) -> bool {
        matches!(*self.stage.lock(), Stage::Asking(_))
    }

    /// Whether the client is to be told `progress`: a handler that runs again begins it again, and for the client it
    /// must grow.
    pub(super) fn tells_progress(&self, progress: f64) -> bool {
        let mut told = self.told_progress.lock();
        let grows = told.is_none_or(|told| progress > told);
        if grows {
            *told = Some(progress);
        }
        grows
    }

    /// Runs a round.
    pub(super) fn run(
        self: &Arc<Self>,
        request: CallRequest,
        place: Option<Place>,
        check_first: bool,
        settings: &Settings,
    ) {
        let outlet = Box::new(RoundOutlet::new(self.clone(), place));
        let call = Arc::new(Call::new(request, outlet, self.rates));
        let mut stage = self.stage.lock();
        if matches!(*stage, Stage::Over) {
            drop(stage);
            return call.cancel();
        }
        *stage = Stage::Running(Arc::downgrade(&call));
        drop(stage);
        let runnable = Runnable { handler: self.handler.clone(), dispatch: self.dispatch, check_first };
        execution::run(self.session.server(), settings, runnable, call);
    }

    /// Goes on to asking; gives the questions back if the request was cancelled.
    pub(super) fn begin_asking(&self, questions: Box<QuestionRound>) -> Result<(), Box<QuestionRound>> {
        let mut stage = self.stage.lock();
        if matches!(*stage, Stage::Over) {
            return Err(questions);
        }
        *stage = Stage::Asking(questions);
        Ok(())
    }

    /// Changes the questions, if they are still those of the round `number`.
    pub(super) fn with_questions(&self, number: u32, change: impl FnOnce(&mut QuestionRound)) {
        if let Stage::Asking(questions) = &mut *self.stage.lock()
            && questions.number() == number
        {
            change(questions);
        }
    }

    /// Takes the questions back, if `is_over` says so of them: nothing is asked then.
    pub(super) fn end_asking(
        &self,
        is_over: impl FnOnce(&mut QuestionRound) -> bool,
    ) -> Option<Box<QuestionRound>> {
        let mut stage = self.stage.lock();
        let Stage::Asking(questions) = &mut *stage else { return None };
        if !is_over(questions) {
            return None;
        }
        let Stage::Asking(questions) = std::mem::take(&mut *stage) else { return None };
        Some(questions)
    }

    /// Answers the request, unless it was cancelled.
    pub(super) fn answer(&self, subject: &Subject, outcome: Outcome) {
        let before = std::mem::replace(&mut *self.stage.lock(), Stage::Over);
        if matches!(before, Stage::Over) {
            return;
        }
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
}
