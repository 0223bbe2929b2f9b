//! Handlers on the host's own threads or loop.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use mcp_core::call::job;
use mcp_core::runtime::fork_guard::ForkGuard;
use mcp_core::server::execution;

use crate::boundary;
use crate::server::Server;
use crate::text;
use crate::user_data::{FreeFunction, UserData};

/// A handler that waits to be run by the host.
pub struct Job {
    job: job::Job,
    process: ForkGuard,
}

/// Takes a job, which is yours: run it by `mcp_job_run` or drop it by `mcp_job_drop`, once, now or later,
/// on any thread.
///
/// Called on a thread that serves: it must not block. It hands the job to a loop or a queue, and wakes
/// that.
pub type Executor = Option<unsafe extern "C" fn(job: *mut Job, user_data: *mut c_void)>;

/// Sets the executor of handlers whose dispatch is MCP_DISPATCH_HOST, in place of one set before.
///
/// `user_data_free` (may be NULL) is called with `user_data` exactly once: when the executor was replaced
/// or the server freed, and its last call has ended; or before this returns, if it fails. Jobs may still
/// wait in the host's queue then: that destructor may drop them. Any thread.
///
/// # Safety
/// `server` is NULL or a live handle; the functions may be called with `user_data` from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_executor(
    server: *mut Server,
    executor: Executor,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
) -> c_int {
    let user_data = UserData::new(user_data, user_data_free);
    boundary::fallible(move || {
        // SAFETY: as promised by the caller.
        let server = unsafe { Server::borrow(server)? };
        let function = executor.ok_or_else(|| text::null("executor"))?;
        let executor = HostExecutor { function, user_data, process: ForkGuard::new() };
        server.engine.set_executor(Arc::new(executor));
        Ok(())
    })
}

/// Runs a job's handler on this thread, and frees the job. A job whose call was cancelled meanwhile runs
/// nothing. NULL is fine.
///
/// # Safety
/// `job` is NULL or was given to an executor, and was neither run nor dropped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_job_run(job: *mut Job) {
    // SAFETY: as promised by the caller.
    boundary::infallible((), || unsafe { take(job) }.map_or((), job::Job::run));
}

/// Frees a job without running it: its call is answered with the error -32603. NULL is fine.
///
/// # Safety
/// `job` is NULL or was given to an executor, and was neither run nor dropped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_job_drop(job: *mut Job) {
    // SAFETY: as promised by the caller.
    boundary::infallible((), || drop(unsafe { take(job) }));
}

struct HostExecutor {
    function: unsafe extern "C" fn(*mut Job, *mut c_void),
    user_data: UserData,
    process: ForkGuard,
}

impl execution::Executor for HostExecutor {
    fn execute(&self, job: job::Job) {
        let job = Box::into_raw(Box::new(Job { job, process: self.process }));
        // SAFETY: the host registered this function for this pointer, and takes the job over.
        boundary::call_host(|| unsafe { (self.function)(job, self.user_data.pointer()) });
    }
}

/// Takes a job back from the host. A forked child gets none: the parent has it too, and answers its call.
///
/// # Safety
/// `job` is NULL or a live handle, which nobody uses any more.
unsafe fn take(job: *mut Job) -> Option<job::Job> {
    // SAFETY: as promised by the caller.
    if unsafe { job.as_ref() }?.process.forked() {
        return None;
    }
    // SAFETY: the handle came from a Box, and is given back once.
    Some(unsafe { Box::from_raw(job) }.job)
}
