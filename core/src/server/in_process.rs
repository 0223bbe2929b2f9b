//! The server's own tools, prompts and resources, used by its handlers and by the program around it, without a
//! transport.

use std::any::Any;
use std::sync::Arc;

use bytes::Bytes;

use super::called::{self, Called};
use super::engine::Server;
use super::execution;
use super::modern::result;
use crate::call::arguments::Arguments;
use crate::call::handler::Dispatch;
use crate::call::host::Host;
use crate::call::invocation::Call;
use crate::call::job::{self, Job};
use crate::call::outcome::{CallResult, Outcome};
use crate::call::outlet::Outlet;
use crate::call::request::{CallRequest, RequestContext};
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

impl Host for Server {
    fn call_tool(
        self: Arc<Self>,
        name: &str,
        arguments: &[u8],
        caller: Option<&Arc<Call>>,
    ) -> Result<Vec<u8>, HostError> {
        let list = self.tools().list();
        let tool = list.find(name).or_else(|| list.find(exported_name(&list, name)?));
        let tool = tool.ok_or_else(|| HostError::NotFound(format!("there is no tool \"{name}\"")))?;
        let arguments = Arguments::decode(Some(given(arguments)?));
        if arguments.as_ref().is_ok_and(|arguments| !arguments.is_object()) {
            return Err(HostError::InvalidArgument("the arguments must be a JSON object".into()));
        }
        match called::tool::accept(tool, arguments, self.settings().lenient_arguments) {
            Ok(called) => run(self, called, caller),
            Err(why) => Ok(write(&self, CallResult::tool_error(&why), None)),
        }
    }

    fn get_prompt(
        self: Arc<Self>,
        name: &str,
        arguments: &[u8],
        caller: Option<&Arc<Call>>,
    ) -> Result<Vec<u8>, HostError> {
        let prompt = called::prompt::find_named(&self, name)
            .map_err(|_| HostError::NotFound(format!("there is no prompt \"{name}\"")))?;
        let called = called::prompt::accept(&prompt, Some(given(arguments)?))
            .map_err(|fault| HostError::InvalidArgument(fault.message))?;
        run(self, called, caller)
    }

    fn read_resource(self: Arc<Self>, uri: &str, caller: Option<&Arc<Call>>) -> Result<Vec<u8>, HostError> {
        let called = called::resource::find_uri(&self, uri)
            .map_err(|_| HostError::NotFound(format!("there is no resource \"{uri}\"")))?;
        run(self, called, caller)
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

/// Runs what was called, on this thread unless it belongs to the host's executor, and waits for its end.
fn run(server: Arc<Server>, called: Called, caller: Option<&Arc<Call>>) -> Result<Vec<u8>, HostError> {
    server.check_process()?;
    let Called { subject, handler, dispatch, arguments, check_first } = called;
    if job::depth() >= MAX_NESTED_CALLS {
        return Err(HostError::CallFailed(format!(
            "{subject}: handlers call handlers {MAX_NESTED_CALLS} levels deep already"
        )));
    }
    let context = context(caller);
    context.capabilities.require(&subject, subject.required_capabilities()).map_err(refused)?;
    let (shown, principal) = (subject.to_string(), context.principal.clone());
    let settings = server.settings();
    let ending = Arc::new(Ending::default());
    let outlet = Box::new(Inside { server: server.clone(), ending: ending.clone() });
    let request = CallRequest { subject, arguments, context, carried: None };
    let call = Arc::new(Call::new(request, outlet, settings.rates));
    let watch = caller.and_then(|caller| cancel_with(caller, &call, &ending));
    if let Some(limit) = settings.handler_timeout {
        execution::expire_after(&server, limit, &call);
    }
    let job = Job::new(handler, call.clone(), check_first);
    match dispatch {
        Dispatch::Host if !job::on_host_thread() => match server.executor() {
            Some(executor) => executor.execute(job.for_host()),
            None => execution::refuse_without_executor(&call),
        },
        Dispatch::Host | Dispatch::Pool | Dispatch::Inline => job.run(),
    }
    drop(call);
    let ended = ending.wait();
    if let (Some(caller), Some(watch)) = (caller, watch) {
        caller.forget_on_cancel(watch);
    }
    match ended {
        Some(Outcome::Result(result)) => Ok(write(&server, result, principal.as_deref())),
        Some(Outcome::Error(error)) => Err(refused(error)),
        Some(Outcome::InputRequired(_)) => {
            Err(HostError::MissingCapability(format!("{shown} wants to ask a client, and there is none")))
        }
        None => Err(HostError::Cancelled),
    }
}

/// Cancels `call` with its caller. Whoever waits for it waits no more then, even if its handler goes on.
fn cancel_with(caller: &Call, call: &Arc<Call>, ending: &Arc<Ending>) -> Option<u64> {
    let (inner, ending) = (Arc::downgrade(call), ending.clone());
    caller.on_cancel(Box::new(move || {
        if let Some(inner) = inner.upgrade() {
            inner.cancel();
        }
        ending.set(None);
    }))
}

/// Who calls. Nobody can be asked anything.
fn context(caller: Option<&Arc<Call>>) -> RequestContext {
    let nothing = Bytes::from_static(b"{}");
    RequestContext {
        meta: nothing.clone(),
        revision: Revision::V2026_07_28,
        capabilities: ClientCapabilities::new(nothing),
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

/// How a call in process ends.
#[derive(Default)]
struct Ending {
    state: Mutex<(bool, Option<Outcome>)>,
    ended: Condvar,
}

impl Ending {
    fn set(&self, outcome: Option<Outcome>) {
        let mut state = self.state.lock();
        if !state.0 {
            *state = (true, outcome);
            drop(state);
            self.ended.notify_all();
        }
    }

    fn wait(&self) -> Option<Outcome> {
        let mut state = self.state.lock();
        while !state.0 {
            (state, _) = self.ended.wait(state, None);
        }
        state.1.take()
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
        self.ending.set(Some(outcome));
    }

    fn handler_is_done(&self) {}

    fn handler_does_not_run(&self) {}

    fn close_stream(&self, _retry: Option<std::time::Duration>) {}

    fn host(&self) -> Arc<dyn Host> {
        self.server.clone()
    }
}
