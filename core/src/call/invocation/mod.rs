//! A call in flight: what a handler reads, says and finishes.

mod asking;
mod finishing;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

pub use self::asking::MAX_QUESTIONS;
use super::arguments::Arguments;
use super::draft::Draft;
use super::host::Host;
use super::outcome::Outcome;
use super::outlet::Outlet;
use super::progress_rate::{Progress, ProgressRate};
use super::rate_limit::RateLimit;
use super::request::{CallRequest, RequestContext};
use super::rounds::{Carried, InputRequired, Questions};
use super::subject::Subject;
use crate::host_error::HostError;
use crate::protocol::cache_hint::CacheHint;
use crate::protocol::client_capability::missing_capability;
use crate::protocol::content::ContentBlock;
use crate::protocol::document;
use crate::protocol::error::ProtocolError;
use crate::protocol::json_compact;
use crate::protocol::log_level::LogLevel;
use crate::protocol::meta_key;
use crate::protocol::role::Role;
use crate::runtime::async_runtime::Timer;
use crate::runtime::library_log;
use crate::runtime::lock::{Mutex, MutexGuard};

/// A call of a tool, a prompt, a resource or a completion. Every method may be called from any thread.
///
/// It ends by the first of: a finish, a cancellation by the client, its time limit, or the loss of its last
/// reference, which answers with the questions that it asked, or else `-32603`. Nothing is sent after its end.
pub struct Call {
    request: CallRequest,
    outlet: Box<dyn Outlet>,
    cancelled: AtomicBool,
    state: Mutex<State>,
}

struct State {
    stage: Stage,
    draft: Draft,
    /// Most calls ask nothing and carry nothing.
    carried: Option<Box<Carried>>,
    questions: Questions,
    /// Why the last finish was refused.
    refused: Option<String>,
    rate: ProgressRate,
    log_rate: RateLimit,
    /// In the order of registration.
    on_cancel: BTreeMap<u64, Box<dyn FnOnce() + Send>>,
    next_on_cancel: u64,
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
    pub fn new(mut request: CallRequest, outlet: Box<dyn Outlet>, rates: Rates) -> Call {
        let state = State {
            stage: Stage::Open,
            draft: Draft::new(&request.subject),
            carried: request.carried.take(),
            questions: Questions::default(),
            refused: None,
            rate: ProgressRate::new(rates.progress_per_second),
            log_rate: RateLimit::new(rates.logs_per_second),
            on_cancel: BTreeMap::new(),
            next_on_cancel: 0,
            time_limit: None,
        };
        let cancelled = AtomicBool::new(false);
        Call { request, outlet, cancelled, state: Mutex::new(state) }
    }

    /// Keeps the timer of the call's time limit, which is cancelled when the call ends.
    pub fn keep_time_limit(&self, timer: Timer) {
        let mut state = self.state.lock();
        match state.stage {
            Stage::Open => state.time_limit = Some(timer),
            Stage::Finishing | Stage::Finished | Stage::Cancelled => timer.cancel(),
        }
    }

    /// The name of what is called, as [`Subject::name`] has it.
    pub fn name(&self) -> &str {
        self.request.subject.name()
    }

    /// What is called.
    pub fn subject(&self) -> &Subject {
        &self.request.subject
    }

    /// Holds the arguments against the tool's input schema; the error is for the model.
    pub fn check_arguments(&self) -> Result<(), String> {
        let Subject::Tool(contract) = &self.request.subject else { return Ok(()) };
        let checked = contract.input.validate(self.arguments().decoded());
        checked.map_err(|problems| problems.describe_input(self.name()))
    }

    /// The arguments of a tool or prompt, which fit what it takes; the variables of a resource template.
    pub fn arguments(&self) -> &Arguments {
        &self.request.arguments
    }

    /// The argument called `name`, a member's name or a JSON Pointer. An absent one is
    /// [`HostError::NotFound`] where such an argument is known, and [`HostError::InvalidArgument`] where the
    /// name is a mistake.
    pub fn argument(&self, name: &str) -> Result<&Value, HostError> {
        if let Some(value) = self.arguments().get(name) {
            return Ok(value);
        }
        let root = name.strip_prefix('/').map_or(name, |rest| rest.split('/').next().unwrap_or(rest));
        let root = root.replace("~1", "/").replace("~0", "~");
        if self.subject().declares_argument(&root) || self.arguments().get(&root).is_some() {
            return Err(HostError::NotFound(format!("the argument \"{name}\" was not given")));
        }
        Err(HostError::InvalidArgument(format!("{} declares no argument \"{name}\"", self.subject())))
    }

    /// What the request says besides its arguments.
    pub fn context(&self) -> &RequestContext {
        &self.request.context
    }

    /// The server that is called.
    pub fn host(&self) -> Arc<dyn Host> {
        self.outlet.host()
    }

    /// Ends the response's stream now, where it can be resumed: the client comes back for the rest, after
    /// `retry`. Elsewhere nothing happens.
    pub fn close_stream(&self, retry: Option<Duration>) -> Result<(), HostError> {
        let state = self.open_state()?;
        drop(state);
        self.outlet.close_stream(retry);
        Ok(())
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
    /// already. It is dropped unrun when the call ends otherwise. Returns what [`Self::forget_on_cancel`] takes,
    /// unless the call has ended.
    pub fn on_cancel(&self, callback: Box<dyn FnOnce() + Send>) -> Option<u64> {
        let mut state = self.state.lock();
        if self.is_cancelled() {
            drop(state);
            callback();
            return None;
        }
        if !state.stage.is_unanswered() {
            return None;
        }
        let key = state.next_on_cancel;
        state.next_on_cancel += 1;
        state.on_cancel.insert(key, callback);
        Some(key)
    }

    /// Drops the callback of [`Self::on_cancel`], unless it has run.
    pub fn forget_on_cancel(&self, key: u64) {
        let forgotten = self.state.lock().on_cancel.remove(&key);
        drop(forgotten);
    }

    /// How many want to know of a cancellation.
    #[cfg(test)]
    pub fn watchers(&self) -> usize {
        self.state.lock().on_cancel.len()
    }

    /// Adds a content block: to a tool's result, as a message of a prompt, or to what a resource contains.
    pub fn add_content(&self, block: ContentBlock<'_>) -> Result<(), HostError> {
        if let Some(fault) = block.fault() {
            return Err(HostError::InvalidArgument(fault));
        }
        self.open_state()?.draft.add(self.subject(), block)
    }

    /// Adds a content block given as JSON; to what a resource contains, an item of its `contents`.
    pub fn add_content_json(&self, json: &[u8]) -> Result<(), HostError> {
        check_json(json)?;
        self.open_state()?.draft.add_json(self.subject(), json)
    }

    /// Sets whose messages the blocks are that are added to a prompt from now on. It begins with the user's.
    pub fn set_role(&self, role: Role) -> Result<(), HostError> {
        self.open_state()?.draft.set_role(self.subject(), role)
    }

    /// Sets the description of a prompt's result.
    pub fn set_description(&self, text: &str) -> Result<(), HostError> {
        self.open_state()?.draft.set_description(self.subject(), text)
    }

    /// Sets the structured content of a tool's result, any JSON value. Its text twin is added at the finish
    /// unless a text block was.
    pub fn set_structured(&self, json: &[u8]) -> Result<(), HostError> {
        let json = one_line(json)?;
        self.open_state()?.draft.set_structured(self.subject(), json)
    }

    /// Sets the result's `_meta`, a JSON object.
    pub fn set_meta(&self, json: &[u8]) -> Result<(), HostError> {
        let json = one_line(json)?;
        meta_key::check_object(&json, "")
            .map_err(|fault| HostError::InvalidArgument(format!("a result's _meta: {fault}")))?;
        self.open_state()?.draft.set_meta(json);
        Ok(())
    }

    /// Sets how long, and for whom, what a resource contains counts as fresh.
    pub fn set_cache(&self, cache: CacheHint) -> Result<(), HostError> {
        self.open_state()?.draft.set_cache(self.subject(), cache)
    }

    /// Adds a value to a completion. Clients are sent the first 100.
    pub fn add_completion(&self, value: &str) -> Result<(), HostError> {
        self.open_state()?.draft.add_completion(self.subject(), value)
    }

    /// Sets how many values a completion has in all, sent or not.
    pub fn set_completion_total(&self, total: u64) -> Result<(), HostError> {
        self.open_state()?.draft.set_completion_total(self.subject(), total)
    }

    /// The client does not want the answer any more: nothing is sent from now on.
    pub fn cancel(&self) {
        let state = self.state.lock();
        if state.stage.is_unanswered() {
            self.cancelled.store(true, Ordering::Release);
            self.end(state, Stage::Cancelled, None);
        }
    }

    /// Answers with `outcome` a call whose handler is not run.
    pub fn refuse(&self, outcome: Outcome) {
        self.outlet.handler_does_not_run();
        self.abort(outcome);
    }

    /// Answers an open call with `outcome` and tells its handler to stop: it took too long, or it panicked.
    pub fn abort(&self, outcome: Outcome) {
        let state = self.state.lock();
        if state.stage.is_unanswered() {
            self.cancelled.store(true, Ordering::Release);
            self.end(state, Stage::Finished, Some(outcome));
        }
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
        let is_cancelled = self.is_cancelled();
        if let Some(outcome) = outcome {
            if let Some(held) = held.filter(|_| self.outlet.wants_progress()) {
                self.outlet.progress(held.value, held.total, held.message.as_deref());
            }
            self.finish_at_outlet(outcome, !is_cancelled);
        }
        if is_cancelled {
            on_cancel.into_values().for_each(|callback| callback());
        }
    }

    /// Whoever has the answer may count on it that its handler is at work no more.
    fn finish_at_outlet(&self, outcome: Outcome, handler_is_done: bool) {
        let asks = matches!(outcome, Outcome::InputRequired(_));
        if handler_is_done && !asks {
            self.outlet.handler_is_done();
        }
        self.outlet.finish(&self.request, outcome);
        if handler_is_done && asks {
            self.outlet.handler_is_done();
        }
    }
}

impl State {
    /// What goes from round to round.
    fn carried(&mut self) -> &mut Carried {
        self.carried.get_or_insert_default()
    }

    /// What the call ends with if its handler ends it with what it has asked; `None` if it has asked nothing.
    fn open_questions(&mut self, subject: &Subject) -> Option<Outcome> {
        let Questions { asked, undeclared } = std::mem::take(&mut self.questions);
        if !asked.is_empty() {
            let carried = *self.carried.take().unwrap_or_default();
            return Some(Outcome::InputRequired(Box::new(InputRequired { questions: asked, carried })));
        }
        (!undeclared.is_empty()).then(|| Outcome::Error(missing_capability(subject, &undeclared)))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        if !state.stage.is_unanswered() {
            return;
        }
        state.stage = Stage::Finished;
        if let Some(timer) = state.time_limit.take() {
            timer.cancel();
        }
        let subject = &self.request.subject;
        let outcome = state.open_questions(subject).unwrap_or_else(|| {
            let why = state.refused.take().unwrap_or_else(|| {
                format!(
                    "{subject}: its handler returned without finishing the call or keeping a reference to it"
                )
            });
            library_log::error(format_args!("{why}"));
            Outcome::Error(ProtocolError::internal(format!("{subject} failed to produce a result")))
        });
        self.finish_at_outlet(outcome, true);
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
