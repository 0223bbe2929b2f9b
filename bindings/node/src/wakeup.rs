//! Brings the thread of an environment to the environment's queue, from any thread.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use napi::{Env, sys};

use crate::deliver;
use crate::environment::Shared;
use crate::fault::{Result, invalid};
use crate::hooks::Hooks;
use crate::javascript;

/// The threadsafe function of an environment. It may be called as long as the environment's cleanup hook has not run,
/// which takes it out of the queue.
pub struct Wakeup(sys::napi_threadsafe_function);

// SAFETY: Node allows any thread to call a threadsafe function that has not been released.
unsafe impl Send for Wakeup {}

/// What the threadsafe function carries.
struct Context {
    shared: Arc<Shared>,
    hooks: Hooks,
}

impl Wakeup {
    /// Makes the threadsafe function of `env`. It does not keep the event loop running until [`Self::hold`].
    pub fn new(env: Env, shared: Arc<Shared>, hooks: Hooks) -> Result<Wakeup> {
        let name = javascript::Scope::new(env.raw()).text(b"libmcp")?;
        let context = Box::into_raw(Box::new(Context { shared, hooks }));
        let mut function = ptr::null_mut();
        // SAFETY: called on the thread of `env`; the context lives until `forget` is called with it.
        let status = unsafe {
            sys::napi_create_threadsafe_function(
                env.raw(),
                ptr::null_mut(),
                ptr::null_mut(),
                name,
                0,
                1,
                context.cast(),
                Some(forget),
                context.cast(),
                Some(woken),
                &mut function,
            )
        };
        if status != sys::Status::napi_ok {
            // SAFETY: Node has not taken the context over.
            drop(unsafe { Box::from_raw(context) });
            return Err(invalid(format!("cannot make a threadsafe function (status {status})")));
        }
        let wakeup = Wakeup(function);
        wakeup.let_go(env);
        Ok(wakeup)
    }

    /// Wakes the environment; false if it is ending.
    pub fn wake(&self) -> bool {
        let mode = sys::ThreadsafeFunctionCallMode::nonblocking;
        // SAFETY: not released yet, see the type.
        unsafe { sys::napi_call_threadsafe_function(self.0, ptr::null_mut(), mode) == sys::Status::napi_ok }
    }

    /// Keeps the event loop of `env`, the environment on this thread, running.
    pub fn hold(&self, env: Env) {
        // SAFETY: on the environment's own thread; not released yet, see the type.
        unsafe { sys::napi_ref_threadsafe_function(env.raw(), self.0) };
    }

    /// Lets the event loop end.
    pub fn let_go(&self, env: Env) {
        // SAFETY: on the environment's own thread; not released yet, see the type.
        unsafe { sys::napi_unref_threadsafe_function(env.raw(), self.0) };
    }

    /// Gives the function back, at the end of its environment.
    pub fn release(self) {
        let mode = sys::ThreadsafeFunctionReleaseMode::abort;
        // SAFETY: released once, as this consumes it.
        unsafe { sys::napi_release_threadsafe_function(self.0, mode) };
    }
}

/// Called on the thread of the environment, for each wake-up; with no environment when that is over.
unsafe extern "C" fn woken(
    env: sys::napi_env,
    _function: sys::napi_value,
    context: *mut c_void,
    _data: *mut c_void,
) {
    if env.is_null() {
        return;
    }
    // SAFETY: the context was made for this function, and lives until `forget`.
    let context = unsafe { &*context.cast::<Context>() };
    deliver::deliver(&javascript::Scope::new(env), &context.hooks, &context.shared);
}

/// Called once, when the threadsafe function is no more.
unsafe extern "C" fn forget(_env: sys::napi_env, context: *mut c_void, _hint: *mut c_void) {
    // SAFETY: the context came from a Box, and is given back once.
    drop(unsafe { Box::from_raw(context.cast::<Context>()) });
}
