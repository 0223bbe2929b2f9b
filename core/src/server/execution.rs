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
use crate::runtime::handler_pool::Refusal;
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

/// Runs `call`, here or elsewhere; with `check_first`, its arguments are validated there before.
pub fn run(
    server: &Arc<Server>,
    settings: &Settings,
    tool: &RegisteredTool,
    call: Arc<Call>,
    check_first: bool,
) {
    if let Some(limit) = settings.handler_timeout {
        expire_after(server, limit, &call);
    }
    let job = Job::new(tool.handler.clone(), call.clone(), check_first);
    match tool.dispatch {
        Dispatch::Inline => job.run(),
        Dispatch::Pool => {
            if let Err(refused) = server.pool().submit(Box::new(move || job.run())) {
                call.abort(unable(&call, refused.why));
            }
        }
        Dispatch::Host => match server.executor() {
            Some(executor) => executor.execute(job),
            None => {
                library_log::error(format_args!(
                    "tool \"{}\" runs on the host's executor, and the server has none; set one before it serves",
                    call.name()
                ));
                call.abort(cannot_run(&call));
            }
        },
    }
}

/// What becomes of a call that the pool did not take.
fn unable(call: &Call, why: Refusal) -> Outcome {
    match why {
        Refusal::Full { .. } => Outcome::tool_error(BUSY),
        Refusal::Closed | Refusal::Forked | Refusal::NoThread => {
            library_log::warning(format_args!("tool \"{}\" cannot run: {why}", call.name()));
            cannot_run(call)
        }
    }
}

fn cannot_run(call: &Call) -> Outcome {
    Outcome::Error(ProtocolError::internal(format!("tool \"{}\" cannot run now", call.name())))
}

fn expire_after(server: &Server, limit: Duration, call: &Arc<Call>) {
    let expiring = Arc::downgrade(call);
    let timer = server.runtime().after(limit, move || {
        if let Some(call) = expiring.upgrade() {
            let message = format!("The tool did not answer within {} ms.", limit.as_millis());
            call.abort(Outcome::tool_error(&message));
        }
    });
    match timer {
        Ok(timer) => call.keep_time_limit(timer),
        Err(fault) => library_log::warning(format_args!("no time limit for a handler: {fault}")),
    }
}
