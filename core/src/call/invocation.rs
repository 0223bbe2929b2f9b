//! A call in flight: what a handler reads, says and finishes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::runtime::lock::{Mutex, MutexGuard};
use bytes::Bytes;
use serde_json::Value;

use super::arguments::Arguments;
use super::contract::ToolContract;
use super::headers::Headers;
use super::outcome::Outcome;
use super::outlet::Outlet;
use super::progress_rate::{Progress, ProgressRate};
use super::rate_limit::RateLimit;
use super::text_twin::{add_text_twin, append_block, append_text};
use crate::host_error::HostError;
use crate::protocol::client_capability::ClientCapabilities;
use crate::protocol::content::{self, BlockKind, ContentBlock};
use crate::protocol::document;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::json_compact;
use crate::protocol::log_level::LogLevel;
use crate::protocol::meta_key;
use crate::protocol::revision::Revision;
use crate::protocol::tool_result::ToolResult;
use crate::runtime::async_runtime::Timer;
use crate::runtime::library_log;

/// What a request says besides its arguments.
pub struct RequestContext {
    /// The request's `_meta`, a JSON object.
    pub meta: Bytes,
    /// The revision that its client speaks.
    pub revision: Revision,
    /// What its client declared.
    pub capabilities: ClientCapabilities,
    /// Its HTTP headers, where it came by HTTP.
    pub headers: Option<Arc<dyn Headers>>,
    /// On whose behalf the request comes, as the host says.
    pub principal: Option<Arc<str>>,
}

/// A call of a tool. Every method may be called from any thread.
///
/// It ends by the first of: a finish, a cancellation by the client, its time limit, or the loss of its last
/// reference, which answers `-32603`. Nothing is sent after its end.
pub struct Call {
    contract: Arc<ToolContract>,
    arguments: Arguments,
    context: RequestContext,
    outlet: Box<dyn Outlet>,
    cancelled: AtomicBool,
    state: Mutex<State>,
}

struct State {
    stage: Stage,
    result: ToolResult,
    /// Why the last finish was refused.
    refused: Option<String>,
    rate: ProgressRate,
    log_rate: RateLimit,
    on_cancel: Vec<Box<dyn FnOnce() + Send>>,
    time_limit: Option<Timer>,
}

/// Log messages sent per second and call, unless set otherwise. As many may come at once.
pub const DEFAULT_LOGS_PER_SECOND: u32 = 100;

/// How many messages of a call are sent in a second.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Progress; 0 is unlimited.
    pub progress_per_second: u32,
    /// Log messages; 0 is unlimited.
    pub logs_per_second: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    /// Its handler is finishing it: the result is being checked, without the lock.
    Finishing,
    Finished,
    Cancelled,
}

impl Stage {
    fn is_unanswered(self) -> bool {
        matches!(self, Stage::Open | Stage::Finishing)
    }
}

impl Call {
    /// A call that is open.
    pub fn new(
        contract: Arc<ToolContract>,
        arguments: Arguments,
        context: RequestContext,
        outlet: Box<dyn Outlet>,
        rates: Rates,
    ) -> Call {
        let state = State {
            stage: Stage::Open,
            result: ToolResult::default(),
            refused: None,
            rate: ProgressRate::new(rates.progress_per_second),
            log_rate: RateLimit::new(rates.logs_per_second),
            on_cancel: Vec::new(),
            time_limit: None,
        };
        let cancelled = AtomicBool::new(false);
        Call { contract, arguments, context, outlet, cancelled, state: Mutex::new(state) }
    }

    /// Keeps the timer of the call's time limit, which is cancelled when the call ends.
    pub fn keep_time_limit(&self, timer: Timer) {
        let mut state = self.state.lock();
        match state.stage {
            Stage::Open => state.time_limit = Some(timer),
            Stage::Finishing | Stage::Finished | Stage::Cancelled => timer.cancel(),
        }
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.contract.name
    }

    /// Holds the arguments against the tool's input schema; the error is for the model.
    pub fn check_arguments(&self) -> Result<(), String> {
        let checked = self.contract.input.validate(self.arguments.decoded());
        checked.map_err(|problems| problems.describe_input(self.name()))
    }

    /// The arguments; they fit the tool's input schema.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// The argument called `name`, a member's name or a JSON Pointer. An absent one is
    /// [`HostError::NotFound`] where the input schema knows it, and [`HostError::InvalidArgument`] where the
    /// name is a mistake.
    pub fn argument(&self, name: &str) -> Result<&Value, HostError> {
        if let Some(value) = self.arguments.get(name) {
            return Ok(value);
        }
        let root = name.strip_prefix('/').map_or(name, |rest| rest.split('/').next().unwrap_or(rest));
        let root = root.replace("~1", "/").replace("~0", "~");
        if self.contract.input.declares(&root) || self.arguments.get(&root).is_some() {
            return Err(HostError::NotFound(format!("the argument \"{name}\" was not given")));
        }
        Err(HostError::InvalidArgument(format!(
            "tool \"{}\" has no argument \"{name}\" in its input schema",
            self.name()
        )))
    }

    /// What the request says besides its arguments.
    pub fn context(&self) -> &RequestContext {
        &self.context
    }

    /// Sends `notifications/progress`, if the client asked for it. `value` must grow from one time to the
    /// next. A flood is thinned to its latest value.
    pub fn progress(&self, value: f64, total: Option<f64>, message: Option<&str>) -> Result<(), HostError> {
        let mut state = self.open_state()?;
        let progress = Progress { value, total, message: message.map(String::from) };
        let due = state.rate.offer(progress, Instant::now()).map_err(HostError::InvalidArgument)?;
        if let Some(due) = due.filter(|_| self.outlet.wants_progress()) {
            self.outlet.progress(due.value, due.total, due.message.as_deref());
        }
        Ok(())
    }

    /// Sends `notifications/message`, if the client asked for this level. `data` is any JSON value. Of a flood,
    /// what comes too fast is dropped.
    pub fn log(&self, level: LogLevel, logger: Option<&str>, data: &[u8]) -> Result<(), HostError> {
        let data = one_line(data)?;
        let mut state = self.open_state()?;
        if self.outlet.wants_log(level) && state.log_rate.take(Instant::now()) {
            self.outlet.log(level, logger, &data);
        }
        Ok(())
    }

    /// Whether the call was cancelled or ran out of time, so that its work is in vain.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Whether nothing has ended the call yet.
    pub fn is_unanswered(&self) -> bool {
        self.state.lock().stage.is_unanswered()
    }

    /// Runs `callback` when the call is cancelled, on the thread that learns of it; at once if it was
    /// already. It is dropped unrun when the call ends otherwise.
    pub fn on_cancel(&self, callback: Box<dyn FnOnce() + Send>) {
        let mut state = self.state.lock();
        if self.is_cancelled() {
            drop(state);
            return callback();
        }
        if state.stage == Stage::Open {
            state.on_cancel.push(callback);
        }
    }

    /// Adds a content block to the result.
    pub fn add_content(&self, block: ContentBlock<'_>) -> Result<(), HostError> {
        if let Some(fault) = block.fault() {
            return Err(HostError::InvalidArgument(fault));
        }
        let mut written = Vec::new();
        block.write(None, &mut written);
        let mut state = self.open_state()?;
        state.result.has_text |= matches!(block, ContentBlock::Text { .. });
        append_block(&mut state.result, written);
        Ok(())
    }

    /// Adds a content block given as JSON.
    pub fn add_content_json(&self, json: &[u8]) -> Result<(), HostError> {
        check_json(json)?;
        let mut block = Vec::new();
        let kind = content::append_checked(json, "", &mut block)
            .map_err(|fault| HostError::InvalidArgument(format!("content block: {fault}")))?;
        let mut state = self.open_state()?;
        state.result.has_text |= kind == BlockKind::Text;
        append_block(&mut state.result, block);
        Ok(())
    }

    /// Sets the result's structured content, any JSON value. Its text twin is added at the finish unless a
    /// text block was.
    pub fn set_structured(&self, json: &[u8]) -> Result<(), HostError> {
        let json = one_line(json)?;
        self.open_state()?.result.structured = Some(json);
        Ok(())
    }

    /// Sets the result's `_meta`, a JSON object.
    pub fn set_meta(&self, json: &[u8]) -> Result<(), HostError> {
        let json = one_line(json)?;
        meta_key::check_object(&json, "")
            .map_err(|fault| HostError::InvalidArgument(format!("a result's _meta: {fault}")))?;
        self.open_state()?.result.meta = Some(json);
        Ok(())
    }

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
        let result = ToolResult::from_json(json).map_err(|fault| {
            HostError::InvalidResult(format!("tool \"{}\": result: {fault}", self.name()))
        })?;
        self.finish_with(Some(result), None)
    }

    /// Finishes with an error that the model sees and can mend. What was added so far is dropped.
    pub fn finish_tool_error(&self, message: &str) -> Result<(), HostError> {
        let state = self.open_state()?;
        self.end(state, Stage::Finished, Some(Outcome::tool_error(message)));
        Ok(())
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
        let state = self.open_state()?;
        self.end(state, Stage::Finished, Some(Outcome::Error(error)));
        Ok(())
    }

    /// The client does not want the answer any more: nothing is sent from now on.
    pub fn cancel(&self) {
        let state = self.state.lock();
        if state.stage.is_unanswered() {
            self.cancelled.store(true, Ordering::Release);
            self.end(state, Stage::Cancelled, None);
        }
    }

    /// Answers an open call with `outcome` and tells its handler to stop: it took too long, or it panicked.
    pub fn abort(&self, outcome: Outcome) {
        let state = self.state.lock();
        if state.stage.is_unanswered() {
            self.cancelled.store(true, Ordering::Release);
            self.end(state, Stage::Finished, Some(outcome));
        }
    }

    /// Finishes with `whole`, or with what was added and `last_text`. The result is checked without the lock,
    /// so that a cancellation need not wait for it.
    fn finish_with(&self, whole: Option<ToolResult>, last_text: Option<&str>) -> Result<(), HostError> {
        let mut state = self.open_state()?;
        let is_whole = whole.is_some();
        let mut result = whole.unwrap_or_else(|| std::mem::take(&mut state.result));
        if self.contract.output.is_some() && !result.is_error {
            state.stage = Stage::Finishing;
            drop(state);
            let checked = self.check_output(&result);
            state = self.state.lock();
            if state.stage != Stage::Finishing {
                return Err(self.ended_meanwhile(state.stage));
            }
            if let Err(message) = checked {
                state.stage = Stage::Open;
                state.refused = Some(message.clone());
                if !is_whole {
                    state.result = result;
                }
                return Err(HostError::InvalidResult(message));
            }
        }
        match last_text {
            Some(text) => append_text(&mut result, text),
            None if result.has_text => {}
            None => add_text_twin(&mut result),
        }
        self.end(state, Stage::Finished, Some(Outcome::Result(result)));
        Ok(())
    }

    fn ended_meanwhile(&self, stage: Stage) -> HostError {
        if stage == Stage::Cancelled { HostError::Cancelled } else { HostError::AlreadyFinished }
    }

    fn check_output(&self, result: &ToolResult) -> Result<(), String> {
        if self.contract.output.is_none() {
            return Ok(());
        }
        let structured = match &result.structured {
            None => None,
            Some(json) => Some(serde_json::from_slice(json).map_err(|_| {
                format!("tool \"{}\": a value in the structured content cannot be represented", self.name())
            })?),
        };
        self.contract.check_output(structured.as_ref())
    }

    fn open_state(&self) -> Result<MutexGuard<'_, State>, HostError> {
        let state = self.state.lock();
        match state.stage {
            Stage::Open => Ok(state),
            Stage::Finishing | Stage::Finished => Err(HostError::AlreadyFinished),
            Stage::Cancelled => Err(HostError::Cancelled),
        }
    }

    /// Ends an open call. The host's code (callbacks and destructors) runs with no lock held.
    fn end(&self, mut state: MutexGuard<'_, State>, stage: Stage, outcome: Option<Outcome>) {
        state.stage = stage;
        let on_cancel = std::mem::take(&mut state.on_cancel);
        let held = state.rate.take_held();
        let time_limit = state.time_limit.take();
        drop(state);
        if let Some(timer) = time_limit {
            timer.cancel();
        }
        if let Some(outcome) = outcome {
            if let Some(held) = held.filter(|_| self.outlet.wants_progress()) {
                self.outlet.progress(held.value, held.total, held.message.as_deref());
            }
            self.outlet.finish(outcome);
        }
        if !self.is_cancelled() {
            self.outlet.handler_is_done();
        }
        if self.is_cancelled() {
            on_cancel.into_iter().for_each(|callback| callback());
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        if state.stage != Stage::Open {
            return;
        }
        state.stage = Stage::Finished;
        if let Some(timer) = state.time_limit.take() {
            timer.cancel();
        }
        let why = state.refused.take().unwrap_or_else(|| {
            format!(
                "tool \"{}\": its handler returned without finishing the call or keeping a reference to it",
                self.contract.name
            )
        });
        library_log::error(format_args!("{why}"));
        let message = format!("tool \"{}\" failed to produce a result", self.contract.name);
        self.outlet.finish(Outcome::Error(ProtocolError::internal(message)));
    }
}

/// Checks a JSON text of the host's and takes the white space between its tokens away: a message must not
/// have line breaks.
fn one_line(json: &[u8]) -> Result<Vec<u8>, HostError> {
    check_json(json)?;
    let mut out = Vec::with_capacity(json.len());
    json_compact::append(&mut out, json);
    Ok(out)
}

fn check_json(json: &[u8]) -> Result<(), HostError> {
    document::check_json(json, "").map_err(|fault| HostError::InvalidJson(format!("the text {fault}")))
}
