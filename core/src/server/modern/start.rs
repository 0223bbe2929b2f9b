//! Starts a call of any kind for a client of the modern era.

use std::sync::Arc;

use super::admission::Admitted;
use super::door::Visit;
use super::repetition::Repetition;
use super::reply::{Ended, Reply};
use super::rounds;
use crate::call::invocation::Call;
use crate::call::outcome::CallResult;
use crate::call::request::{CallRequest, RequestContext};
use crate::call::rounds::Carried;
use crate::call::subject::Subject;
use crate::protocol::error::ProtocolError;
use crate::runtime::lock::Mutex;
use crate::server::called::Called;
use crate::server::committed_rounds::Begun;
use crate::server::concurrency::Place;
use crate::server::engine::Server;
use crate::server::execution::{self, Runnable};
use crate::server::in_flight::{Handled, InFlight};
use crate::server::settings::Settings;

/// Runs what was called; or answers, where too much runs already, or the answer is known.
pub fn start(visit: Visit<'_>, admitted: Admitted, called: Called) -> Result<Handled, ProtocolError> {
    let echoed = rounds::read(&visit, &admitted.context, &called)?;
    let place = visit.server.take_place(&visit.settings);
    let is_busy = place.is_none() || visit.overloaded;
    let mut reply = reply(&visit, &admitted, place);
    if is_busy {
        reply.send(called.subject.failure(execution::BUSY).into());
        return Ok(Handled::Answered);
    }
    let ready = Ready {
        server: visit.server.clone(),
        settings: visit.settings,
        called,
        context: admitted.context,
        carried: echoed.carried,
    };
    let Some(round) = echoed.round else { return Ok(ready.begin(reply).run()) };
    match visit.server.committed_rounds().begin(round.key, round.expires, round.now) {
        Begun::First(guard) => {
            reply.round = Mutex::new(Some(guard));
            Ok(ready.begin(reply).run())
        }
        Begun::Committed(ended) => {
            reply.send(Arc::unwrap_or_clone(ended));
            Ok(Handled::Answered)
        }
        Begun::Crowded => {
            reply.send(ready.called.subject.failure(execution::BUSY).into());
            Ok(Handled::Answered)
        }
        Begun::InFlight(place) => {
            let repetition = Repetition::new(ready, reply);
            let waiting = repetition.clone();
            place.wait(Box::new(move |turn| waiting.take(turn)));
            Ok(Handled::Running(InFlight::Repetition(repetition)))
        }
    }
}

/// Answers a call of a tool, that cannot run, with an error that the model can mend.
pub fn refuse(visit: &Visit<'_>, admitted: &Admitted, why: &str) -> Handled {
    reply(visit, admitted, None).send(Ended::Result(CallResult::tool_error(why)));
    Handled::Answered
}

/// Everything that a call needs but its way out.
pub(super) struct Ready {
    server: Arc<Server>,
    settings: Arc<Settings>,
    called: Called,
    context: RequestContext,
    carried: Option<Box<Carried>>,
}

impl Ready {
    /// What will be called.
    pub fn subject(&self) -> &Subject {
        &self.called.subject
    }

    /// Makes the call, to be answered by `reply`.
    pub fn begin(self, reply: Reply) -> Begin {
        let Called { subject, handler, dispatch, arguments, check_first } = self.called;
        let request = CallRequest { subject, arguments, context: self.context, carried: self.carried };
        let call = Arc::new(Call::new(request, Box::new(reply), self.settings.rates));
        let runnable = Runnable { handler, dispatch, check_first };
        Begin { server: self.server, settings: self.settings, runnable, call }
    }
}

/// A call about to run.
pub(super) struct Begin {
    server: Arc<Server>,
    settings: Arc<Settings>,
    runnable: Runnable,
    /// The call.
    pub call: Arc<Call>,
}

impl Begin {
    /// Runs it.
    pub fn run(self) -> Handled {
        let in_flight = Arc::downgrade(&self.call);
        execution::run(&self.server, &self.settings, self.runnable, self.call);
        if in_flight.strong_count() == 0 {
            return Handled::Answered;
        }
        Handled::Running(InFlight::Call(in_flight))
    }
}

fn reply(visit: &Visit<'_>, admitted: &Admitted, place: Option<Place>) -> Reply {
    let params = &visit.request.params;
    Reply {
        server: visit.server.clone(),
        id: visit.request.id.clone(),
        progress_token: admitted.progress_token.clone(),
        log_level: admitted.log_level.filter(|_| visit.settings.logging),
        identity: visit.settings.identity_in_results().cloned(),
        read_cache: visit.settings.caching.of_read(admitted.context.principal.as_deref()),
        is_retry: params.request_state.is_some() || params.input_responses.is_some(),
        outbox: visit.outbox.clone(),
        place: Mutex::new(place),
        round: Mutex::new(None),
    }
}
