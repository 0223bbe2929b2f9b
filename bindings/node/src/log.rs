//! The library's own log, for the whole process: one environment at most has it, the one that asked last.

use std::sync::{Arc, Weak};

use mcp_core::runtime::library_log::{self, LogHandler};
use mcp_core::runtime::lock::Mutex;
use napi_derive::napi;

use crate::environment::{Environment, Shared};
use crate::queue::Item;

/// The environment that has the log.
static OWNER: Mutex<Weak<Shared>> = Mutex::new(Weak::new());

#[napi]
impl Environment {
    /// Sends the log to the hook `log` of this environment, or to stderr again.
    #[napi]
    pub fn take_log(&self, take: bool) {
        let shared = Arc::downgrade(&self.shared);
        *OWNER.lock() = if take { shared.clone() } else { Weak::new() };
        let handler: LogHandler = Box::new(move |severity, text| {
            if let Some(shared) = shared.upgrade() {
                shared.queue.put(Item::Log(severity, text.to_owned()));
            }
        });
        library_log::set_log_handler(take.then_some(handler));
    }
}

/// Sends the log to stderr again, if it is that of an environment that ends.
pub fn give_back(ending: &Shared) {
    let mut owner = OWNER.lock();
    if std::ptr::eq(owner.as_ptr(), ending) {
        *owner = Weak::new();
        drop(owner);
        library_log::set_log_handler(None);
    }
}
