//! The calls that handlers are at work on, by the numbers by which JavaScript knows them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use mcp_core::call::invocation::Call;
use mcp_core::host_error::HostError;
use mcp_core::runtime::lock::Mutex;

use crate::fault::{Result, fault};
use crate::queue::CallId;

/// The calls of an environment.
#[derive(Default)]
pub struct Calls {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calls: HashMap<CallId, Arc<Call>>,
    last: CallId,
}

impl Calls {
    /// Keeps `call` until it is released, and numbers it.
    pub fn keep(&self, call: Arc<Call>) -> CallId {
        let mut state = self.state.lock();
        loop {
            // After 2^32 calls the numbers begin again: one that is still in use is left out.
            state.last = state.last.wrapping_add(1);
            let id = state.last;
            if let Entry::Vacant(place) = state.calls.entry(id) {
                place.insert(call);
                return id;
            }
        }
    }

    /// The call of this number, as long as its handler is at work.
    pub fn get(&self, id: CallId) -> Result<Arc<Call>> {
        let call = self.state.lock().calls.get(&id).cloned();
        call.ok_or_else(|| fault(&HostError::AlreadyFinished))
    }

    /// The call of this number, whose handler is done.
    pub fn release(&self, id: CallId) -> Option<Arc<Call>> {
        self.state.lock().calls.remove(&id)
    }

    /// All of them, of which none stays here.
    pub fn take_all(&self) -> Vec<Arc<Call>> {
        let calls = std::mem::take(&mut self.state.lock().calls);
        calls.into_values().collect()
    }
}
