//! What a handler asks of its client, and what it keeps from one round to the next.
//!
//! Specification: basic/patterns/mrtr.

use bytes::Bytes;

use super::{Call, check_json, one_line};
use crate::call::input_response;
use crate::call::subject::Subject;
use crate::host_error::HostError;
use crate::protocol::input_request::InputRequest;
use crate::runtime::library_log;

/// Questions that one round may ask.
pub const MAX_QUESTIONS: usize = 64;

impl Call {
    /// The client's answer to `request` (an `elicitation/create`, `sampling/createMessage` or `roots/list` as
    /// JSON), which the handler calls `key`.
    ///
    /// If the answer is not there, or is none to this question, the question is noted and
    /// [`HostError::InputRequired`] returned: the handler asks what else it needs, and returns. It runs again,
    /// from its beginning, when the client has answered. A client that did not declare that it can be asked this
    /// is not asked: [`HostError::MissingCapability`]. In a completion there is nobody to be asked.
    pub fn request_input(&self, key: &str, request: &[u8]) -> Result<Bytes, HostError> {
        if key.is_empty() {
            return Err(HostError::InvalidArgument("the key of a question must not be empty".into()));
        }
        if matches!(self.subject(), Subject::Completion(_)) {
            return Err(HostError::InvalidArgument(format!(
                "{}: a completion can ask nothing",
                self.subject()
            )));
        }
        check_json(request)?;
        let request = InputRequest::from_json(request)
            .map_err(|fault| HostError::InvalidArgument(format!("the question \"{key}\": {fault}")))?;
        let required = request.required_capabilities(self.context().revision);
        let missing: Vec<_> = self.context().capabilities.missing(&required).into_iter().cloned().collect();
        let mut state = self.open_state()?;
        if !missing.is_empty() {
            let names: Vec<_> = missing.iter().map(ToString::to_string).collect();
            state.questions.undeclared.extend(missing);
            return Err(HostError::MissingCapability(format!(
                "the client cannot be asked \"{key}\": it did not declare the capability {}",
                names.join(", ")
            )));
        }
        let mut refused = None;
        if let Some(answer) = state.carried().answer(key) {
            match input_response::check_response(&request, &answer) {
                Ok(()) => {
                    state.carried().answers.insert(key.into(), answer.clone());
                    return Ok(answer);
                }
                Err(fault) => {
                    state.carried().forget(key);
                    refused = Some(fault);
                }
            }
        }
        if let Some((_, before)) = state.questions.asked.iter_mut().find(|(asked, _)| asked == key) {
            *before = request;
        } else if state.questions.asked.len() == MAX_QUESTIONS {
            return Err(HostError::InvalidArgument(format!(
                "a round asks {MAX_QUESTIONS} questions at most"
            )));
        } else {
            state.questions.asked.push((key.into(), request));
        }
        drop(state);
        if let Some(fault) = refused {
            library_log::debug(format_args!(
                "{}: the client's answer to \"{key}\" is asked for again: {fault}",
                self.subject()
            ));
        }
        Err(HostError::InputRequired(format!("\"{key}\" is not answered yet: return, to be called again")))
    }

    /// What the client answered to the question `key`, unchecked.
    pub fn input(&self, key: &str) -> Result<Bytes, HostError> {
        let mut state = self.open_state()?;
        let answer = state.carried().answer(key).ok_or_else(|| not_found("answer to", key))?;
        state.carried().answers.insert(key.into(), answer.clone());
        Ok(answer)
    }

    /// Ends this round with the questions that were asked.
    pub fn finish_input_required(&self) -> Result<(), HostError> {
        let mut state = self.open_state()?;
        let Some(outcome) = state.open_questions(self.subject()) else {
            return Err(HostError::InvalidArgument("nothing was asked in this round".into()));
        };
        self.end(state, super::Stage::Finished, Some(outcome));
        Ok(())
    }

    /// What [`Self::set_memo`] kept under `key`, in this round or an earlier one.
    pub fn memo(&self, key: &str) -> Result<Bytes, HostError> {
        self.open_state()?.carried().memo.get(key).cloned().ok_or_else(|| not_found("memo", key))
    }

    /// Keeps a JSON value for the rounds to come. To a client of the modern era it travels, sealed, through the
    /// client.
    pub fn set_memo(&self, key: &str, json: &[u8]) -> Result<(), HostError> {
        let json = one_line(json)?;
        self.open_state()?.carried().memo.insert(key.into(), json.into());
        Ok(())
    }

    /// True for the first time that `key` is asked for in the rounds of this call. An effect that stands behind it
    /// happens at most once.
    pub fn once(&self, key: &str) -> Result<bool, HostError> {
        let mut state = self.open_state()?;
        if !state.carried().done.insert(key.into()) {
            return Ok(false);
        }
        // A state that was echoed before is known to this process, if not to others.
        let Some(chain) = state.carried().chain else { return Ok(true) };
        drop(state);
        Ok(self.host().is_first(&chain, key))
    }

    /// The id of the url elicitation that is asked under `key`: a client of 2025-11-25 is told when it is complete. It
    /// is the same in every round.
    ///
    /// Specification: 2025-11-25, client/elicitation.
    pub fn elicitation_id(&self, key: &str) -> Result<String, HostError> {
        let mut state = self.open_state()?;
        Ok(state.carried().elicitation(key).into())
    }
}

fn not_found(what: &str, key: &str) -> HostError {
    HostError::NotFound(format!("there is no {what} \"{key}\""))
}
