//! Answers to the requests of a session. Their HTTP status is 200, whatever they say.

use crate::protocol::error::ProtocolError;
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::request_id::RequestId;
use crate::server::in_flight::Handled;
use crate::server::outbox::Outbox;

/// Answers with a result of `members`, JSON text without the braces.
pub fn succeed(outbox: &dyn Outbox, id: &RequestId, members: &[u8]) -> Handled {
    let mut out = open(id, members.len());
    out.push(b'{');
    out.extend_from_slice(members);
    out.extend_from_slice(b"}}");
    send(outbox, Message::whole(out))
}

/// Answers with an error.
pub fn fail(outbox: &dyn Outbox, id: &RequestId, error: ProtocolError) -> Handled {
    send(outbox, error.legacy().answer(Some(id)).message)
}

/// Sends an answer.
pub fn send(outbox: &dyn Outbox, message: Message) -> Handled {
    outbox.answer(Answer { message, status: AnswerStatus::Ok });
    Handled::Answered
}

/// The beginning of an answer to `id`, up to its result, which has some `length` bytes.
pub fn open(id: &RequestId, length: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + length);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    id.write(&mut out);
    out.extend_from_slice(b",\"result\":");
    out
}
