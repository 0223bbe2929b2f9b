//! What serves at the moment: the transports of a server, and how they are all told to stop.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::runtime::lock::{Condvar, Mutex};

use crate::host_error::HostError;

/// How long a transport that ends waits for the calls in flight, unless set otherwise.
pub const DEFAULT_DRAIN: Duration = Duration::from_secs(5);

/// A transport that serves.
pub trait Service: Send + Sync {
    /// Begins to stop and returns at once: takes no new requests, ends subscriptions, gives the calls in
    /// flight `drain` to be answered, and cancels those that are not.
    fn stop(&self, drain: Duration);
}

/// The transports that serve now.
#[derive(Default)]
pub struct Services {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    running: HashMap<u64, Arc<dyn Service>>,
    next: u64,
    shut_down: bool,
}

/// Kept by a transport for as long as it serves.
pub struct Serving {
    services: Arc<Services>,
    key: u64,
}

impl Services {
    /// Counts `service` among those that serve, until the returned value is dropped. Refused after
    /// [`Self::shut_down`].
    pub fn begin(self: &Arc<Self>, service: Arc<dyn Service>) -> Result<Serving, HostError> {
        let mut state = self.state.lock();
        if state.shut_down {
            return Err(HostError::ShutDown);
        }
        let key = state.next;
        state.next += 1;
        state.running.insert(key, service);
        Ok(Serving { services: self.clone(), key })
    }

    /// Tells every transport to stop; none can begin any more.
    pub fn shut_down(&self, drain: Duration) {
        let mut state = self.state.lock();
        state.shut_down = true;
        let running: Vec<_> = state.running.values().cloned().collect();
        drop(state);
        running.iter().for_each(|service| service.stop(drain));
    }

    /// Waits until nothing serves; false if `timeout` ran out first. `None` waits without end.
    pub fn wait(&self, timeout: Option<Duration>) -> bool {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = self.state.lock();
        while !state.running.is_empty() {
            let time_is_up;
            (state, time_is_up) = self.ended.wait(state, deadline);
            if time_is_up {
                return state.running.is_empty();
            }
        }
        true
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let service = self.services.state.lock().running.remove(&self.key);
        drop(service);
        self.services.ended.notify_all();
    }
}
