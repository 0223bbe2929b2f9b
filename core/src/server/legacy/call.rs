//! Starts a call of any kind for a client of the legacy era.

use std::sync::Arc;

use super::answering;
use super::rounds::Rounds;
use super::session::Session;
use super::shape;
use crate::call::outcome::CallResult;
use crate::call::request::RequestContext;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::server::called::{self, Called};
use crate::server::engine::Incoming;
use crate::server::execution;
use crate::server::in_flight::Handled;

/// `tools/call`
///
/// Bad arguments are an error of the request up to 2025-06-18, and from 2025-11-25 on a result that the model can mend.
pub fn tool(session: &Arc<Session>, incoming: Incoming) -> Result<Handled, ProtocolError> {
    let params = &incoming.request.params;
    let tool = called::tool::find(session.server(), params)?;
    let arguments = called::tool::arguments(params);
    let missing = session.capabilities().missing(&tool.contract.required_capabilities);
    if !missing.is_empty() {
        let names: Vec<_> = missing.iter().map(ToString::to_string).collect();
        let message = format!("This tool needs a client that declares the capability {}.", names.join(", "));
        return Ok(refuse(session, &incoming, &message));
    }
    called::tool::check_object(&arguments)?;
    match called::tool::accept(&tool, arguments, session.server().settings().lenient_arguments) {
        Ok(called) => start(session, incoming, called),
        Err(why) if session.revision().has_argument_faults_as_results() => {
            Ok(refuse(session, &incoming, &why))
        }
        Err(why) => Err(ProtocolError::invalid_params(why)),
    }
}

/// `prompts/get`
pub fn prompt(session: &Arc<Session>, incoming: Incoming) -> Result<Handled, ProtocolError> {
    let params = &incoming.request.params;
    let prompt = called::prompt::find(session.server(), params)?;
    session.capabilities().require(&"this prompt", &prompt.contract.required_capabilities)?;
    let called = called::prompt::accept(&prompt, params.arguments.map(|span| params.raw(span)))?;
    start(session, incoming, called)
}

/// `resources/read`
pub fn resource(session: &Arc<Session>, incoming: Incoming) -> Result<Handled, ProtocolError> {
    let called = called::resource::find(session.server(), &incoming.request.params)?;
    session.capabilities().require(&"this resource", called.subject.required_capabilities())?;
    start(session, incoming, called)
}

/// `completion/complete`
pub fn completion(session: &Arc<Session>, incoming: Incoming) -> Result<Handled, ProtocolError> {
    let called = called::completion::find(session.server(), &incoming.request.params)?;
    start(session, incoming, called)
}

fn start(session: &Arc<Session>, incoming: Incoming, called: Called) -> Result<Handled, ProtocolError> {
    let settings = session.server().settings();
    let place = session.server().take_place(&settings);
    let rounds =
        Rounds::new(session, &incoming, &called, &settings, progress_token(&incoming.request.params)?);
    let Some(place) = place.filter(|_| !incoming.overloaded) else {
        rounds.refuse(&called.subject, execution::BUSY);
        return Ok(Handled::Answered);
    };
    let context = RequestContext {
        meta: meta(&incoming.request.params),
        revision: session.revision(),
        capabilities: session.capabilities().clone(),
        headers: incoming.headers,
        principal: incoming.principal,
    };
    Ok(rounds.begin(called, context, place, &settings))
}

fn refuse(session: &Session, incoming: &Incoming, why: &str) -> Handled {
    let result = CallResult::tool_error(why);
    let message = shape::write(session.revision(), &incoming.request.id, None, result);
    answering::send(&*incoming.outbox, message)
}

fn meta(params: &Params) -> bytes::Bytes {
    match &params.meta {
        Some(meta) if meta.is_object => params.raw(meta.span),
        _ => bytes::Bytes::from_static(b"{}"),
    }
}

fn progress_token(params: &Params) -> Result<Option<bytes::Bytes>, ProtocolError> {
    let Some(span) = params.meta.as_ref().and_then(|meta| meta.progress_token) else { return Ok(None) };
    match params.id(span) {
        Some(_) => Ok(Some(params.raw(span))),
        None => {
            Err(ProtocolError::invalid_params("params._meta.progressToken must be a string or an integer"))
        }
    }
}
