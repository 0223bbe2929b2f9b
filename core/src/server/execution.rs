//! Runs a call where its tool's registration says.

use std::sync::Arc;
use std::time::Duration;

use super::engine::Server;
use super::settings::Settings;
use crate::call::handler::Dispatch;
use crate::call::invocation::Call;
use crate::call::job::Job;
use crate::call::outcome::Outcome;
use crate::protocol::error::ProtocolError;
use crate::registry::registered_tool::RegisteredTool;
use crate::runtime::library_log;

/// What a model is told when too many calls are in flight.
pub const BUSY: &str = "The server is busy; try again in a moment.";

/// Runs jobs on the host's own threads or loop.
///
/// Dropping a job instead of running it answers its call with `-32603`.
pub trait Executor: Send + Sync {
    /// Takes a job, to be run once, now or later, on any thread.
    fn execute(&self, job: Job);
}

/// Runs `call`, here or elsewhere.
pub fn run(server: &Arc<Server>, settings: &Settings, tool: &RegisteredTool, call: Arc<Call>) {
    if let Some(limit) = settings.handler_timeout {
        expire_after(server, limit, &call);
    }
    let job = Job::new(tool.handler.clone(), call.clone());
    match tool.dispatch {
        Dispatch::Inline => job.run(),
        Dispatch::Pool => {
            if server.pool().submit(Box::new(move || job.run())).is_err() {
                call.abort(Outcome::tool_error(BUSY));
            }
        }
        Dispatch::Host => match server.executor() {
            Some(executor) => executor.execute(job),
            None => {
                library_log::error(format_args!(
                    "tool \"{}\" runs on the host's executor, and the server has none",
                    call.name()
                ));
                let message = format!("tool \"{}\" cannot run now", call.name());
                call.abort(Outcome::Error(ProtocolError::internal(message)));
            }
        },
    }
}

fn expire_after(server: &Server, limit: Duration, call: &Arc<Call>) {
    let call = Arc::downgrade(call);
    let timer = server.runtime().after(limit, move || {
        if let Some(call) = call.upgrade() {
            let message = format!("The tool took longer than {} ms and was stopped.", limit.as_millis());
            call.abort(Outcome::tool_error(&message));
        }
    });
    if let Err(fault) = timer {
        library_log::warning(format_args!("no time limit for a handler: {fault}"));
    }
}
