//! The way out of one call in the modern era: its progress, its log messages and its result.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::{result, rounds};
use crate::call::host::Host;
use crate::call::outcome::{CallResult, Outcome};
use crate::call::outlet::Outlet;
use crate::call::request::CallRequest;
use crate::protocol::cache_hint::{CacheHint, CacheScope};
use crate::protocol::error::ProtocolError;
use crate::protocol::log_level::LogLevel;
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::notification;
use crate::protocol::request_id::RequestId;
use crate::protocol::tool_result::ToolResult;
use crate::runtime::lock::Mutex;
use crate::server::committed_rounds::RoundGuard;
use crate::server::concurrency::Place;
use crate::server::engine::Server;
use crate::server::identity::Identity;
use crate::server::outbox::Outbox;

/// Content of at least this many bytes is sent from where it lies instead of being copied into the answer.
const SEPARATE_PART: usize = 16 << 10;

/// What a round of a call ended with.
#[derive(Clone)]
pub enum Ended {
    /// A result.
    Result(CallResult),
    /// An error.
    Error(ProtocolError),
    /// Questions and the state to echo: the members of the result, as JSON.
    Asked(Vec<u8>),
}

impl From<Result<CallResult, ProtocolError>> for Ended {
    fn from(ended: Result<CallResult, ProtocolError>) -> Self {
        ended.map_or_else(Ended::Error, Ended::Result)
    }
}

/// Writes what a call says for a client of the modern era.
pub struct Reply {
    /// The server that answers.
    pub server: Arc<Server>,
    /// The request to answer.
    pub id: RequestId,
    /// The client's progress token as JSON text.
    pub progress_token: Option<Bytes>,
    /// The least severe log message that the client wants.
    pub log_level: Option<LogLevel>,
    /// Who answers.
    pub identity: Option<Arc<Identity>>,
    /// Caching of what a resource contains, unless its handler says otherwise.
    pub read_cache: CacheHint,
    /// Whether the request carries a state or answers: its result depends on them and must not be cached.
    ///
    /// Specification: server/utilities/caching.
    pub is_retry: bool,
    /// Where the messages go.
    pub outbox: Arc<dyn Outbox>,
    /// The place among the calls in flight: given back when the handler finishes, or else when the call is
    /// dropped, as the handler of a call that was cancelled or took too long may still be at work.
    pub place: Mutex<Option<Place>>,
    /// Keeps the answer of a later round for a client that lost it.
    pub round: Mutex<Option<RoundGuard<Arc<Ended>>>>,
}

impl Outlet for Reply {
    fn wants_progress(&self) -> bool {
        self.progress_token.is_some()
    }

    fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        if let Some(token) = &self.progress_token {
            self.outbox.notify(notification::progress(token, progress, total, message), None);
        }
    }

    fn wants_log(&self, level: LogLevel) -> bool {
        self.log_level.is_some_and(|least| level >= least)
    }

    fn log(&self, level: LogLevel, logger: Option<&str>, data: &[u8]) {
        self.outbox.notify(notification::log_message(level, logger, data), None);
    }

    fn handler_is_done(&self) {
        let place = self.place.lock().take();
        drop(place);
    }

    /// A repetition of the round may find a thread.
    fn handler_does_not_run(&self) {
        let round = self.round.lock().take();
        drop(round);
    }

    fn finish(&self, request: &CallRequest, outcome: Outcome) {
        let ended = match outcome {
            Outcome::Result(result) => Ended::Result(result),
            Outcome::Error(error) => Ended::Error(error),
            Outcome::InputRequired(required) => {
                rounds::end(&self.server, request, *required).map_or_else(Ended::Error, Ended::Asked)
            }
        };
        let round = self.round.lock().take();
        let Some(round) = round else { return self.send(ended) };
        let ended = Arc::new(ended);
        round.commit(&ended);
        self.send(Arc::unwrap_or_clone(ended));
    }

    fn close_stream(&self, retry: Option<Duration>) {
        self.outbox.close_stream(retry);
    }

    fn host(&self) -> Arc<dyn Host> {
        self.server.clone()
    }
}

impl Reply {
    /// Sends the answer.
    pub fn send(&self, ended: Ended) {
        let message = match ended {
            Ended::Error(error) => return self.outbox.answer(error.answer(Some(&self.id))),
            Ended::Asked(members) => {
                let mut out = self.open(members.len());
                out.extend_from_slice(&members);
                self.close(out, None, result::INPUT_REQUIRED)
            }
            Ended::Result(CallResult::Tool(tool))
                if tool.content.as_ref().is_some_and(|content| content.len() >= SEPARATE_PART) =>
            {
                self.tool_in_parts(tool)
            }
            Ended::Result(mut result) => {
                if let (true, CallResult::Read(read)) = (self.is_retry, &mut result) {
                    read.cache = Some(CacheHint { ttl_ms: 0, scope: CacheScope::Private });
                }
                let mut out = self.open(result.length());
                result::write_members(&result, self.read_cache, &mut out);
                self.close(out, result.meta(), result::COMPLETE)
            }
        };
        self.outbox.answer(Answer { message, status: AnswerStatus::Ok });
    }

    /// The content, which is large, stays where it lies.
    fn tool_in_parts(&self, mut tool: ToolResult) -> Message {
        let content = tool.content.take().unwrap_or_default();
        let mut head = self.open(0);
        head.extend_from_slice(b"\"content\":[");
        let mut tail = Vec::with_capacity(320 + tool.structured.as_ref().map_or(0, Vec::len));
        tail.push(b']');
        result::write_behind_content(&tool, &mut tail);
        result::close(&mut tail, tool.meta.as_deref(), result::COMPLETE, self.identity.as_deref());
        tail.extend_from_slice(b"}}");
        Message::around(head, content.into(), tail)
    }

    fn open(&self, length: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(320 + length);
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        self.id.write(&mut out);
        out.extend_from_slice(b",\"result\":{");
        out
    }

    fn close(&self, mut out: Vec<u8>, meta: Option<&[u8]>, kind: &str) -> Message {
        result::close(&mut out, meta, kind, self.identity.as_deref());
        out.extend_from_slice(b"}}");
        Message::whole(out)
    }
}
