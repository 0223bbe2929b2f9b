//! One outgoing JSON-RPC message, in parts that need not be copied together.

use bytes::Bytes;

use super::json_write;

/// A JSON-RPC message ready to be sent. It has no line break outside of strings' escapes.
///
/// A list page or a large text is a part of its own, so that it is sent from where it already lies.
#[derive(Clone, Debug, Default)]
pub struct Message {
    head: Bytes,
    body: Bytes,
    tail: Bytes,
}

impl Message {
    /// A message in one piece.
    pub fn whole(text: Vec<u8>) -> Self {
        Message { head: text.into(), ..Message::default() }
    }

    /// A message of a head, a body that lies elsewhere, and a tail.
    pub fn around(head: Vec<u8>, body: Bytes, tail: impl Into<Bytes>) -> Self {
        Message { head: head.into(), body, tail: tail.into() }
    }

    /// A request of the server's, with `params` as a JSON object; none without.
    pub fn request(id: i64, method: &str, params: &[u8]) -> Self {
        let mut out = Vec::with_capacity(64 + params.len());
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        json_write::integer(&mut out, id);
        out.extend_from_slice(b",\"method\":");
        json_write::string(&mut out, method);
        if !params.is_empty() {
            out.extend_from_slice(b",\"params\":");
            out.extend_from_slice(params);
        }
        out.push(b'}');
        Message::whole(out)
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.head.len() + self.body.len() + self.tail.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The parts in order; some may be empty.
    pub fn parts(&self) -> [&[u8]; 3] {
        [&self.head, &self.body, &self.tail]
    }

    /// The parts in order, owned; some may be empty.
    pub fn into_parts(self) -> [Bytes; 3] {
        [self.head, self.body, self.tail]
    }

    /// Appends the whole message to `out`.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        out.reserve(self.len() + 1);
        for part in self.parts() {
            out.extend_from_slice(part);
        }
    }
}

/// The HTTP status that an answer travels with, where it is the first thing sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerStatus {
    /// 200
    Ok,
    /// 400
    BadRequest,
    /// 404
    NotFound,
}

/// The last message of a request: a result or an error.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The JSON-RPC response.
    pub message: Message,
    /// The HTTP status.
    pub status: AnswerStatus,
}
