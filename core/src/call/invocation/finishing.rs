//! The finish of a call: with a result, which is checked first, or with an error.

use super::{Call, Stage, State, one_line};
use crate::call::contract::ToolContract;
use crate::call::draft;
use crate::call::outcome::{CallResult, Outcome};
use crate::call::subject::Subject;
use crate::host_error::HostError;
use crate::protocol::content::ContentBlock;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::runtime::library_log;
use crate::runtime::lock::MutexGuard;

impl Call {
    /// Finishes with what was added so far.
    pub fn finish(&self) -> Result<(), HostError> {
        self.finish_with(None, None)
    }

    /// Adds a text block and finishes. If the finish is refused, nothing is added.
    pub fn finish_text(&self, text: &str) -> Result<(), HostError> {
        self.finish_with(None, Some(text))
    }

    /// Finishes with a whole result of the specification, given as JSON.
    pub fn finish_json(&self, json: &[u8]) -> Result<(), HostError> {
        let result = draft::whole_result(self.subject(), json)
            .map_err(|fault| HostError::InvalidResult(format!("{}: result: {fault}", self.subject())))?;
        self.finish_with(Some(result), None)
    }

    /// Finishes with an error that the model sees and can mend; of a call that is none of a tool, with
    /// `-32603` and this message. What was added so far is dropped.
    pub fn finish_tool_error(&self, message: &str) -> Result<(), HostError> {
        self.finish_as(self.subject().failure(message).into())
    }

    /// Finishes the read of a resource that does not exist.
    ///
    /// Specification: server/resources, "Error Handling".
    pub fn finish_not_found(&self) -> Result<(), HostError> {
        let Subject::Resource(_, uri) = self.subject() else {
            return Err(HostError::InvalidArgument(format!("{} is no resource", self.subject())));
        };
        self.finish_as(Outcome::Error(ProtocolError::resource_not_found(uri)))
    }

    /// Finishes with a JSON-RPC error, for what a model cannot mend. `data` is any JSON value. Codes that
    /// JSON-RPC and MCP reserve are refused, but for -32602 and -32603.
    pub fn finish_error(&self, code: ErrorCode, message: &str, data: Option<&[u8]>) -> Result<(), HostError> {
        if !code.is_open_to_handlers() {
            return Err(HostError::InvalidArgument(format!(
                "the error code {} is reserved; use -32602, -32603 or one outside -32768 to -32000",
                code.0
            )));
        }
        let mut error = ProtocolError::new(code, message);
        if let Some(data) = data {
            let data = one_line(data)?;
            error = error.with_data(String::from_utf8_lossy(&data).into_owned());
        }
        self.finish_as(Outcome::Error(error))
    }

    /// Finishes with `outcome`, unless a question was asked: the handler is to run again with its answer.
    fn finish_as(&self, outcome: Outcome) -> Result<(), HostError> {
        let state = self.open_state()?;
        if state.questions.asked.is_empty() {
            self.end(state, Stage::Finished, Some(outcome));
            return Ok(());
        }
        self.end_with_questions(state)
    }

    /// Ends the call with its questions, whatever else its handler wanted to end it with.
    fn end_with_questions(&self, mut state: MutexGuard<'_, State>) -> Result<(), HostError> {
        let asked = state.open_questions(self.subject());
        self.end(state, Stage::Finished, asked);
        library_log::warning(format_args!(
            "{}: its handler asked the client and finished all the same; the questions were sent, the result was dropped",
            self.subject()
        ));
        Err(HostError::InputRequired("the call ended with the questions that were asked before".into()))
    }

    /// Finishes with `whole`, or with what was added and `last_text`. The result is checked without the lock,
    /// so that a cancellation need not wait for it.
    fn finish_with(&self, whole: Option<CallResult>, last_text: Option<&str>) -> Result<(), HostError> {
        let mut state = self.open_state()?;
        if !state.questions.asked.is_empty() {
            return self.end_with_questions(state);
        }
        let is_whole = whole.is_some();
        let role = state.draft.role();
        let mut result = whole.unwrap_or_else(|| state.draft.take());
        if last_text.is_none()
            && let Err(message) = self.check_ui(&result)
        {
            if !is_whole {
                state.draft.put_back(result);
            }
            return Err(HostError::InvalidResult(message));
        }
        if let Some((contract, structured)) = self.to_be_checked(&result) {
            state.stage = Stage::Finishing;
            drop(state);
            let checked = check_output(contract, structured);
            state = self.state.lock();
            if state.stage != Stage::Finishing {
                return Err(self.ended_meanwhile(state.stage));
            }
            if let Err(message) = checked {
                state.stage = Stage::Open;
                state.refused = Some(message.clone());
                if !is_whole {
                    state.draft.put_back(result);
                }
                return Err(HostError::InvalidResult(message));
            }
        }
        if let Some(text) = last_text
            && let Err(fault) =
                draft::add_block(&mut result, self.subject(), role, ContentBlock::Text { text })
        {
            state.draft.put_back(result);
            return Err(fault);
        }
        result.complete();
        self.end(state, Stage::Finished, Some(Outcome::Result(result)));
        Ok(())
    }

    fn ended_meanwhile(&self, stage: Stage) -> HostError {
        if stage == Stage::Cancelled { HostError::Cancelled } else { HostError::AlreadyFinished }
    }

    /// A client without user interfaces must get something too (MCP Apps, "Best practices").
    fn check_ui(&self, result: &CallResult) -> Result<(), String> {
        match (self.subject(), result) {
            (Subject::Tool(contract), CallResult::Tool(tool))
                if contract.has_ui
                    && tool.structured.is_none()
                    && tool.content.as_ref().is_none_or(Vec::is_empty) =>
            {
                Err(format!(
                    "{} has a user interface, and its result nothing for clients without one; add content too",
                    self.subject()
                ))
            }
            _ => Ok(()),
        }
    }

    /// The contract that `result` must fulfil, and the structured content that must fulfil it.
    fn to_be_checked<'a>(&'a self, result: &'a CallResult) -> Option<(&'a ToolContract, Option<&'a [u8]>)> {
        match (self.subject(), result) {
            (Subject::Tool(contract), CallResult::Tool(result))
                if contract.output.is_some() && !result.is_error =>
            {
                Some((contract, result.structured.as_deref()))
            }
            _ => None,
        }
    }
}

fn check_output(contract: &ToolContract, structured: Option<&[u8]>) -> Result<(), String> {
    let structured = match structured {
        None => None,
        Some(json) => Some(serde_json::from_slice(json).map_err(|_| {
            format!("tool \"{}\": a value in the structured content cannot be represented", contract.name)
        })?),
    };
    contract.check_output(structured.as_ref())
}
