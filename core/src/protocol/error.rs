//! JSON-RPC errors: the one table of codes, and what an error says to its reader.

use super::document;
use super::json_write;
use super::message::{Answer, AnswerStatus, Message};
use super::request_id::RequestId;

/// Characters of a URI that an error shows in its message; its data have it whole.
const SHOWN_URI: usize = 200;

/// Characters of an unknown method that an error shows.
const SHOWN_METHOD: usize = 100;

/// A JSON-RPC error code.
///
/// Specification: basic, "Error Codes".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorCode(pub i32);

impl ErrorCode {
    /// The text is not JSON.
    pub const PARSE: ErrorCode = ErrorCode(-32700);
    /// The JSON is not a request.
    pub const INVALID_REQUEST: ErrorCode = ErrorCode(-32600);
    /// No such method, or its capability is not declared.
    pub const METHOD_NOT_FOUND: ErrorCode = ErrorCode(-32601);
    /// The parameters are not what the method takes.
    pub const INVALID_PARAMS: ErrorCode = ErrorCode(-32602);
    /// The server failed.
    pub const INTERNAL: ErrorCode = ErrorCode(-32603);
    /// An HTTP header is missing or says something else than the body.
    pub const HEADER_MISMATCH: ErrorCode = ErrorCode(-32020);
    /// The client did not declare a capability that the request needs.
    pub const MISSING_CAPABILITY: ErrorCode = ErrorCode(-32021);
    /// There is no such resource, in the legacy era.
    pub const RESOURCE_NOT_FOUND: ErrorCode = ErrorCode(-32002);
    /// The revision asked for is not implemented.
    pub const UNSUPPORTED_VERSION: ErrorCode = ErrorCode(-32022);

    /// Whether a handler may answer with this code: the standard codes that describe a request, and
    /// everything outside the range that JSON-RPC and MCP reserve (-32768 to -32000).
    pub fn is_open_to_handlers(self) -> bool {
        !(-32768..=-32000).contains(&self.0) || matches!(self, Self::INVALID_PARAMS | Self::INTERNAL)
    }
}

/// An error that answers a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolError {
    /// What kind of failure it is.
    pub code: ErrorCode,
    /// What was wrong, where, and the way out.
    pub message: String,
    /// More for programs, as JSON text.
    pub data: Option<String>,
    nature: Nature,
}

/// What is known of an error besides its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nature {
    Usual,
    /// The request itself is malformed, which HTTP answers with 400.
    Malformed,
    /// The legacy era has a code of its own for it.
    ResourceNotFound,
}

impl ProtocolError {
    /// An error without data.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        ProtocolError { code, message: message.into(), data: None, nature: Nature::Usual }
    }

    /// `-32602`: the method's own parameters are wrong.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, message)
    }

    /// `-32602` for `_meta`: the request itself is malformed, which HTTP answers with 400.
    pub fn invalid_meta(message: impl Into<String>) -> Self {
        ProtocolError { nature: Nature::Malformed, ..Self::invalid_params(message) }
    }

    /// `-32602`, in the legacy era `-32002`: there is no resource at `uri`.
    ///
    /// Specification: server/resources, "Error Handling".
    pub fn resource_not_found(uri: &str) -> Self {
        let mut data = b"{\"uri\":".to_vec();
        json_write::string(&mut data, uri);
        data.push(b'}');
        let message = format!("there is no resource \"{}\"", document::cut_to(uri, SHOWN_URI));
        let error = Self::invalid_params(message).with_data(String::from_utf8_lossy(&data).into_owned());
        ProtocolError { nature: Nature::ResourceNotFound, ..error }
    }

    /// Whether it says that there is no such resource.
    pub fn is_resource_not_found(&self) -> bool {
        self.nature == Nature::ResourceNotFound
    }

    /// The same error as the legacy era has it.
    pub fn legacy(self) -> Self {
        match (self.nature, self.code) {
            (Nature::ResourceNotFound, _) => ProtocolError { code: ErrorCode::RESOURCE_NOT_FOUND, ..self },
            (_, ErrorCode::MISSING_CAPABILITY) => ProtocolError { code: ErrorCode::INTERNAL, ..self },
            _ => self,
        }
    }

    /// `-32601`.
    pub fn unknown_method(method: &str) -> Self {
        let message = format!("this server has no method \"{}\"", document::cut_to(method, SHOWN_METHOD));
        Self::new(ErrorCode::METHOD_NOT_FOUND, message)
    }

    /// `-32603`.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INTERNAL, message)
    }

    /// `-32020`.
    pub fn header_mismatch(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::HEADER_MISMATCH, message)
    }

    /// The same error with `data`, a JSON text.
    pub fn with_data(self, data: String) -> Self {
        ProtocolError { data: Some(data), ..self }
    }

    /// The answer that carries this error, to the request `id`, or to none that could be read.
    pub fn answer(&self, id: Option<&RequestId>) -> Answer {
        let mut out = Vec::with_capacity(96 + self.message.len());
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",");
        if let Some(id) = id {
            out.extend_from_slice(b"\"id\":");
            id.write(&mut out);
            out.push(b',');
        }
        out.extend_from_slice(b"\"error\":{\"code\":");
        json_write::integer(&mut out, i64::from(self.code.0));
        out.extend_from_slice(b",\"message\":");
        json_write::string(&mut out, &self.message);
        if let Some(data) = &self.data {
            out.extend_from_slice(b",\"data\":");
            out.extend_from_slice(data.as_bytes());
        }
        out.extend_from_slice(b"}}");
        Answer { message: Message::whole(out), status: self.status() }
    }

    /// The HTTP status of the modern era.
    fn status(&self) -> AnswerStatus {
        match self.code {
            ErrorCode::METHOD_NOT_FOUND => AnswerStatus::NotFound,
            ErrorCode::PARSE
            | ErrorCode::INVALID_REQUEST
            | ErrorCode::HEADER_MISMATCH
            | ErrorCode::MISSING_CAPABILITY
            | ErrorCode::UNSUPPORTED_VERSION => AnswerStatus::BadRequest,
            _ if self.nature == Nature::Malformed => AnswerStatus::BadRequest,
            _ => AnswerStatus::Ok,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn text(answer: &Answer) -> String {
        let mut out = Vec::new();
        answer.message.append_to(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn writes_an_error_with_and_without_id() {
        let error = ProtocolError::new(ErrorCode::PARSE, "not \"JSON\"");
        assert_eq!(
            text(&error.answer(None)),
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"not \"JSON\""}}"#
        );
        let error = ProtocolError::invalid_params("x").with_data("{\"a\":1}".into());
        assert_eq!(
            text(&error.answer(Some(&RequestId::Text("q".into())))),
            r#"{"jsonrpc":"2.0","id":"q","error":{"code":-32602,"message":"x","data":{"a":1}}}"#
        );
    }

    #[test]
    fn maps_codes_to_the_http_status_of_the_modern_era() {
        let status = |error: ProtocolError| error.answer(None).status;
        assert_eq!(status(ProtocolError::invalid_params("")), AnswerStatus::Ok);
        assert_eq!(status(ProtocolError::invalid_meta("")), AnswerStatus::BadRequest);
        assert_eq!(status(ProtocolError::header_mismatch("")), AnswerStatus::BadRequest);
        assert_eq!(status(ProtocolError::new(ErrorCode::METHOD_NOT_FOUND, "")), AnswerStatus::NotFound);
        assert_eq!(status(ProtocolError::internal("")), AnswerStatus::Ok);
    }

    #[test]
    fn leaves_reserved_codes_to_the_library() {
        for code in [-32700, -32600, -32601, -32000, -32002, -32021, -32042, -32099, -32768] {
            assert!(!ErrorCode(code).is_open_to_handlers(), "{code}");
        }
        for code in [-32602, -32603, 4242, -1, -31999, -32769] {
            assert!(ErrorCode(code).is_open_to_handlers(), "{code}");
        }
    }
}
