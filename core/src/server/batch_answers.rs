//! The answers to a batch, gathered until the last one is there.
//!
//! Specification: 2025-03-26, basic, "Batching".

use std::sync::Arc;

use crate::protocol::batch;
use crate::protocol::message::Message;
use crate::runtime::lock::Mutex;

/// Answers that are sent together.
pub struct BatchAnswers {
    state: Mutex<State>,
    send: Box<dyn Fn(Message) + Send + Sync>,
}

struct State {
    /// Requests without an answer.
    waiting: usize,
    answers: Vec<Message>,
}

impl BatchAnswers {
    /// The answers to `requests` requests, for `send` to send when the last one is there.
    pub fn new(requests: usize, send: Box<dyn Fn(Message) + Send + Sync>) -> Self {
        BatchAnswers { state: Mutex::new(State { waiting: requests, answers: Vec::new() }), send }
    }

    /// The place of one answer.
    pub fn slot(self: &Arc<Self>) -> BatchSlot {
        BatchSlot(Some(self.clone()))
    }

    fn add(&self, answer: Option<Message>) {
        let mut state = self.state.lock();
        state.answers.extend(answer);
        state.waiting = state.waiting.saturating_sub(1);
        if state.waiting > 0 {
            return;
        }
        let answers = std::mem::take(&mut state.answers);
        drop(state);
        if !answers.is_empty() {
            (self.send)(batch::join(&answers));
        }
    }
}

/// The place of one answer. Dropped without one, it waits for none: the request was cancelled.
pub struct BatchSlot(Option<Arc<BatchAnswers>>);

impl BatchSlot {
    /// The request was answered; with `None` it will not be.
    pub fn answer(mut self, answer: Option<Message>) {
        if let Some(answers) = self.0.take() {
            answers.add(answer);
        }
    }
}

impl Drop for BatchSlot {
    fn drop(&mut self) {
        if let Some(answers) = self.0.take() {
            answers.add(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_the_answers_together_and_nothing_where_there_are_none() {
        for (answers, sent) in [(vec![Some("1"), None, Some("2")], Some("[1,2]")), (vec![None, None], None)] {
            let sending = Arc::new(Mutex::new(None));
            let sink = sending.clone();
            let send = move |message: Message| *sink.lock() = Some(message.parts().concat());
            let gathered = Arc::new(BatchAnswers::new(answers.len(), Box::new(send)));
            for answer in answers {
                assert!(sending.lock().is_none());
                let slot = gathered.slot();
                if let Some(text) = answer {
                    slot.answer(Some(Message::whole(text.into())));
                }
            }
            assert_eq!(*sending.lock(), sent.map(|text| text.as_bytes().to_vec()));
        }
    }
}
