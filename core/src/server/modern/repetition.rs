//! A round that a client sent again while it was in flight: it waits for the answer, or runs in place of the first, if
//! that is given up.
//!
//! Specification: basic/patterns/mrtr.

use std::sync::{Arc, Weak};

use super::reply::{Ended, Reply};
use super::start::Ready;
use crate::call::invocation::Call;
use crate::runtime::lock::Mutex;
use crate::server::committed_rounds::Turn;

/// A request that waits for another one.
pub struct Repetition(Mutex<Stage>);

enum Stage {
    Waiting(Box<(Ready, Reply)>),
    /// Its turn has come.
    Beginning,
    Running(Weak<Call>),
    Over,
}

impl Repetition {
    /// Waits with `ready`, to be answered by `reply`.
    pub(super) fn new(ready: Ready, reply: Reply) -> Arc<Self> {
        Arc::new(Repetition(Mutex::new(Stage::Waiting(Box::new((ready, reply))))))
    }

    /// Its turn has come. If it was cancelled, the turn is another's.
    pub(super) fn take(&self, turn: Turn<Arc<Ended>>) {
        let mut stage = self.0.lock();
        let Stage::Waiting(waiting) = std::mem::replace(&mut *stage, Stage::Beginning) else {
            *stage = Stage::Over;
            return drop(stage);
        };
        drop(stage);
        let (ready, mut reply) = *waiting;
        match turn {
            Turn::Answer(ended) => reply.send(Arc::unwrap_or_clone(ended)),
            Turn::Run(guard) => {
                reply.round = Mutex::new(Some(guard));
                let begun = ready.begin(reply);
                let mut stage = self.0.lock();
                if matches!(*stage, Stage::Over) {
                    drop(stage);
                    return begun.call.cancel();
                }
                *stage = Stage::Running(Arc::downgrade(&begun.call));
                drop(stage);
                begun.run();
            }
        }
    }

    /// The client does not want the answer any more.
    pub fn cancel(&self) {
        let before = std::mem::replace(&mut *self.0.lock(), Stage::Over);
        if let Stage::Running(call) = &before
            && let Some(call) = call.upgrade()
        {
            call.cancel();
        }
    }

    /// What is called, if it has no answer.
    pub fn unanswered(&self) -> Option<String> {
        let running = match &*self.0.lock() {
            Stage::Waiting(waiting) => return Some(waiting.0.subject().to_string()),
            Stage::Running(call) => call.clone(),
            Stage::Beginning | Stage::Over => return None,
        };
        let call = running.upgrade().filter(|call| call.is_unanswered())?;
        Some(call.subject().to_string())
    }
}
