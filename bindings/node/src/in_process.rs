//! Tools, prompts and resources that the program calls itself.

use mcp_core::host_error::HostError;
use mcp_core::server::in_process::{Asked, Done};
use napi_derive::napi;

use crate::fault::{Result, fault};
use crate::queue::{CallId, Item};
use crate::server::NativeServer;

#[napi]
impl NativeServer {
    /// Calls a tool; `promise` is settled with its result. With a `caller`, on behalf of that call.
    #[napi]
    pub fn call_tool(
        &self,
        name: String,
        arguments: String,
        caller: Option<CallId>,
        promise: u32,
    ) -> Result<()> {
        self.begin(Asked::Tool { name: &name, arguments: arguments.as_bytes() }, caller, promise)
    }

    /// Gets a prompt, likewise.
    #[napi]
    pub fn get_prompt(
        &self,
        name: String,
        arguments: String,
        caller: Option<CallId>,
        promise: u32,
    ) -> Result<()> {
        self.begin(Asked::Prompt { name: &name, arguments: arguments.as_bytes() }, caller, promise)
    }

    /// Reads a resource, likewise.
    #[napi]
    pub fn read_resource(&self, uri: String, caller: Option<CallId>, promise: u32) -> Result<()> {
        self.begin(Asked::Resource { uri: &uri }, caller, promise)
    }

    fn begin(&self, asked: Asked<'_>, caller: Option<CallId>, promise: u32) -> Result<()> {
        let caller = match caller.map(|caller| self.shared.calls.get(caller)).transpose() {
            Ok(caller) => caller,
            Err(_) => return Err(fault(&HostError::AlreadyFinished)),
        };
        let shared = self.shared.clone();
        let done: Done = Box::new(move |result| shared.queue.put(Item::Settled(promise, result)));
        self.core.begin_in_process(asked, caller.as_ref(), done);
        Ok(())
    }
}
