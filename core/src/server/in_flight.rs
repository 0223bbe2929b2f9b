//! A request that is not answered yet, as the transport that brought it sees it.

use std::sync::{Arc, Weak};

use super::legacy::rounds::Rounds;
use super::modern::repetition::Repetition;
use super::outbox::Outbox;
use super::subscription::Subscription;
use crate::call::invocation::Call;
use crate::protocol::message::{Answer, AnswerStatus, Message};

/// What became of a request that was handed to the server.
pub enum Handled {
    /// It was answered before [`super::engine::Server::handle`] returned.
    Answered,
    /// It is in flight: its answer comes later, unless it is cancelled.
    Running(InFlight),
}

impl Handled {
    /// Answers a request with a result that is there already.
    pub fn at_once(outbox: &dyn Outbox, result: Message) -> Handled {
        outbox.answer(Answer { message: result, status: AnswerStatus::Ok });
        Handled::Answered
    }
}

/// A request in flight.
#[derive(Clone)]
pub enum InFlight {
    /// A call of the modern era.
    Call(Weak<Call>),
    /// A round of the modern era that waits for the one which it repeats.
    Repetition(Arc<Repetition>),
    /// A call of a session, round after round.
    Rounds(Arc<Rounds>),
    /// A `subscriptions/listen`.
    Subscription(Arc<Subscription>),
}

impl InFlight {
    /// The client does not want the answer any more, or has gone: nothing is sent from now on.
    pub fn cancel(&self) {
        match self {
            InFlight::Call(call) => {
                if let Some(call) = call.upgrade() {
                    call.cancel();
                }
            }
            InFlight::Repetition(repetition) => repetition.cancel(),
            InFlight::Rounds(rounds) => rounds.cancel(),
            InFlight::Subscription(subscription) => subscription.cancel(),
        }
    }

    /// What is called, if this is a call that has no answer.
    pub fn unanswered(&self) -> Option<String> {
        match self {
            InFlight::Call(call) => {
                let call = call.upgrade().filter(|call| call.is_unanswered())?;
                Some(call.subject().to_string())
            }
            InFlight::Repetition(repetition) => repetition.unanswered(),
            InFlight::Rounds(rounds) => rounds.unanswered(),
            InFlight::Subscription(_) => None,
        }
    }

    /// Whether this waits for an answer of its client's, in a session.
    pub fn is_asking(&self) -> bool {
        matches!(self, InFlight::Rounds(rounds) if rounds.is_asking())
    }

    /// The transport ends: a subscription is answered with its result (true); a call is left to finish.
    pub fn conclude(&self) -> bool {
        match self {
            InFlight::Call(_) | InFlight::Repetition(_) | InFlight::Rounds(_) => false,
            InFlight::Subscription(subscription) => subscription.conclude(),
        }
    }
}
