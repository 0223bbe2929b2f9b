//! The rounds of one call in the modern era: a result that asks for input carries a state, which the client echoes
//! with its answers, in a request of its own.
//!
//! Specification: basic/patterns/mrtr.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;

use super::door::Visit;
use super::reply::Ended;
use crate::call::request::{CallRequest, RequestContext};
use crate::call::rounds::{Carried, InputRequired, MAX_ROUNDS};
use crate::call::subject::Subject;
use crate::protocol::error::ProtocolError;
use crate::protocol::json_scan::{JsonFault, Scanner};
use crate::protocol::json_write;
use crate::runtime::library_log;
use crate::server::called::Called;
use crate::server::committed_rounds::{RoundKey, Weigh};
use crate::server::engine::Server;
use crate::server::request_state::binding::Binding;
use crate::server::request_state::fault::StateFault;
use crate::server::request_state::json_digest::JsonDigest;
use crate::server::request_state::state::{ChainId, RequestState};
use crate::server::settings::Settings;

/// Answers that one request may bring.
pub const MAX_ANSWERS: usize = 256;

/// What a request brings from earlier rounds.
pub struct Echoed {
    /// What its handler sees of them.
    pub carried: Option<Box<Carried>>,
    /// By what a repetition of this round is known; none in a first round.
    pub round: Option<Round>,
}

/// A round that can be repeated.
pub struct Round {
    /// What it is known by.
    pub key: RoundKey,
    /// When its state expires, in milliseconds since 1970.
    pub expires: u64,
    /// The time, likewise.
    pub now: u64,
}

/// Reads `requestState` and `inputResponses`.
pub fn read(visit: &Visit<'_>, context: &RequestContext, called: &Called) -> Result<Echoed, ProtocolError> {
    let params = &visit.request.params;
    let mut echoed = Echoed { carried: None, round: None };
    if matches!(called.subject, Subject::Completion(_)) {
        return Ok(echoed);
    }
    if let Some(span) = params.request_state {
        let text = params
            .string(span)
            .ok_or_else(|| ProtocolError::invalid_params("params.requestState must be a string"))?;
        let digest = JsonDigest::of(called.arguments.raw());
        let binding = binding(&visit.settings, &called.subject, context, digest);
        let state = &visit.settings.request_state;
        let opened =
            state.keys.open(&text, &binding, state.max_bytes).map_err(|fault| refused(visit, &fault))?;
        let responses = params.input_responses.map(|span| params.bytes(span)).unwrap_or_default();
        let key = RoundKey::of(&text, responses, digest, context.capabilities.json());
        echoed.round = Some(Round { key, expires: opened.expires, now: binding.now });
        echoed.carried = Some(Box::new(carried(opened)));
    }
    if let Some(span) = params.input_responses {
        echoed.carried.get_or_insert_default().offered = read_answers(&params.raw(span))?;
    }
    Ok(echoed)
}

/// The members of a result that asks for what is required, with a state for the next round.
pub fn end(
    server: &Server,
    request: &CallRequest,
    required: InputRequired,
) -> Result<Vec<u8>, ProtocolError> {
    let InputRequired { questions, carried } = required;
    if carried.rounds >= MAX_ROUNDS {
        library_log::error(format_args!("{}: its handler asked {MAX_ROUNDS} times", request.subject));
        return Err(ProtocolError::internal(format!("{} asked too often", request.subject)));
    }
    let settings = server.settings();
    let digest = JsonDigest::of(request.arguments.raw());
    let binding = binding(&settings, &request.subject, &request.context, digest);
    let sealed = next_state(&settings, &binding, carried)
        .and_then(|state| settings.request_state.keys.seal(&state, settings.request_state.max_bytes))
        .map_err(|fault| {
            library_log::error(format_args!("{}: {fault}", request.subject));
            fault.protocol_error()
        })?;
    let mut out = Vec::with_capacity(256 + sealed.len());
    out.extend_from_slice(b"\"inputRequests\":{");
    for (index, (key, question)) in questions.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        json_write::string(&mut out, key);
        out.push(b':');
        question.write(&mut out);
    }
    out.extend_from_slice(b"},\"requestState\":");
    json_write::string(&mut out, &sealed);
    Ok(out)
}

fn refused(visit: &Visit<'_>, fault: &StateFault) -> ProtocolError {
    library_log::debug(format_args!("{}: {fault}", visit.request.method.as_str()));
    fault.protocol_error()
}

fn binding<'a>(
    settings: &'a Settings,
    subject: &'a Subject,
    context: &'a RequestContext,
    arguments: JsonDigest,
) -> Binding<'a> {
    Binding {
        audience: settings.request_state_audience(),
        principal: context.principal.as_deref(),
        method: subject.method(),
        name: subject.name(),
        arguments,
        now: now(),
    }
}

fn next_state(
    settings: &Settings,
    binding: &Binding<'_>,
    carried: Carried,
) -> Result<RequestState, StateFault> {
    let lifetime = settings.request_state.lifetime;
    let mut state = RequestState::begin(binding, lifetime)?;
    if let Some(chain) = carried.chain {
        state.chain = ChainId(chain);
        state.round = carried.rounds.saturating_add(1);
    }
    state.answers = carried.answers;
    state.memo = carried.memo;
    state.once = carried.done;
    state.elicitation_ids = carried.elicitations;
    Ok(state)
}

fn carried(state: RequestState) -> Carried {
    Carried {
        chain: Some(state.chain.0),
        rounds: state.round,
        answers: state.answers,
        offered: BTreeMap::new(),
        memo: state.memo,
        done: state.once,
        elicitations: state.elicitation_ids,
    }
}

fn read_answers(text: &Bytes) -> Result<BTreeMap<String, Bytes>, ProtocolError> {
    let mut answers = BTreeMap::new();
    let mut scanner = Scanner::new(text, 0);
    if scanner.peek() != Some(b'{') {
        return Err(ProtocolError::invalid_params("params.inputResponses must be an object"));
    }
    let scanned = scanner.object::<JsonFault>(|scanner, key| {
        let span = scanner.value()?;
        let key = String::from_utf8_lossy(&key.text().unwrap_or_default()).into_owned();
        answers.insert(key, text.slice(span.start..span.end));
        Ok(())
    });
    if scanned.is_err() || answers.len() > MAX_ANSWERS {
        return Err(ProtocolError::invalid_params(format!(
            "params.inputResponses may have {MAX_ANSWERS} members, not {}",
            answers.len()
        )));
    }
    Ok(answers)
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl Weigh for Arc<Ended> {
    fn weight(&self) -> usize {
        match &**self {
            Ended::Result(result) => result.length(),
            Ended::Error(error) => error.message.len() + error.data.as_ref().map_or(0, String::len),
            Ended::Asked(members) => members.len(),
        }
    }
}
