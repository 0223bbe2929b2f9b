//! The library's own log, for the whole process.

use std::sync::Arc;

use mcp_core::runtime::library_log::{self, LogHandler};
use napi_derive::napi;

use crate::environment::Environment;
use crate::queue::Item;

#[napi]
impl Environment {
    /// Sends the log to the hook `log` of this environment, or to stderr again.
    #[napi]
    pub fn take_log(&self, take: bool) {
        let shared = Arc::downgrade(&self.shared);
        let handler: LogHandler = Box::new(move |severity, text| {
            if let Some(shared) = shared.upgrade() {
                shared.queue.put(Item::Log(severity, text.to_owned()));
            }
        });
        library_log::set_log_handler(take.then_some(handler));
    }
}
