//! The way out of one round of a request of a session.

use std::sync::Arc;
use std::time::Duration;

use super::question_round;
use super::rounds::Rounds;
use crate::call::host::Host;
use crate::call::outcome::Outcome;
use crate::call::outlet::Outlet;
use crate::call::request::CallRequest;
use crate::protocol::error::ErrorCode;
use crate::protocol::log_level::LogLevel;
use crate::protocol::notification;
use crate::runtime::lock::Mutex;
use crate::server::concurrency::Place;

/// Writes what a round says for the client of a session.
pub struct RoundOutlet {
    rounds: Arc<Rounds>,
    /// The place among the calls in flight: the next round has it while the client is asked. It is given back when the
    /// handler ends the request, or else with the call, as a handler that is not waited for any more may be at work.
    place: Mutex<Option<Place>>,
}

impl RoundOutlet {
    /// The way out of a round of `rounds`.
    pub fn new(rounds: Arc<Rounds>, place: Option<Place>) -> Self {
        RoundOutlet { rounds, place: Mutex::new(place) }
    }
}

impl Outlet for RoundOutlet {
    fn wants_progress(&self) -> bool {
        self.rounds.progress_token.is_some()
    }

    fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let message = message.filter(|_| self.rounds.session.revision().has_progress_messages());
        if let Some(token) = &self.rounds.progress_token
            && self.rounds.tells_progress(progress)
        {
            self.rounds.outbox.notify(notification::progress(token, progress, total, message), None);
        }
    }

    fn wants_log(&self, level: LogLevel) -> bool {
        let session = &self.rounds.session;
        session.server().settings().logging && level >= session.log_level()
    }

    fn log(&self, level: LogLevel, logger: Option<&str>, data: &[u8]) {
        self.rounds.outbox.notify(notification::log_message(level, logger, data), None);
    }

    fn finish(&self, request: &CallRequest, outcome: Outcome) {
        match outcome {
            Outcome::InputRequired(required) => {
                let place = self.place.lock().take();
                question_round::ask(&self.rounds, request, *required, place);
            }
            // A session's client is told in words what it did not declare.
            Outcome::Error(error) if error.code == ErrorCode::MISSING_CAPABILITY => {
                self.rounds.answer(&request.subject, request.subject.failure(&error.message).into());
            }
            outcome => self.rounds.answer(&request.subject, outcome),
        }
    }

    fn handler_is_done(&self) {
        let place = self.place.lock().take();
        drop(place);
    }

    fn handler_does_not_run(&self) {}

    fn close_stream(&self, retry: Option<Duration>) {
        self.rounds.outbox.close_stream(retry);
    }

    fn host(&self) -> Arc<dyn Host> {
        self.rounds.session.server().clone()
    }
}
