//! One JavaScript environment: the main thread, or a worker thread.

use std::sync::{Arc, Weak};
use std::time::Duration;

use mcp_core::call::outcome::Outcome;
use mcp_core::protocol::error::ProtocolError;
use mcp_core::runtime::lock::Mutex;
use mcp_core::server::engine::Server;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::calls::Calls;
use crate::fault::{Fault, Result};
use crate::hooks::Hooks;
use crate::log;
use crate::pinned_image;
use crate::queue::Queue;
use crate::wakeup::Wakeup;

/// What belongs to an environment and is known to every thread.
#[derive(Default)]
pub struct Shared {
    /// What waits for its thread.
    pub queue: Queue,
    /// The calls that its handlers are at work on.
    pub calls: Calls,
    servers: Mutex<Vec<Weak<Server>>>,
}

/// An environment, as its own JavaScript has it: `lib/native.js` makes one.
#[napi]
pub struct Environment {
    pub(crate) shared: Arc<Shared>,
}

#[napi]
impl Environment {
    /// Begins to tell `hooks` what happens. The event loop does not run on for it until `hold`.
    #[napi(constructor)]
    pub fn new(env: Env, hooks: Object<'_>) -> Result<Environment> {
        pinned_image::pin();
        let shared = Arc::<Shared>::default();
        shared.queue.open(Wakeup::new(env, shared.clone(), Hooks::read(env, &hooks)?)?);
        // Hooks run in the reverse order: this one before that of the threadsafe function.
        let hooked = env.add_env_cleanup_hook(shared.clone(), |shared| shared.end());
        hooked.map_err(|fault| Fault::new(fault.status.into(), fault.reason.clone()))?;
        Ok(Environment { shared })
    }

    /// Keeps the event loop running until `letGo`: something serves, or is waited for.
    #[napi]
    pub fn hold(&self, env: Env) {
        self.shared.queue.with_wakeup(|wakeup| wakeup.hold(env));
    }

    /// Lets the event loop end.
    #[napi]
    pub fn let_go(&self, env: Env) {
        self.shared.queue.with_wakeup(|wakeup| wakeup.let_go(env));
    }
}

impl Shared {
    /// Counts a server among those that end with the environment.
    pub fn own(&self, server: &Arc<Server>) {
        let mut servers = self.servers.lock();
        servers.retain(|server| server.strong_count() > 0);
        servers.push(Arc::downgrade(server));
    }

    /// The environment is ending: nothing calls into it from now on, and what needs it ends too.
    fn end(&self) {
        log::give_back(self);
        if let Some(wakeup) = self.queue.close() {
            wakeup.release();
        }
        for call in self.calls.take_all() {
            let message = format!("{} cannot run now: its thread has ended", call.subject());
            call.abort(Outcome::Error(ProtocolError::internal(message)));
        }
        let servers = std::mem::take(&mut *self.servers.lock());
        let servers: Vec<_> = servers.iter().filter_map(Weak::upgrade).collect();
        for server in &servers {
            server.services().shut_down(Duration::ZERO);
        }
        for server in servers {
            // What is left is bounded by the core, and in a forked child nothing.
            let _ = server.configure(|settings| {
                settings.drain = Duration::ZERO;
                Ok(())
            });
            let _ = server.close();
        }
    }
}
