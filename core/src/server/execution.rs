//! Runs a call where its registration says.

use std::sync::Arc;
use std::time::Duration;

use super::engine::Server;
use super::settings::Settings;
use crate::call::handler::{Dispatch, Handler};
use crate::call::invocation::Call;
use crate::call::job::Job;
use crate::call::outcome::Outcome;
use crate::protocol::error::ProtocolError;
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

/// Something to run, and where.
pub struct Runnable {
    /// The code.
    pub handler: Arc<dyn Handler>,
    /// Where it runs.
    pub dispatch: Dispatch,
    /// Whether the arguments are validated there, before.
    pub check_first: bool,
}

/// Runs `call`, here or elsewhere.
pub fn run(server: &Arc<Server>, settings: &Settings, runnable: Runnable, call: Arc<Call>) {
    if let Some(limit) = settings.handler_timeout {
        expire_after(server, limit, &call);
    }
    let job = Job::new(runnable.handler, call.clone(), runnable.check_first);
    match runnable.dispatch {
        Dispatch::Inline => job.run(),
        Dispatch::Pool => {
            if let Err(refused) = server.pool().submit(Box::new(move || job.run())) {
                call.refuse(unable(&call, refused.why));
            }
        }
        Dispatch::Host => match server.executor() {
            Some(executor) => executor.execute(job.for_host()),
            None => refuse_without_executor(&call),
        },
    }
}

/// Ends a call whose handler belongs to the host's executor, where there is none.
pub fn refuse_without_executor(call: &Call) {
    library_log::error(format_args!(
        "{} runs on the host's executor, and the server has none; set one before it serves",
        call.subject()
    ));
    call.refuse(cannot_run(call));
}

/// What becomes of a call that the pool did not take.
fn unable(call: &Call, why: Refusal) -> Outcome {
    match why {
        Refusal::Full { .. } => call.subject().failure(BUSY).into(),
        Refusal::Closed | Refusal::Forked | Refusal::NoThread => {
            library_log::warning(format_args!("{} cannot run: {why}", call.subject()));
            cannot_run(call)
        }
    }
}

fn cannot_run(call: &Call) -> Outcome {
    Outcome::Error(ProtocolError::internal(format!("{} cannot run now", call.subject())))
}

/// Ends `call` when `limit` is over.
pub fn expire_after(server: &Server, limit: Duration, call: &Arc<Call>) {
    let expiring = Arc::downgrade(call);
    let timer = server.runtime().after(limit, move || {
        if let Some(call) = expiring.upgrade() {
            let message = format!("{} did not answer within {} ms.", call.subject(), limit.as_millis());
            call.abort(call.subject().failure(&message).into());
        }
    });
    match timer {
        Ok(timer) => call.keep_time_limit(timer),
        Err(fault) => library_log::warning(format_args!("no time limit for a handler: {fault}")),
    }
}
