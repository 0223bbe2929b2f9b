//! The server's own tools, prompts and resources, used by its handlers and by the program around it, without a
//! transport.

use std::any::Any;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;

use super::called::{self, Called};
use super::engine::Server;
use super::execution::{self, Runnable};
use super::modern::result;
use super::shutdown::{Service, Serving};
use crate::call::arguments::Arguments;
use crate::call::handler::Dispatch;
use crate::call::host::Host;
use crate::call::invocation::Call;
use crate::call::job;
use crate::call::outcome::{CallResult, Outcome};
use crate::call::outlet::Outlet;
use crate::call::request::{CallRequest, RequestContext};
use crate::call::subject::Subject;
use crate::host_error::HostError;
use crate::protocol::client_capability::ClientCapabilities;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::json_members;
use crate::protocol::log_level::LogLevel;
use crate::protocol::notification::Change;
use crate::protocol::provider_tools::{Provider, ProviderTool};
use crate::protocol::revision::Revision;
use crate::registry::item::Item;
use crate::registry::list::List;
use crate::registry::registered_tool::RegisteredTool;
use crate::registry::variant::Variant;
use crate::runtime::lock::{Condvar, Mutex};

/// How deep handlers may call handlers on one thread.
pub const MAX_NESTED_CALLS: usize = 32;

/// Everything is seen as a client of the newest revision sees it that can show user interfaces.
const VARIANT: Variant = Variant { revision: Revision::V2026_07_28, apps: true };

/// What is asked for in process.
pub enum Asked<'a> {
    /// The result of a tool: a `CallToolResult` as JSON.
    Tool {
        /// Its name, or that under which it was exported.
        name: &'a str,
        /// A JSON object; empty is `{}`.
        arguments: &'a [u8],
    },
    /// A prompt: a `GetPromptResult` as JSON.
    Prompt {
        /// Its name.
        name: &'a str,
        /// A JSON object of strings; empty is `{}`.
        arguments: &'a [u8],
    },
    /// A resource: a `ReadResourceResult` as JSON.
    Resource {
        /// Its URI.
        uri: &'a str,
    },
}

/// Takes the end of a call in process, once, on any thread, with no lock held.
pub type Done = Box<dyn FnOnce(Result<Vec<u8>, HostError>) + Send>;

impl Server {
    /// Begins what the functions of [`Host`] wait for, and returns at once: for hosts with an event loop. A tool of the
    /// pool runs on the pool, one of the host's executor there, an inline one on this thread before this returns.
    pub fn begin_in_process(self: &Arc<Self>, asked: Asked<'_>, caller: Option<&Arc<Call>>, done: Done) {
        match find(self, asked) {
            Ok(Found::ToRun(called)) => start(self, called, caller, Waiting::No, done),
            Ok(Found::Refused(result)) => done(Ok(write(self, result, None))),
            Err(fault) => done(Err(fault)),
        }
    }
}

impl Host for Server {
    fn call_tool(
        self: Arc<Self>,
        name: &str,
        arguments: &[u8],
        caller: Option<&Arc<Call>>,
    ) -> Result<Vec<u8>, HostError> {
        run(&self, Asked::Tool { name, arguments }, caller)
    }

    fn get_prompt(
        self: Arc<Self>,
        name: &str,
        arguments: &[u8],
        caller: Option<&Arc<Call>>,
    ) -> Result<Vec<u8>, HostError> {
        run(&self, Asked::Prompt { name, arguments }, caller)
    }

    fn read_resource(self: Arc<Self>, uri: &str, caller: Option<&Arc<Call>>) -> Result<Vec<u8>, HostError> {
        run(&self, Asked::Resource { uri }, caller)
    }

    fn list_tools(&self) -> Vec<u8> {
        array(&self.tools().list())
    }

    fn list_prompts(&self) -> Vec<u8> {
        array(&self.prompts().list())
    }

    fn list_resources(&self) -> Vec<u8> {
        array(&self.resources().list())
    }

    fn list_resource_templates(&self) -> Vec<u8> {
        array(&self.resource_templates().list())
    }

    fn find_tool(&self, name: &str) -> Option<Vec<u8>> {
        self.tools().list().find(name).map(|tool| tool.listing(VARIANT.revision).to_vec())
    }

    fn export_tools(&self, provider: Provider) -> Vec<u8> {
        let list = self.tools().list();
        let definitions: Vec<_> = list
            .items()
            .iter()
            .filter(|tool| !tool.is_for_apps_only())
            .map(|tool| (tool.name(), tool.listing(VARIANT.revision)))
            .collect();
        let descriptions: Vec<Option<String>> = definitions
            .iter()
            .map(|(_, json)| serde_json::from_slice(json_members::get(json, "description")?).ok())
            .collect();
        let tools: Vec<_> = definitions
            .iter()
            .zip(&descriptions)
            .map(|((name, json), description)| ProviderTool {
                name,
                description: description.as_deref(),
                input_schema: json_members::get(json, "inputSchema").unwrap_or(b"{}"),
            })
            .collect();
        let mut out = Vec::new();
        provider.write(&tools, &mut out);
        out
    }

    fn resource_updated(&self, uri: &str, principal: Option<&str>) {
        self.announce(Change::Resource(uri.into()), principal.map(Arc::from));
    }

    fn is_first(&self, chain: &[u8; 16], key: &str) -> bool {
        self.is_first_in_chain(chain, key)
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// The tool that a model means that knows it by the name under which it was exported.
fn exported_name<'a>(list: &'a List<RegisteredTool>, name: &str) -> Option<&'a str> {
    let names: Vec<_> =
        list.items().iter().filter(|tool| !tool.is_for_apps_only()).map(|tool| tool.name()).collect();
    // The others have the rule of the first.
    let rules = [Provider::OpenAiChat, Provider::Gemini].map(Provider::name_rule);
    rules.iter().find_map(|rule| rule.original_name(name, &names))
}

fn array<T: Item>(list: &List<T>) -> Vec<u8> {
    let mut out = b"[".to_vec();
    for (index, item) in list.items().iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(item.listing(VARIANT.revision));
    }
    out.push(b']');
    out
}

/// Arguments of the host's, which nobody has scanned yet.
fn given(arguments: &[u8]) -> Result<Bytes, HostError> {
    if arguments.is_empty() {
        return Ok(Bytes::from_static(b"{}"));
    }
    crate::protocol::document::check_json(arguments, "")
        .map_err(|fault| HostError::InvalidJson(format!("the arguments: the text {fault}")))?;
    Ok(Bytes::copy_from_slice(arguments))
}

/// What was asked for: something to run, or the result of arguments that do not fit.
enum Found {
    ToRun(Called),
    Refused(CallResult),
}

fn find(server: &Server, asked: Asked<'_>) -> Result<Found, HostError> {
    match asked {
        Asked::Tool { name, arguments } => {
            let list = server.tools().list();
            let tool = list.find(name).or_else(|| list.find(exported_name(&list, name)?));
            let tool = tool.ok_or_else(|| HostError::NotFound(format!("there is no tool \"{name}\"")))?;
            let arguments = Arguments::decode(Some(given(arguments)?));
            if arguments.as_ref().is_ok_and(|arguments| !arguments.is_object()) {
                return Err(HostError::InvalidArgument("the arguments must be a JSON object".into()));
            }
            Ok(match called::tool::accept(tool, arguments, server.settings().lenient_arguments) {
                Ok(called) => Found::ToRun(called),
                Err(why) => Found::Refused(CallResult::tool_error(&why)),
            })
        }
        Asked::Prompt { name, arguments } => {
            let prompt = called::prompt::find_named(server, name)
                .map_err(|_| HostError::NotFound(format!("there is no prompt \"{name}\"")))?;
            called::prompt::accept(&prompt, Some(given(arguments)?))
                .map(Found::ToRun)
                .map_err(|fault| HostError::InvalidArgument(fault.message))
        }
        Asked::Resource { uri } => called::resource::find_uri(server, uri)
            .map(Found::ToRun)
            .map_err(|_| HostError::NotFound(format!("there is no resource \"{uri}\""))),
    }
}

/// Runs what was asked for, on this thread unless it belongs to the host's executor, and waits for its end.
fn run(server: &Arc<Server>, asked: Asked<'_>, caller: Option<&Arc<Call>>) -> Result<Vec<u8>, HostError> {
    let called = match find(server, asked)? {
        Found::ToRun(called) => called,
        Found::Refused(result) => return Ok(write(server, result, None)),
    };
    let result = Arc::new(Awaited::default());
    let arrival = result.clone();
    start(server, called, caller, Waiting::ThisThread, Box::new(move |ended| arrival.set(ended)));
    result.wait()
}

/// Who waits for a call in process.
#[derive(PartialEq, Eq)]
enum Waiting {
    /// The calling thread, which runs the handler itself then, however full the pool is.
    ThisThread,
    /// Nobody.
    No,
}

fn start(server: &Arc<Server>, called: Called, caller: Option<&Arc<Call>>, waiting: Waiting, done: Done) {
    let Called { subject, handler, dispatch, arguments, check_first } = called;
    let context = match admit(server, &subject, caller) {
        Ok(context) => context,
        Err(fault) => return done(Err(fault)),
    };
    let settings = server.settings();
    let (shown, principal) = (subject.to_string(), context.principal.clone());
    let by = server.clone();
    let ending = Arc::new(Ending::new(move |ended| {
        done(match ended {
            Ok(Outcome::Result(result)) => Ok(write(&by, result, principal.as_deref())),
            Ok(Outcome::Error(error)) => Err(refused(error)),
            Ok(Outcome::InputRequired(_)) => {
                Err(HostError::MissingCapability(format!("{shown} wants to ask a client, and there is none")))
            }
            Err(fault) => Err(fault),
        });
    }));
    let outlet = Box::new(Inside { server: server.clone(), ending: ending.clone() });
    let request = CallRequest { subject, arguments, context, carried: None };
    let call = Arc::new(Call::new(request, outlet, settings.rates));
    match caller {
        Some(caller) => cancel_with(caller, &call, &ending),
        None if waiting == Waiting::No => {
            if let Err(fault) = end_with(server, &call, &ending) {
                return ending.set(Err(fault));
            }
        }
        None => {}
    }
    let dispatch = match dispatch {
        Dispatch::Host if job::on_host_thread() && waiting == Waiting::ThisThread => Dispatch::Inline,
        Dispatch::Pool if waiting == Waiting::ThisThread => Dispatch::Inline,
        dispatch => dispatch,
    };
    execution::run(server, &settings, Runnable { handler, dispatch, check_first }, call);
}

/// Whether the call may be made now, and its context.
fn admit(
    server: &Server,
    subject: &Subject,
    caller: Option<&Arc<Call>>,
) -> Result<RequestContext, HostError> {
    server.check_process()?;
    if job::depth() >= MAX_NESTED_CALLS {
        return Err(HostError::CallFailed(format!(
            "{subject}: handlers call handlers {MAX_NESTED_CALLS} levels deep already"
        )));
    }
    let context = context(caller);
    context.capabilities.require(subject, subject.required_capabilities()).map_err(refused)?;
    Ok(context)
}

/// Cancels `call` with its caller. Whoever waits for it waits no more then, even if its handler goes on.
fn cancel_with(caller: &Arc<Call>, call: &Arc<Call>, ending: &Arc<Ending>) {
    let (inner, cancelled) = (Arc::downgrade(call), ending.clone());
    let watch = caller.on_cancel(Box::new(move || {
        if let Some(inner) = inner.upgrade() {
            inner.cancel();
        }
        cancelled.set(Err(HostError::Cancelled));
    }));
    if let Some(watch) = watch {
        ending.stop_watching_at_end(caller, watch);
    }
}

/// Ends `call` with the server: what nobody waits for would outlive it.
fn end_with(server: &Arc<Server>, call: &Arc<Call>, ending: &Arc<Ending>) -> Result<(), HostError> {
    let begun = Begun { server: Arc::downgrade(server), call: Arc::downgrade(call), ending: ending.clone() };
    let serving = server.services().begin(Arc::new(begun))?;
    ending.serve_to_the_end(serving);
    Ok(())
}

/// A call that was begun, and is told when the server is shut down.
struct Begun {
    server: Weak<Server>,
    call: Weak<Call>,
    ending: Arc<Ending>,
}

impl Service for Begun {
    fn stop(&self, drain: Duration) {
        let (call, ending) = (self.call.clone(), self.ending.clone());
        let end = move || {
            if let Some(call) = call.upgrade() {
                call.cancel();
            }
            ending.set(Err(HostError::ShutDown));
        };
        if drain.is_zero() {
            return end();
        }
        let late = end.clone();
        if self.server.upgrade().is_none_or(|server| server.runtime().after(drain, late).is_err()) {
            end();
        }
    }
}

/// Who calls. Nobody can be asked anything.
fn context(caller: Option<&Arc<Call>>) -> RequestContext {
    let nothing = Bytes::from_static(b"{}");
    RequestContext {
        meta: nothing.clone(),
        revision: Revision::V2026_07_28,
        capabilities: ClientCapabilities::new(nothing),
        introduction: None,
        headers: caller.and_then(|caller| caller.context().headers.clone()),
        principal: caller.and_then(|caller| caller.context().principal.clone()),
    }
}

fn write(server: &Server, result: CallResult, principal: Option<&str>) -> Vec<u8> {
    let cache = server.settings().caching.of_read(principal);
    let mut out = b"{".to_vec();
    result::write_members(&result, cache, &mut out);
    result::close(&mut out, result.meta(), result::COMPLETE, None);
    out.push(b'}');
    out
}

fn refused(error: ProtocolError) -> HostError {
    match error.code {
        _ if error.is_resource_not_found() => HostError::NotFound(error.message),
        ErrorCode::MISSING_CAPABILITY => HostError::MissingCapability(error.message),
        _ => HostError::CallFailed(error.message),
    }
}

/// The end of a call in process, which comes once.
struct Ending(Mutex<EndingState>);

type Ended = Result<Outcome, HostError>;

struct EndingState {
    done: Option<Box<dyn FnOnce(Ended) + Send>>,
    /// What keeps the server from having ended, where it is to wait for the call.
    serving: Option<Serving>,
    /// The call on whose behalf this one is made, and what it was told to do when it is cancelled.
    watched: Option<(Weak<Call>, u64)>,
}

impl Ending {
    fn new(done: impl FnOnce(Ended) + Send + 'static) -> Self {
        Ending(Mutex::new(EndingState { done: Some(Box::new(done)), serving: None, watched: None }))
    }

    fn set(&self, ended: Ended) {
        let mut state = self.0.lock();
        let (done, watched, serving) = (state.done.take(), state.watched.take(), state.serving.take());
        drop(state);
        if let Some((caller, watch)) = watched
            && let Some(caller) = caller.upgrade()
        {
            caller.forget_on_cancel(watch);
        }
        if let Some(done) = done {
            done(ended);
        }
        drop(serving);
    }

    fn serve_to_the_end(&self, serving: Serving) {
        let mut state = self.0.lock();
        if state.done.is_some() {
            state.serving = Some(serving);
        }
    }

    fn stop_watching_at_end(&self, caller: &Arc<Call>, watch: u64) {
        let mut state = self.0.lock();
        if state.done.is_some() {
            state.watched = Some((Arc::downgrade(caller), watch));
            return;
        }
        drop(state);
        caller.forget_on_cancel(watch);
    }
}

/// A result that a thread waits for.
#[derive(Default)]
struct Awaited {
    result: Mutex<Option<Result<Vec<u8>, HostError>>>,
    arrived: Condvar,
}

impl Awaited {
    fn set(&self, result: Result<Vec<u8>, HostError>) {
        *self.result.lock() = Some(result);
        self.arrived.notify_all();
    }

    fn wait(&self) -> Result<Vec<u8>, HostError> {
        let mut result = self.result.lock();
        loop {
            if let Some(result) = result.take() {
                return result;
            }
            (result, _) = self.arrived.wait(result, None);
        }
    }
}

/// The way out of a call in process: nobody sees its progress.
struct Inside {
    server: Arc<Server>,
    ending: Arc<Ending>,
}

impl Outlet for Inside {
    fn wants_progress(&self) -> bool {
        false
    }

    fn progress(&self, _progress: f64, _total: Option<f64>, _message: Option<&str>) {}

    fn wants_log(&self, _level: LogLevel) -> bool {
        false
    }

    fn log(&self, _level: LogLevel, _logger: Option<&str>, _data: &[u8]) {}

    fn finish(&self, _request: &CallRequest, outcome: Outcome) {
        self.ending.set(Ok(outcome));
    }

    fn handler_is_done(&self) {}

    fn handler_does_not_run(&self) {}

    fn close_stream(&self, _retry: Option<Duration>) {}

    fn host(&self) -> Arc<dyn Host> {
        self.server.clone()
    }
}
