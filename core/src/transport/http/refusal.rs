//! The answer to a request that is turned away before the protocol sees it.

use http::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use http_body::Body;

use super::reply_body::ReplyBody;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::message::Message;

/// Why a request is turned away: a status, and a sentence for its sender.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The HTTP status.
    pub status: StatusCode,
    /// The sentence.
    pub message: String,
    /// The code of the JSON-RPC error; `None`: plain text.
    code: Option<ErrorCode>,
    allow: Option<&'static str>,
    closes: bool,
}

impl Refusal {
    /// A refusal sent as a JSON-RPC error without id.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let code = Some(ErrorCode::INVALID_REQUEST);
        Refusal { status, message: message.into(), code, allow: None, closes: false }
    }

    /// A refusal of a request that is right, at a wrong time.
    pub fn busy(message: impl Into<String>) -> Self {
        Refusal { code: Some(ErrorCode::INTERNAL), ..Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message) }
    }

    /// A refusal sent as plain text, where a JSON-RPC error would be taken for something else.
    pub fn text(status: StatusCode, message: impl Into<String>) -> Self {
        Refusal { code: None, ..Refusal::new(status, message) }
    }

    /// The same refusal with an `Allow` header.
    pub fn with_allow(self, methods: &'static str) -> Self {
        Refusal { allow: Some(methods), ..self }
    }

    /// The same refusal, after which an HTTP/1.1 connection is closed: the rest of the request is not read.
    pub fn and_close(self) -> Self {
        Refusal { closes: true, ..self }
    }

    /// The same refusal of a request whose `body` is not read: unless that is empty, an HTTP/1.1 connection is closed,
    /// as nobody knows where the next request would begin. RFC 9112, 9.6.
    pub fn leaving<B: Body>(self, body: &B) -> Self {
        if body.is_end_stream() { self } else { self.and_close() }
    }

    /// The response to send.
    pub fn into_response(self) -> Response<ReplyBody> {
        let (kind, message) = match self.code {
            Some(code) => ("application/json", ProtocolError::new(code, self.message).answer(None).message),
            None => ("text/plain; charset=utf-8", Message::whole((self.message + "\n").into_bytes())),
        };
        let mut response = Response::new(ReplyBody::message(message));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        if let Some(methods) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(methods));
        }
        if self.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.status, self.message)
    }
}
