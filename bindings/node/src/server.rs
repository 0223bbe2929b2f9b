//! A server: made, set, asked what it offers, and closed.

use std::sync::Arc;
use std::time::Duration;

use mcp_core::call::host::Host;
use mcp_core::host_error::HostError;
use mcp_core::protocol::provider_tools::Provider;
use mcp_core::runtime::library_thread;
use mcp_core::server::engine::Server;
use napi_derive::napi;

use crate::environment::{Environment, Shared};
use crate::fault::{Result, fault, invalid};
use crate::handler::JsExecutor;
use crate::queue::Item;

/// The stack of a thread that waits for the end of something.
pub(crate) const WAITING_STACK: usize = 256 << 10;

/// A server, as `lib/server.js` has it.
#[napi]
pub struct NativeServer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) core: Arc<Server>,
}

#[napi]
impl NativeServer {
    /// A server whose handlers run in `environment`.
    #[napi(constructor)]
    pub fn new(environment: &Environment, name: String, version: String) -> Result<NativeServer> {
        let core = Server::new(&name, &version).map_err(|error| fault(&error))?;
        let shared = environment.shared.clone();
        core.set_executor(Arc::new(JsExecutor(shared.clone())));
        shared.own(&core);
        Ok(NativeServer { shared, core })
    }

    /// The largest message in bytes.
    #[napi(getter)]
    pub fn max_message_bytes(&self) -> f64 {
        // A setting of at most 2^31.
        self.core.settings().max_message_bytes as f64
    }

    /// Sets an option by its key in `docs/limits.md`, or `title` or `instructions`.
    #[napi]
    pub fn configure(&self, key: String, value: String) -> Result<()> {
        let set = self.core.configure(|settings| {
            match key.as_str() {
                "title" => Arc::make_mut(&mut settings.identity).set_text("title", &value),
                "instructions" => Arc::make_mut(&mut settings.identity).instructions = Some(value),
                key => settings.set(key, &value)?,
            }
            Ok(())
        });
        set.map_err(|error| fault(&error))
    }

    /// The definitions of the tools, a JSON array.
    #[napi]
    pub fn tools(&self) -> String {
        text(self.core.list_tools())
    }

    /// The definitions of the prompts, a JSON array.
    #[napi]
    pub fn prompts(&self) -> String {
        text(self.core.list_prompts())
    }

    /// The definitions of the resources, a JSON array.
    #[napi]
    pub fn resources(&self) -> String {
        text(self.core.list_resources())
    }

    /// The definitions of the resource templates, a JSON array.
    #[napi]
    pub fn resource_templates(&self) -> String {
        text(self.core.list_resource_templates())
    }

    /// The definition of a tool, a JSON object.
    #[napi]
    pub fn find_tool(&self, name: String) -> Option<String> {
        self.core.find_tool(&name).map(text)
    }

    /// The tools in the shape that a provider's API takes, a JSON array.
    #[napi]
    pub fn export_tools(&self, provider: String) -> Result<String> {
        let known = PROVIDERS.iter().find(|(name, _)| *name == provider);
        let (_, provider) = known.ok_or_else(|| {
            let names: Vec<_> = PROVIDERS.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            invalid(format!("there is no provider \"{provider}\"; use one of {}", names.join(", ")))
        })?;
        Ok(text(self.core.export_tools(*provider)))
    }

    /// Tells those who subscribed to the resource that it changed.
    #[napi]
    pub fn resource_updated(&self, uri: String, principal: Option<String>) {
        self.core.resource_updated(&uri, principal.as_deref());
    }

    /// Tells the client that was sent to a page that it is done there; false if nobody waits to be told.
    #[napi]
    pub fn complete_elicitation(&self, id: String) -> bool {
        self.core.complete_elicitation(&id).is_ok()
    }

    /// Begins to close the server; `promise` is settled when nothing of it runs any more.
    #[napi]
    pub fn close(&self, drain_ms: Option<u32>, promise: u32) -> Result<()> {
        if let Some(drain) = drain_ms {
            let drain = Duration::from_millis(drain.into());
            let set = self.core.configure(|settings| {
                settings.drain = drain;
                Ok(())
            });
            set.map_err(|error| fault(&error))?;
        }
        let core = self.core.clone();
        self.wait("mcp-close", promise, move || core.close())
    }

    /// Runs `wait` on a thread of its own, and settles `promise` with what it returns.
    pub(crate) fn wait(
        &self,
        thread: &str,
        promise: u32,
        wait: impl FnOnce() -> Result<(), HostError> + Send + 'static,
    ) -> Result<()> {
        wait_aside(&self.shared, thread, promise, wait)
    }
}

/// Runs `wait` on a thread of its own, and settles `promise` with what it returns.
pub(crate) fn wait_aside(
    shared: &Arc<Shared>,
    thread: &str,
    promise: u32,
    wait: impl FnOnce() -> Result<(), HostError> + Send + 'static,
) -> Result<()> {
    let shared = shared.clone();
    let waiting = library_thread::spawn(thread, WAITING_STACK, move || {
        shared.queue.put(Item::Settled(promise, wait().map(|()| b"null".to_vec())));
    });
    waiting.map(drop).map_err(|error| fault(&HostError::Io(format!("cannot start a thread: {error}"))))
}

const PROVIDERS: [(&str, Provider); 4] = [
    ("openai-chat", Provider::OpenAiChat),
    ("openai-responses", Provider::OpenAiResponses),
    ("anthropic", Provider::Anthropic),
    ("gemini", Provider::Gemini),
];

fn text(json: Vec<u8>) -> String {
    String::from_utf8_lossy(&json).into_owned()
}
