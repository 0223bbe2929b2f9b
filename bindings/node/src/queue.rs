//! What waits for the thread of an environment.

use std::collections::VecDeque;

use mcp_core::call::job::Job;
use mcp_core::host_error::HostError;
use mcp_core::runtime::library_log::LogSeverity;
use mcp_core::runtime::lock::Mutex;
use napi_derive::napi;

use crate::wakeup::Wakeup;

/// Something for the thread of an environment to do or to hear of.
pub enum Item {
    /// A handler to run.
    Job(Job),
    /// The client does not want the answer of a call any more.
    Cancelled(CallId),
    /// Something that JavaScript began has ended.
    Settled(u32, Result<Vec<u8>, HostError>),
    /// A handler that is called no more.
    ForgetHandler(u32),
    /// What was attached to a request that is over.
    ForgetAttachment(u32),
    /// The response to a request begins: its status and headers.
    Head(u32, u16, Vec<(String, Vec<u8>)>),
    /// A piece of its body.
    Body(u32, Vec<u8>),
    /// The end of a response.
    End(u32),
    /// A message for the client of a session.
    Message(u32, Vec<u8>),
    /// A line of the library's log.
    Log(LogSeverity, String),
}

/// By what JavaScript knows a call.
#[napi]
pub type CallId = u32;

/// The queue of an environment. Whoever puts something in wakes the environment, unless it was woken before.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    items: VecDeque<Item>,
    /// Lines of the log among them.
    logs: usize,
    /// Gone when the environment is.
    wakeup: Option<Wakeup>,
    /// Whether the environment was woken since it last took what is there.
    woken: bool,
}

/// Lines of the log that wait. A handler that blocks its thread while others log must not fill the memory.
const MAX_LOG_LINES: usize = 10_000;

impl Queue {
    /// Begins to wake an environment.
    pub fn open(&self, wakeup: Wakeup) {
        self.state.lock().wakeup = Some(wakeup);
    }

    /// Shows the wakeup to `show`, unless the environment is gone.
    pub fn with_wakeup(&self, show: impl FnOnce(&Wakeup)) {
        if let Some(wakeup) = &self.state.lock().wakeup {
            show(wakeup);
        }
    }

    /// Puts `item` in. Where the environment is gone, it is dropped: a job answers its call then.
    pub fn put(&self, item: Item) {
        let mut state = self.state.lock();
        let is_log = matches!(item, Item::Log(..));
        if state.wakeup.is_none() || is_log && state.logs == MAX_LOG_LINES {
            drop(state);
            drop(item);
            return;
        }
        state.logs += usize::from(is_log);
        state.items.push_back(item);
        state.wake();
    }

    /// Takes everything that is there.
    pub fn take(&self) -> VecDeque<Item> {
        let mut state = self.state.lock();
        state.woken = false;
        state.logs = 0;
        std::mem::take(&mut state.items)
    }

    /// Puts back what was taken and is to be done later, before what came meanwhile.
    pub fn put_back(&self, mut items: VecDeque<Item>) {
        let mut state = self.state.lock();
        items.append(&mut state.items);
        state.items = items;
        state.wake();
    }

    /// Wakes nobody any more, and drops what is there and what comes.
    pub fn close(&self) -> Option<Wakeup> {
        let mut state = self.state.lock();
        let (items, wakeup) = (std::mem::take(&mut state.items), state.wakeup.take());
        drop(state);
        drop(items);
        wakeup
    }
}

impl State {
    fn wake(&mut self) {
        if let Some(wakeup) = self.wakeup.as_ref().filter(|_| !self.woken) {
            // Under the lock: nobody wakes an environment whose queue was closed.
            self.woken = wakeup.wake();
        }
    }
}
