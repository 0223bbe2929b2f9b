//! The questions of one round: each is a request to the client, and the handler runs again when all are answered.
//!
//! Specification: 2025-11-25, client/elicitation, client/sampling, client/roots.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::client_requests::{Asker, Said, Silence};
use super::rounds::Rounds;
use super::session::Session;
use crate::call::arguments::Arguments;
use crate::call::outcome::Outcome;
use crate::call::request::{CallRequest, RequestContext};
use crate::call::rounds::{Carried, InputRequired, MAX_ROUNDS};
use crate::call::subject::Subject;
use crate::protocol::error::ProtocolError;
use crate::protocol::input_request::{InputKind, InputRequest};
use crate::protocol::message::Message;
use crate::protocol::notification;
use crate::protocol::request_id::RequestId;
use crate::runtime::async_runtime::Timer;
use crate::runtime::library_log;
use crate::server::concurrency::Place;
use crate::server::execution;

/// How long the client may take to answer a question, unless set otherwise.
pub const DEFAULT_ANSWER_TIMEOUT: Duration = Duration::from_secs(600);

/// Why the client need not answer any more.
const WITHDRAWN: &str = "the request that asked has ended";

/// What a request is answered with whose question nobody can answer any more.
const UNHEARD: &str = "The client can answer no question any more.";

/// A round that waits for the client.
pub struct QuestionRound {
    /// What is called.
    pub subject: Subject,
    arguments: Bytes,
    context: RequestContext,
    carried: Carried,
    /// The ids of the requests that have no answer, by the key of the question.
    waiting: BTreeMap<String, i64>,
    /// All requests were sent; before, whoever sends them sees what became of the round.
    sent: bool,
    timer: Option<Timer>,
    /// Among the calls that wait for their clients.
    _place: Place,
}

impl QuestionRound {
    /// Which round it is; the first has the number 1.
    pub fn number(&self) -> u32 {
        self.carried.rounds
    }

    /// Ends it without answers: the client is told that it need not give any.
    pub fn end(self, rounds: &Rounds) {
        if let Some(timer) = self.timer {
            timer.cancel();
        }
        if self.sent {
            withdraw(rounds, self.waiting.into_values());
        }
    }
}

/// Asks the client what the handler of `rounds` wants to know.
///
/// It is not waited for `notifications/initialized`, as the specification would have it (2025-11-25, basic/lifecycle):
/// a client that calls what asks it is ready, and one that forgets the notification would wait for ever.
pub fn ask(rounds: &Arc<Rounds>, request: &CallRequest, required: InputRequired, place: Option<Place>) {
    let InputRequired { questions, mut carried } = required;
    let subject = &request.subject;
    if carried.rounds >= MAX_ROUNDS {
        library_log::error(format_args!("{subject}: its handler asked {MAX_ROUNDS} times"));
        let error = ProtocolError::internal(format!("{subject} asked too often"));
        return rounds.answer(subject, Outcome::Error(error));
    }
    carried.rounds += 1;
    // What the handler has not read of the answers before goes no further.
    carried.offered.clear();
    let number = carried.rounds;
    let mut messages = Vec::with_capacity(questions.len());
    let mut waiting = BTreeMap::new();
    for (key, question) in &questions {
        let id = match rounds.session.requests().ask(key, rounds.clone()) {
            Ok(id) => id,
            Err(Silence::Gone) => return rounds.cancel(),
            Err(Silence::Unheard) => {
                forget(&rounds.session, waiting.into_values());
                return rounds.answer(subject, subject.failure(UNHEARD).into());
            }
        };
        waiting.insert(key.clone(), id);
        match word(&rounds.session, id, key, question, &mut carried) {
            Ok(message) => messages.push(message),
            Err(why) => return cannot_ask(rounds, subject, waiting.into_values(), &why),
        }
    }
    let ids: Vec<_> = waiting.values().copied().collect();
    drop(place);
    let server = rounds.session.server();
    let Some(place) = server.take_asking_place(&server.settings()) else {
        forget(&rounds.session, ids);
        return rounds.answer(subject, subject.failure(execution::BUSY).into());
    };
    let round = Box::new(QuestionRound {
        subject: subject.clone(),
        arguments: request.arguments.raw().clone(),
        context: request.context.clone(),
        carried,
        waiting,
        sent: false,
        timer: None,
        _place: place,
    });
    if let Err(cancelled) = rounds.begin_asking(round) {
        forget(&rounds.session, cancelled.waiting.into_values());
        return;
    }
    for message in messages {
        send(rounds, message);
    }
    watch(rounds, number, ids);
}

/// The questions of the round `number` were sent: it ends when the client does not answer in time.
fn watch(rounds: &Arc<Rounds>, number: u32, ids: Vec<i64>) {
    let mut timer = expire(rounds, number);
    let mut sent = false;
    rounds.with_questions(number, |questions| {
        questions.sent = true;
        questions.timer = timer.take();
        sent = true;
    });
    if let Some(timer) = timer {
        timer.cancel();
    }
    if !sent {
        // The round ended while they were sent; where the client has answered, nothing is left to withdraw.
        withdraw(rounds, ids);
    }
}

fn expire(rounds: &Arc<Rounds>, number: u32) -> Option<Timer> {
    let expiring = Arc::downgrade(rounds);
    let limit = rounds.answer_timeout;
    let timer = rounds.session.server().runtime().after(limit, move || {
        if let Some(rounds) = expiring.upgrade() {
            let message = format!("The client did not answer within {} ms.", limit.as_millis());
            give_up(&rounds, &message, |questions| questions.number() == number);
        }
    });
    timer.inspect_err(|fault| library_log::warning(format_args!("no limit for an answer: {fault}"))).ok()
}

/// The request that asks `question`; a text for the author if the session's revision has no such request.
fn word(
    session: &Arc<Session>,
    id: i64,
    key: &str,
    question: &InputRequest,
    carried: &mut Carried,
) -> Result<Message, String> {
    let elicitation = (question.kind() == InputKind::Url).then(|| carried.elicitation(key).to_owned());
    let params = question.legacy_params(session.revision(), elicitation.as_deref())?;
    if let Some(elicitation) = elicitation {
        session.server().elicitations().begin(&elicitation, session);
    }
    Ok(Message::request(id, question.method(), &params))
}

fn cannot_ask(rounds: &Rounds, subject: &Subject, ids: impl IntoIterator<Item = i64>, why: &str) {
    forget(&rounds.session, ids);
    library_log::warning(format_args!("{subject}: {why}"));
    let revision = rounds.session.revision().name();
    let message = format!("{subject} needs to ask what a client of revision {revision} cannot be asked.");
    rounds.answer(subject, subject.failure(&message).into());
}

/// The questions are answered by nobody: so is the request.
fn give_up(rounds: &Rounds, why: &str, is_meant: impl FnOnce(&QuestionRound) -> bool) {
    let Some(questions) = rounds.end_asking(|questions| is_meant(questions)) else { return };
    let subject = questions.subject.clone();
    questions.end(rounds);
    rounds.answer(&subject, subject.failure(why).into());
}

/// Tells the client that it need not answer any more what it has not answered.
fn withdraw(rounds: &Rounds, ids: impl IntoIterator<Item = i64>) {
    for id in ids {
        if rounds.session.requests().forget(id) {
            send(rounds, notification::cancelled(&RequestId::Integer(id), Some(WITHDRAWN)));
        }
    }
}

/// Sends a message on the stream of the request that asks, or else with what belongs to no request.
fn send(rounds: &Rounds, message: Message) {
    if !rounds.outbox.send(message.clone()) {
        rounds.session.send(message);
    }
}

/// The client was not asked.
fn forget(session: &Session, ids: impl IntoIterator<Item = i64>) {
    for id in ids {
        session.requests().forget(id);
    }
}

impl Asker for Rounds {
    fn answered(self: Arc<Self>, key: &str, said: Said) {
        let is_asked = |questions: &QuestionRound| questions.waiting.contains_key(key);
        match said {
            Said::Result(answer) => take_answer(&self, key, answer),
            Said::Error(error) => {
                let error = serde_json::from_slice::<serde_json::Value>(&error).unwrap_or_default();
                let said = error["message"].as_str().unwrap_or("without a message");
                let why = format!("The client answered the question \"{key}\" with an error: {said}");
                give_up(&self, &why, is_asked);
            }
            Said::Nothing(Silence::Unheard) => give_up(&self, UNHEARD, is_asked),
            Said::Nothing(Silence::Gone) => self.cancel(),
        }
    }
}

/// The handler runs again when the last answer is there.
fn take_answer(rounds: &Arc<Rounds>, key: &str, answer: Bytes) {
    let answered = rounds.end_asking(|questions| {
        if questions.waiting.remove(key).is_some() {
            questions.carried.offered.insert(key.into(), answer);
        }
        questions.waiting.is_empty()
    });
    let Some(questions) = answered else { return };
    let QuestionRound { subject, arguments, context, carried, timer, .. } = *questions;
    if let Some(timer) = timer {
        timer.cancel();
    }
    let server = rounds.session.server();
    let settings = server.settings();
    let Some(place) = server.take_place(&settings) else {
        return rounds.answer(&subject, subject.failure(execution::BUSY).into());
    };
    match Arguments::decode(Some(arguments)) {
        Ok(arguments) => {
            let carried = Some(Box::new(carried));
            let request = CallRequest { subject, arguments, context, carried };
            rounds.run(request, Some(place), false, &settings);
        }
        // They decoded before.
        Err(fault) => {
            let error = ProtocolError::internal(format!("{subject}: arguments: {fault}"));
            rounds.answer(&subject, Outcome::Error(error));
        }
    }
}
