//! What the request of a call says, and what is told its client meanwhile.

use std::sync::Arc;
use std::time::Duration;

use mcp_core::call::subject::Subject;
use mcp_core::host_error::HostError;
use mcp_core::protocol::log_level::LogLevel;
use napi_derive::napi;

use crate::environment::Environment;
use crate::fault::{Result, fault, invalid};
use crate::queue::{CallId, Item};

#[napi]
impl Environment {
    /// The name of the tool or prompt, the URI of the resource.
    #[napi]
    pub fn call_name(&self, call: CallId) -> Result<String> {
        Ok(self.shared.calls.get(call)?.name().to_owned())
    }

    /// The arguments as the client wrote them, JSON text.
    #[napi]
    pub fn arguments(&self, call: CallId) -> Result<String> {
        Ok(text_of(self.shared.calls.get(call)?.arguments().raw()))
    }

    /// The `_meta` of the request, JSON text.
    #[napi]
    pub fn meta(&self, call: CallId) -> Result<String> {
        Ok(text_of(&self.shared.calls.get(call)?.context().meta))
    }

    /// Which program the client is, as it says itself, JSON text.
    #[napi]
    pub fn client_info(&self, call: CallId) -> Result<Option<String>> {
        Ok(self.shared.calls.get(call)?.context().client_info().map(|info| text_of(&info)))
    }

    /// What the client declares that it can do, JSON text.
    #[napi]
    pub fn client_capabilities(&self, call: CallId) -> Result<String> {
        Ok(text_of(self.shared.calls.get(call)?.context().capabilities.json()))
    }

    /// The revision that the client speaks.
    #[napi]
    pub fn revision(&self, call: CallId) -> Result<String> {
        Ok(self.shared.calls.get(call)?.context().revision.name().to_owned())
    }

    /// On whose behalf the request comes.
    #[napi]
    pub fn principal(&self, call: CallId) -> Result<Option<String>> {
        Ok(self.shared.calls.get(call)?.context().principal.as_deref().map(str::to_owned))
    }

    /// The headers of the HTTP request: names and values by turns.
    #[napi]
    pub fn headers(&self, call: CallId) -> Result<Vec<String>> {
        let call = self.shared.calls.get(call)?;
        let mut lines = Vec::new();
        if let Some(headers) = &call.context().headers {
            headers.each(&mut |name, value| {
                lines.push(name.to_owned());
                // As Node shows them: a character for each byte.
                lines.push(value.iter().copied().map(char::from).collect());
            });
        }
        Ok(lines)
    }

    /// Whether the call was cancelled or ran out of time. One that is over was not.
    #[napi]
    pub fn is_cancelled(&self, call: CallId) -> bool {
        self.shared.calls.get(call).is_ok_and(|call| call.is_cancelled())
    }

    /// Has the hook `cancelled` called when the call is cancelled.
    #[napi]
    pub fn watch(&self, call: CallId) -> Result<()> {
        let shared = Arc::downgrade(&self.shared);
        let tell = move || {
            if let Some(shared) = shared.upgrade() {
                shared.queue.put(Item::Cancelled(call));
            }
        };
        self.shared.calls.get(call)?.on_cancel(Box::new(tell));
        Ok(())
    }

    /// Tells the client how far the call is; false if that came too late, or does not increase.
    #[napi]
    pub fn progress(&self, call: CallId, value: f64, total: Option<f64>, message: Option<String>) -> bool {
        let call = self.shared.calls.get(call);
        call.is_ok_and(|call| call.progress(value, total, message.as_deref()).is_ok())
    }

    /// Sends the client a log message; `data` is JSON text. False if that came too late.
    #[napi]
    pub fn log(&self, call: CallId, level: String, data: String, logger: Option<String>) -> Result<bool> {
        let named = LogLevel::named(&level);
        let level = named.ok_or_else(|| {
            invalid(format!("there is no log level \"{level}\"; use one of {}", LogLevel::names()))
        })?;
        let Ok(call) = self.shared.calls.get(call) else { return Ok(false) };
        match call.log(level, logger.as_deref(), data.as_bytes()) {
            Ok(()) => Ok(true),
            Err(HostError::AlreadyFinished | HostError::Cancelled) => Ok(false),
            Err(error) => Err(fault(&error)),
        }
    }

    /// Ends the stream of the response, where its client can come back for the rest.
    #[napi]
    pub fn close_stream(&self, call: CallId, retry_ms: Option<u32>) {
        if let Ok(call) = self.shared.calls.get(call) {
            // A call that is over has no stream.
            let _ = call.close_stream(retry_ms.map(|retry| Duration::from_millis(retry.into())));
        }
    }

    /// The tool, prompt, resource or completion that a call is of, in words.
    #[napi]
    pub fn subject(&self, call: CallId) -> Result<String> {
        Ok(self.shared.calls.get(call)?.subject().to_string())
    }

    /// Whether what is called is a tool.
    #[napi]
    pub fn is_tool(&self, call: CallId) -> bool {
        self.shared.calls.get(call).is_ok_and(|call| matches!(call.subject(), Subject::Tool(_)))
    }
}

fn text_of(json: &[u8]) -> String {
    String::from_utf8_lossy(json).into_owned()
}
